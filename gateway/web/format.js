// How values, ages and units are shown. Numbers keep the decimals of their point; floats show seven digits.

import { pick, t } from "/static/i18n.js";

const UNITS = { degC: "°C", degF: "°F", m3: "m³", "m3/h": "m³/h", "": "" };
export const unitText = (unit) => UNITS[unit] ?? unit;

export function numberText(value, decimals) {
  if (value === null || value === undefined) return "—";
  if (typeof value !== "number") return String(value);
  if (decimals !== null && decimals !== undefined) return value.toFixed(decimals);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(7)));
}

// The words of an enum, the set flags or the fields of a word, in the page's language.
export const labelText = (sample) => pick(sample.label_text);

export function valueText(sample) {
  if (sample.value === null || sample.value === undefined) return "—";
  return labelText(sample) || numberText(sample.value, sample.decimals);
}

export function ageText(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 90) return t("age_s", { n: seconds < 10 ? seconds.toFixed(1) : Math.round(seconds) });
  if (seconds < 5400) return t("age_min", { n: Math.round(seconds / 60) });
  return t("age_h", { n: (seconds / 3600).toFixed(1) });
}

export const qualityClass = (quality) => (quality === "GOOD" ? "good" : quality === "UNCERTAIN" ? "uncertain" : "bad");
