// A text with its line numbers: lines that have findings are marked, and each finding leads to its line.

import { el, replace } from "/static/dom.js";
import { t } from "/static/i18n.js";

export function mapText(label, text, onInput) {
  const lines = el("div", { class: "map-lines number", "aria-hidden": "true" });
  const area = el("textarea", { class: "map-area", "aria-label": label, wrap: "off", spellcheck: "false", autocomplete: "off" });
  const findings = el("ul", { class: "map-findings", "aria-live": "polite" });
  let found = [];
  const number = () => replace(lines, ...numbers(area.value, new Map(found.map((one) => [one.line, one.kind]))));
  const goTo = (line) => {
    const before = area.value.split("\n").slice(0, line - 1).join("\n");
    const start = before.length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(start, start + (area.value.slice(start).split("\n", 1)[0] ?? "").length);
    area.scrollTop = Math.max(0, (line - 5) * lineHeight(area));
  };
  area.value = text;
  area.addEventListener("input", () => { number(); onInput(area.value); });
  area.addEventListener("scroll", () => { lines.scrollTop = area.scrollTop; });
  number();
  return {
    node: el("div", { class: "map-edit" }, el("div", { class: "map-paper" }, lines, area), findings),
    area,
    put(next) { area.value = next; found = []; number(); },
    show(errors, warnings) {
      found = [...errors.map((one) => ({ ...one, kind: "error" })), ...warnings.map((one) => ({ ...one, kind: "warning" }))];
      number();
      replace(findings, found.length ? found.map((one) => finding(one, goTo)) : el("li", { class: "map-note" }, t("map_no_findings")));
    },
  };
}

function finding(one, goTo) {
  const place = one.line ? t("map_line", { n: one.line }) : one.file;
  return el("li", { class: one.kind, "data-code": one.code, "data-line": String(one.line) },
    el("button", { type: "button", class: "plain", onclick: () => goTo(Math.max(one.line, 1)) }, `${place} · ${t(`map_${one.kind}`)}`),
    ` ${[one.path, one.message, one.fix].filter(Boolean).join(": ")} `, el("code", {}, one.code));
}

function numbers(text, marks) {
  const count = text.split("\n").length;
  const parts = [];
  let run = "";
  for (let line = 1; line <= count; line += 1) {
    const mark = marks.get(line);
    if (mark) {
      parts.push(run, el("span", { class: mark }, String(line)), "\n");
      run = "";
    } else {
      run += `${line}\n`;
    }
  }
  return [...parts, run];
}

const lineHeight = (area) => parseFloat(getComputedStyle(area).lineHeight);
