// Procedures of the plant's maps: a click puts up the card with all steps; nothing runs before it is confirmed.

import { call } from "/static/api.js";
import { el, replace } from "/static/dom.js";
import { pick, t } from "/static/i18n.js";

const RANK = ["viewer", "operator", "engineer", "admin"];

export function proceduresPanel(live) {
  const title = el("span");
  const list = el("div", { class: "procedures" });
  const note = el("p", { class: "error", role: "alert" });
  const section = el("section", { class: "panel" }, el("h2", {}, title), list, note);
  let known = [];
  const run = async (name) => {
    note.textContent = "";
    try {
      live.takeProposal(await call("POST", "/proposals", { procedure: name, reason: t("run_reason") }));
    } catch (error) {
      note.textContent = pick(error.problem?.words) || error.message;
    }
  };
  const draw = () => {
    const mine = known.filter((one) => RANK.indexOf(live.me.role) >= RANK.indexOf(one.role));
    title.textContent = t("procedures");
    section.hidden = mine.length === 0;
    replace(list, live.devices.filter((device) => mine.some((one) => one.device === device.id)).map((device) => el("div", { class: "procedure-row" },
      el("span", { class: "what" }, pick(device.title) || device.id),
      mine.filter((one) => one.device === device.id).map((one) => el("button", { "data-procedure": one.name, title: one.steps.map(pick).join("\n"), onclick: () => run(one.name) }, pick(one.title))))));
  };
  const load = async () => {
    known = await call("GET", "/procedures").catch(() => []);
    draw();
  };
  live.on(["procedures"], draw);
  live.addEventListener("procedures", load);
  load();
  return section;
}
