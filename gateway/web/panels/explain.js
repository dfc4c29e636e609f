// "Explain this value": map line, addresses, frames, words, every decode step and the other orders, for one point.

import { call } from "/static/api.js";
import { el, replace } from "/static/dom.js";
import { ageText, numberText, unitText } from "/static/format.js";
import { pick, t } from "/static/i18n.js";

export function explainDialog(tag) {
  const body = el("div", { class: "explain-body" });
  const words = el("input", { class: "explain-words", "aria-label": t("explain_words"), placeholder: t("explain_words"), spellcheck: "false" });
  const close = el("button", { type: "button", class: "quiet", onclick: () => box.close() }, t("close"));
  const ask = el("form", { class: "explain-ask", onsubmit: (event) => { event.preventDefault(); load(); } },
    words, el("button", {}, t("explain_these")), close);
  const box = el("dialog", { class: "explain", "data-tag": tag, "aria-label": t("explain_title", { tag }) }, body, ask);
  let shown = null;
  const draw = () => { if (shown) replace(body, content(shown)); };
  const load = async () => {
    const typed = words.value.trim();
    try {
      shown = await call("GET", `/points/${encodeURIComponent(tag)}/explain${typed ? `?words=${encodeURIComponent(typed)}` : ""}`);
      draw();
    } catch (error) {
      replace(body, el("p", { class: "error" }, pick(error.problem?.words) || error.message));
    }
  };
  document.addEventListener("language", draw);
  box.addEventListener("close", () => { document.removeEventListener("language", draw); box.remove(); });
  document.body.append(box);
  box.showModal();
  return load();
}

function content(one) {
  const { map, address, wire } = one;
  const proof = [map.page && t("page", { n: map.page }), map.section, map.source, map.confidence].filter(Boolean).join(" · ");
  const functions = [wire.read_function && t("explain_reads", { n: wire.read_function }), ...wire.write_functions.map((n) => t("explain_writes", { n }))];
  return [
    el("h2", {}, `${pick(one.title) || one.tag} · ${one.tag}`),
    el("p", { class: `explain-value ${one.quality.toLowerCase()}` }, valueText(one)),
    facts([
      [t("explain_map"), `${map.file}:${map.line}${proof ? ` (${proof})` : ""}`],
      [t("explain_written"), `${address.notation}: ${address.written}${address.base ? ` + ${address.base}` : ""}`],
      [t("explain_address"), t("explain_forms", { table: address.table, pdu: address.pdu, reg: address.reg, ref: [address.ref5, address.ref6].filter(Boolean).join(" / ") })],
      [t("explain_wire"), [wire.link, wire.framing, t("explain_unit", { n: wire.unit_id }), ...functions].filter(Boolean).join(" · ")],
      [t("explain_request"), el("code", {}, wire.request || "—")],
      [t("explain_reply"), el("code", {}, wire.reply || "—")],
      [t("explain_registers"), el("code", {}, one.words.join(" ") || "—")],
      [t("explain_device"), one.health ? [t(one.health.state), pick(one.health.advice)].filter(Boolean).join(" · ") : ""],
      [t("explain_note"), map.note],
    ]),
    table("explain-steps", one.steps.map((step) => el("tr", { "data-step": step.name }, el("td", {}, pick(step.text)), el("td", { class: "number" }, step.result)))),
    table("explain-orders", one.orders.map((each) => el("tr", { class: each.mark, "data-used": String(each.is_used) },
      el("td", {}, each.orders.join(" ")), el("td", { class: "number" }, numberText(each.value, null)),
      el("td", {}, t(`explain_${each.mark}`)), el("td", {}, pick(each.why)), el("td", {}, each.is_used ? t("explain_used") : "")))),
  ];
}

function valueText(one) {
  const words = pick(one.label);
  const value = words ? `${numberText(one.value, one.decimals)} = ${words}` : numberText(one.value, one.decimals);
  const state = one.reason ? t(one.reason) : t("good");
  return [`${value} ${unitText(one.unit)}`.trim(), state, one.is_typed ? t("explain_typed") : ageText(one.age_s)].filter(Boolean).join(" · ");
}

function facts(rows) {
  return el("dl", { class: "explain-facts" }, rows.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function table(name, rows) {
  return rows.length ? el("table", { class: name }, el("tbody", {}, rows)) : null;
}
