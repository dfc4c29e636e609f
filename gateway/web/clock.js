// Times as the plant's clocks show them, wherever the browser stands: the assistant's answers say them so, too.

import { language } from "/static/i18n.js";

let zone;
const DAY = { year: "numeric", month: "2-digit", day: "2-digit" };
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const shown = (at, how) => (at ? new Intl.DateTimeFormat(language() === "zh" ? "zh-CN" : "en-GB", { timeZone: zone, ...how }).format(new Date(at)) : "");

export function useZone(name) {
  zone = name || undefined;
}

export const zoneName = () => zone ?? "";
export const momentText = (at) => shown(at, { ...DAY, ...TIME, second: "2-digit" });
export const dayText = (at) => shown(at, DAY);

// The time alone, if it is today's.
export const timeText = (at) => shown(at, dayText(at) === dayText(Date.now()) ? TIME : { ...DAY, ...TIME });

// The instant that a person typed as plant time (YYYY-MM-DDTHH:MM).
export function instantOf(typed) {
  const wall = Date.parse(`${typed}Z`);
  const near = wall - offsetAt(wall);
  return new Date(wall - offsetAt(near)).toISOString();
}

function offsetAt(instant) {
  const how = { timeZone: zone, ...DAY, ...TIME, second: "2-digit" };
  const part = Object.fromEntries(new Intl.DateTimeFormat("en-GB", how).formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - instant;
}
