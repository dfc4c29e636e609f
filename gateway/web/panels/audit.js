// The audit: who did what, when and how it ended; with filters, pages and copies.

import { call } from "/static/api.js";
import { instantOf, momentText } from "/static/clock.js";
import { el, replace } from "/static/dom.js";
import { numberText, unitText } from "/static/format.js";
import { pick, t } from "/static/i18n.js";

const GROUPS = ["writes", "alarms", "maps", "manuals", "accounts", "clock"];

export function auditDialog(live) {
  const groups = GROUPS.filter((group) => group !== "accounts" || live.me.role === "admin");
  const kind = el("select", { name: "kind" }, el("option", { value: "" }, t("audit_all")), groups.map((group) => el("option", { value: group }, t(`audit_${group}`))));
  const inputs = {
    start: el("input", { name: "start", type: "datetime-local" }), end: el("input", { name: "end", type: "datetime-local" }), kind,
    user: el("input", { name: "user", autocomplete: "off" }), about: el("input", { name: "about", autocomplete: "off", list: "audit-tags" }),
    outcome: el("input", { name: "outcome", autocomplete: "off", list: "audit-outcomes" }),
  };
  const rows = el("tbody");
  const note = el("p", { class: "audit-note", role: "status" });
  const older = el("button", { type: "button", hidden: true, onclick: () => load(older.before) }, t("audit_older"));
  const copies = live.me.role === "viewer" ? [] : ["csv", "json"].map((form) => el("a", { class: "button", download: "" }, form.toUpperCase()));
  const search = () => {
    const asked = new URLSearchParams();
    for (const [name, input] of Object.entries(inputs)) {
      const value = input.value.trim();
      if (value) asked.set(name, input.type === "datetime-local" ? instantOf(value) : value);
    }
    return asked;
  };
  const load = async (before) => {
    const asked = search();
    copies.forEach((link, place) => { link.href = `/api/v1/audit/export?${asked}&format=${["csv", "json"][place]}`; });
    if (before) asked.set("before", before);
    try {
      const page = await call("GET", `/audit/records?${asked}`);
      if (!before) rows.replaceChildren();
      rows.append(...page.records.flatMap(recordRows));
      older.before = page.older;
      older.hidden = page.older === null;
      note.textContent = rows.children.length ? "" : t(page.older === null ? "audit_none" : "audit_none_yet");
    } catch (error) {
      note.textContent = pick(error.problem?.words) || error.message;
    }
  };
  const filter = el("form", { class: "audit-filter", onsubmit: (event) => { event.preventDefault(); load(); } },
    Object.entries(inputs).map(([name, input]) => el("label", {}, t(`audit_${name}`), input)),
    el("button", { class: "primary" }, t("audit_show")));
  const head = el("tr", {}, ["when", "what", "who", "subject", "change", "result", "reason"].map((name) => el("th", { scope: "col" }, t(`audit_${name}`))));
  const box = el("dialog", { class: "audit", "aria-label": t("audit") },
    el("header", {}, el("h2", {}, t("audit")), el("span", { class: "space" }), copies, el("button", { type: "button", class: "quiet", onclick: () => box.close() }, t("close"))),
    filter, el("div", { class: "audit-rows" }, el("table", {}, el("thead", {}, head), rows), note, older),
    el("datalist", { id: "audit-tags" }, [...live.points.keys()].map((tag) => el("option", { value: tag }))),
    el("datalist", { id: "audit-outcomes" }, ["verified", "acknowledged", "differs", "changed_before", "refused", "not_sent", "unknown"].map((one) => el("option", { value: one }))));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return load();
}

function recordRows({ seq, at, kind, subject, body }) {
  const whole = el("tr", { class: "audit-whole", hidden: true }, el("td", { colSpan: 7 }, el("pre", {}, JSON.stringify({ seq, kind, subject, ...body }, null, 1))));
  const toggle = () => { whole.hidden = !whole.hidden; };
  const button = el("button", { class: "plain", type: "button", title: t("audit_whole"), onclick: toggle }, momentText(at));
  const who = [body.by || body.user || "", ...listed(body.confirmed_by), body.rejected_by].filter(Boolean).join(" → ");
  return [
    el("tr", { "data-kind": kind, "data-seq": seq }, el("td", { class: "number" }, button), el("td", {}, kindText(kind)), el("td", {}, who), el("td", {}, tagsOf(body) || subject),
      el("td", { class: "number" }, changeOf(body)), el("td", {}, resultOf(body)), el("td", {}, body.reason || "")),
    whole,
  ];
}

function kindText(kind) {
  return t(`kind_${kind}`).replace(/^kind /, "");
}

const listed = (value) => (Array.isArray(value) ? value : value ? [value] : []);
const tagsOf = (body) => body.tag || [...listed(body.writes).map((write) => write.tag), ...listed(body.changes).map((change) => `${change.point} ${change.key}`)].join(", ");

function changeOf(body) {
  const rows = body.writes || (body.new === undefined ? listed(body.changes) : [body]);
  return rows.map((row) => `${numberText(row.old, null)} → ${numberText(row.new, null)} ${unitText(row.unit ?? "")}`.trim()).join(", ");
}

function resultOf(body) {
  const outcome = body.outcome ? t(`outcome_${body.outcome}`).replace(/^outcome /, "") : "";
  return [outcome, body.code, listed(body.codes).join(" "), body.role, body.scope, body.address].filter(Boolean).join(" · ");
}
