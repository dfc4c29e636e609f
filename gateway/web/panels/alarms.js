// Standing alarms, worst first. Priority is told by shape, letter and colour together.

import { call } from "/static/api.js";
import { el, replace } from "/static/dom.js";
import { timeText } from "/static/clock.js";
import { pick, t } from "/static/i18n.js";

const MARKS = { high: "1", medium: "2", low: "3" };

export function alarmsPanel(live) {
  const title = el("span");
  const list = el("ul", { class: "alarms" });
  const empty = el("div", { class: "empty" });
  const draw = () => {
    title.textContent = t("alarms");
    empty.textContent = t("no_alarms");
    empty.hidden = live.alarms.length > 0;
    replace(list, live.alarms.map((alarm) => row(live, alarm)));
  };
  live.on(["alarms"], draw);
  return el("section", { class: "panel" }, el("h2", {}, title), list, empty);
}

function row(live, alarm) {
  const unacked = alarm.state === "UNACK_ACTIVE" || alarm.state === "RTN_UNACK";
  const mayAck = unacked && live.me.role !== "viewer";
  const button = mayAck ? el("button", { onclick: () => acknowledge(alarm, button, note) }, t("ack")) : null;
  const note = el("small", {}, `${alarm.id} · ${timeText(alarm.raised_at)} · ${stateText(alarm)}`);
  return el("li", { class: `${alarm.priority}${unacked ? " unacked" : " settled"}` },
    el("span", { class: "mark", title: alarm.priority }, el("span", {}, MARKS[alarm.priority])),
    el("span", { class: "words" }, el("b", {}, pick(alarm.text)), note), button);
}

function stateText(alarm) {
  if (alarm.state === "SHELVED") return t("shelved", { when: timeText(alarm.shelved_until) });
  if (alarm.state === "RTN_UNACK") return t("returned");
  return alarm.state === "ACK_ACTIVE" ? t("active_acked", { who: alarm.acked_by }) : t("active");
}

async function acknowledge(alarm, button, note) {
  button.disabled = true;
  try {
    await call("POST", `/alarms/${encodeURIComponent(alarm.id)}/ack`, {});
  } catch (error) {
    note.textContent = error.message;
    button.disabled = false;
  }
}
