// A cited page of a manual, shown as the page itself.

import { el } from "/static/dom.js";
import { t } from "/static/i18n.js";

export function openPage(cited) {
  const dialog = el("dialog", {}, el("header", {}, el("b", {}, `${cited.doc} ${cited.revision || ""} · ${t("page", { n: cited.page })}`),
    el("button", { onclick: () => dialog.close() }, t("close"))),
    el("img", { src: `/api/v1/manuals/${encodeURIComponent(cited.doc)}/pages/${cited.page}.png`, alt: `${cited.doc} ${t("page", { n: cited.page })}` }));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
