// The live values by device: value, unit, quality and age. Normal rows stay grey.

import { el, replace } from "/static/dom.js";
import { ageText, numberText, qualityClass, labelText, unitText } from "/static/format.js";
import { pick, t } from "/static/i18n.js";
import { explainDialog } from "/static/panels/explain.js";

export function valuesPanel(live) {
  const box = el("div", { class: "values-panel" });
  const rows = new Map();
  const draw = () => {
    rows.clear();
    replace(box, live.devices.map((device) => deviceTable(live, device, rows)));
    refresh();
  };
  const refresh = () => { for (const [tag, row] of rows) fill(row, live, tag); };
  live.on(["health"], draw);
  live.addEventListener("samples", refresh);
  live.addEventListener("tick", refresh);
  return box;
}

function deviceTable(live, device, rows) {
  const table = el("table", { class: "values" });
  for (const point of live.points.values()) {
    if (point.device !== device.id) continue;
    const cells = { value: el("span", { class: "number" }), unit: el("span", { class: "unit" }), state: el("td", { class: "state" }) };
    const name = el("button", { class: "plain", type: "button" }, pick(point.title) || point.tag);
    cells.row = el("tr", { title: point.tag, "data-tag": point.tag, onclick: () => explainDialog(point.tag) },
      el("td", { class: "name" }, name),
      el("td", { class: "value" }, cells.value, cells.unit), cells.state);
    rows.set(point.tag, cells);
    table.append(cells.row);
  }
  const state = device.health.state;
  return el("section", { class: "panel" },
    el("h2", {}, `${pick(device.title)} · ${device.id}`, el("span", { class: `device-state ${state}`, title: pick(device.health.advice) }, t(state))), table);
}

function fill(cells, live, tag) {
  const sample = live.samples.get(tag);
  if (!sample) return;
  const words = labelText(sample);
  const quality = live.connected ? sample.quality : "UNCERTAIN";
  cells.row.className = qualityClass(quality);
  const shown = sample.value === null ? "—" : words || numberText(sample.value, sample.decimals);
  if (cells.value.textContent !== shown) cells.value.textContent = shown;
  cells.row.title = `${tag}: ${shown} ${unitText(sample.unit)}`.trim();
  cells.unit.textContent = words ? "" : unitText(sample.unit);
  const reason = sample.reason ? t(sample.reason) : "";
  cells.state.textContent = [reason, ageText(live.age(sample))].filter(Boolean).join(" · ");
}
