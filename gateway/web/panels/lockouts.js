// Lockouts: what writing is kept from, and, for engineers, setting and releasing them with a reason.

import { call } from "/static/api.js";
import { momentText } from "/static/clock.js";
import { el, replace } from "/static/dom.js";
import { pick, t } from "/static/i18n.js";

export const scopeText = (scope) => (scope === "*" ? t("lock_all") : scope);

export function lockoutsDialog(live) {
  const note = el("p", { class: "error", role: "alert" });
  const rows = el("tbody");
  const show = (lockouts) => replace(rows, lockouts.length ? lockouts.map((one) => row(one, act)) : el("tr", {}, el("td", {}, t("lock_none"))));
  const act = async (path, body) => {
    note.textContent = "";
    try {
      show(await call("POST", path, body));
      return true;
    } catch (error) {
      note.textContent = pick(error.problem?.words) || error.message;
      return false;
    }
  };
  const box = el("dialog", { class: "audit lockouts", "aria-label": t("lockouts") },
    el("header", {}, el("h2", {}, t("lockouts")), el("span", { class: "space" }), el("button", { type: "button", class: "quiet", onclick: () => box.close() }, t("close"))),
    el("div", { class: "audit-rows" }, note, el("table", {}, rows), newLockout(live, act)));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return call("GET", "/lockouts").then(show).catch((error) => { note.textContent = pick(error.problem?.words) || error.message; });
}

function row(one, act) {
  const reason = el("input", { name: "release-reason", autocomplete: "off", required: true, maxLength: 500, placeholder: t("lock_reason") });
  const submit = (event) => { event.preventDefault(); act("/lockouts/release", { scope: one.scope, reason: reason.value.trim() }); };
  const since = momentText(one.at);
  return el("tr", { "data-scope": one.scope }, el("td", {}, scopeText(one.scope)), el("td", {}, one.reason), el("td", {}, one.by), el("td", {}, t("lock_since", { when: since })),
    el("td", {}, el("form", { onsubmit: submit }, reason, el("button", {}, t("release")))));
}

function newLockout(live, act) {
  const known = [["*", t("lock_all")], ...live.devices.map((device) => [device.id, pick(device.title)]), ...[...live.points.keys()].map((tag) => [tag, ""])];
  const scopes = el("datalist", { id: "lock-scopes" }, known.map(([value, label]) => el("option", { value }, label)));
  const scope = el("input", { name: "lock-scope", autocomplete: "off", required: true, maxLength: 200 });
  scope.setAttribute("list", "lock-scopes");
  const reason = el("input", { name: "lock-reason", autocomplete: "off", required: true, maxLength: 500 });
  const submit = async (event) => {
    event.preventDefault();
    if (await act("/lockouts", { scope: scope.value.trim(), reason: reason.value.trim() })) event.target.reset();
  };
  return el("form", { class: "audit-filter", onsubmit: submit }, scopes, el("label", {}, t("lock_scope"), scope), el("label", {}, t("lock_reason"), reason), el("button", { class: "primary" }, t("lock_out")));
}
