// What a change of a map changes, risks first in words; and the cards of those that wait for a second engineer.

import { call } from "/static/api.js";
import { el, replace } from "/static/dom.js";
import { pick, t } from "/static/i18n.js";

const HEADS = ["what", "key", "old", "new", "risk"];

export function changesTable(changes) {
  const rows = changes.map((one) => el("tr", { class: one.risk ? "risky" : "", "data-point": one.point, "data-key": one.key },
    el("td", {}, one.point || t("map_whole")), el("td", {}, one.key), el("td", { class: "number" }, one.old), el("td", { class: "number" }, one.new),
    el("td", {}, one.risk ? el("b", {}, pick(one.risk)) : "")));
  return el("table", { class: "map-changes" }, el("thead", {}, el("tr", {}, HEADS.map((name) => el("th", { scope: "col" }, t(`map_${name}`))))), el("tbody", {}, rows));
}

export function differences(change) {
  const risks = change.changes.filter((one) => one.risk).length;
  if (!change.changes.length) return [el("p", { class: "map-note" }, t("map_no_difference"))];
  return [el("p", { class: risks ? "map-note risky" : "map-note" }, risks ? t("map_risky", { n: risks }) : t("map_safe")), changesTable(change.changes)];
}

export const problemText = (error) => pick(error.problem?.words) || error.message;

// One card; `done` is called with what became of it.
export function waitingCard(live, change, done) {
  const error = el("p", { class: "error", role: "alert" });
  const isMine = change.by === live.me.user;
  const act = async (what) => {
    buttons.forEach((button) => { button.disabled = true; });
    try {
      done(await call("POST", `/maps/changes/${encodeURIComponent(change.id)}/${what}`, {}));
    } catch (failure) {
      error.textContent = problemText(failure);
      buttons.forEach((button) => { button.disabled = isMine && button === approve; });
    }
  };
  const approve = el("button", { class: "primary approve", disabled: isMine, onclick: () => act("confirm") }, t("map_approve"));
  const buttons = [approve, el("button", { class: "reject", onclick: () => act("reject") }, t("map_reject"))];
  return el("article", { class: "card map-card", "data-change": change.id },
    el("h3", {}, change.map || t("map_files"), el("span", { class: "left" }, t("map_expires", { h: Math.ceil(change.expires_s / 3600) }))),
    el("div", { class: "facts" }, [t("proposed_by", { who: change.by }), change.reason ? t("reason", { why: change.reason }) : ""].filter(Boolean).join(" · ")),
    changesTable(change.changes), isMine ? el("p", { class: "map-note" }, t("map_by_you")) : null, el("div", { class: "buttons" }, buttons), error);
}

export async function drawWaiting(live, holder, done) {
  const waiting = await call("GET", "/maps/changes");
  replace(holder, waiting.length ? waiting.map((change) => waitingCard(live, change, done)) : el("p", { class: "map-note" }, t("map_none_waiting")));
}
