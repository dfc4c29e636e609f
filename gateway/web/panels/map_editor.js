// One map under the hands of an engineer: text, findings, difference, sending, versions. What is not sent is kept while the page is open.

import { call } from "/static/api.js";
import { momentText } from "/static/clock.js";
import { el, replace } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { differences, problemText } from "/static/panels/map_changes.js";
import { mapText } from "/static/panels/map_text.js";

const CHECK_MS = 500;
const drafts = new Map();
export const hasDraft = (id) => drafts.has(id);

// `changed` is called when the map may be another one, or its draft came or went.
export function mapEditor(found, changed) {
  const { id } = found;
  const note = el("p", { class: "map-note", role: "status" });
  const difference = el("div", { class: "map-difference" });
  const reason = el("input", { class: "map-reason", "aria-label": t("map_reason"), placeholder: t("map_reason"), maxLength: 500 });
  const discard = el("button", { type: "button", class: "quiet discard", onclick: () => { drafts.delete(id); changed(); } }, t("map_discard"));
  const base = () => drafts.get(id)?.base ?? found.digest;
  let timer = 0;
  const keep = (text) => {
    const had = drafts.has(id);
    if (text === found.text && base() === found.digest) drafts.delete(id);
    else drafts.set(id, { text, base: base() });
    if (had !== drafts.has(id)) changed({ onlyList: true });
    discard.hidden = !drafts.has(id);
    replace(difference);
    clearTimeout(timer);
    timer = setTimeout(check, CHECK_MS);
  };
  const paper = mapText(t("map_text", { id }), drafts.get(id)?.text ?? found.text, keep);
  const check = async () => {
    const text = paper.area.value;
    const answer = await call("POST", "/maps/check", { text }).catch((error) => { note.textContent = problemText(error); });
    if (answer && text === paper.area.value) paper.show(answer.errors, answer.warnings);
  };
  // What the gateway refuses is said where it stands; a map that is not the newest says so.
  const send = async (method, path, body, take) => {
    note.textContent = "";
    try {
      take(await call(method, path, body));
    } catch (error) {
      const findings = error.problem?.findings ?? [];
      if (error.status === 409) note.textContent = t("map_newer");
      else if (findings.length) paper.show(findings, []);
      else note.textContent = problemText(error);
    }
  };
  const show = () => send("POST", `/maps/${id}/preview`, { base: base(), text: paper.area.value }, (change) => replace(difference, differences(change)));
  const ended = (change) => {
    if (change.state !== "unchanged") drafts.delete(id);
    changed({ note: t(`map_${change.state}`) });
  };
  const put = () => send("PUT", `/maps/${id}`, { base: base(), text: paper.area.value, reason: reason.value.trim() }, ended);
  const goBack = (number) => send("POST", `/maps/${id}/rollback`, { version: number, base: found.digest, reason: reason.value.trim() }, ended);
  const look = (number) => send("GET", `/maps/${id}/versions/${number}`, undefined, ({ text }) => { paper.put(text); keep(text); });
  discard.hidden = !drafts.has(id);
  check();
  return el("section", { class: "map-one", "data-map": id },
    el("p", { class: "map-file" }, `${t("map_file")}: ${found.file}`), paper.node,
    el("div", { class: "buttons" }, el("button", { type: "button", class: "difference", onclick: show }, t("map_difference")), discard),
    difference,
    el("form", { class: "map-send", onsubmit: (event) => { event.preventDefault(); put(); } }, reason, el("button", { class: "primary send" }, t("map_send"))),
    note, el("h3", {}, t("map_versions")), versions(found.versions, look, goBack));
}

function versions(kept, look, goBack) {
  if (!kept.length) return el("p", { class: "map-note" }, t("map_no_versions"));
  return el("table", { class: "map-versions" }, el("tbody", {}, [...kept].reverse().map((one) => el("tr", { "data-version": String(one.number) },
    el("td", { class: "number" }, String(one.number)), el("td", { class: "number" }, momentText(one.at)), el("td", {}, one.by), el("td", {}, one.by ? one.note : t("map_found")),
    el("td", {}, el("button", { type: "button", class: "look", onclick: () => look(one.number) }, t("map_look")),
      el("button", { type: "button", class: "back", onclick: () => goBack(one.number) }, t("map_back")))))));
}
