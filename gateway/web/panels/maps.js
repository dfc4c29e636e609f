// The register maps, for engineers: what waits for a second one, all maps, and the one being edited.

import { call } from "/static/api.js";
import { el, replace } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { drawWaiting, problemText } from "/static/panels/map_changes.js";
import { hasDraft, mapEditor } from "/static/panels/map_editor.js";

export const mayEditMaps = (live) => ["engineer", "admin"].includes(live.me.role);

export function mapsDialog(live) {
  const waiting = el("div", { class: "map-waiting" });
  const list = el("ul", { class: "map-list" });
  const place = el("div", { class: "map-place" }, el("p", { class: "map-note" }, t("map_choose")));
  const note = el("p", { class: "map-note", role: "status" });
  let maps = [];
  let chosen = "";
  const told = async (work) => {
    try {
      await work();
    } catch (error) {
      note.textContent = problemText(error);
    }
  };
  const drawList = () => replace(list, maps.map((one) => row(one, chosen, () => told(() => choose(one.id)))));
  const choose = async (id) => {
    chosen = id;
    const found = await call("GET", `/maps/${encodeURIComponent(id)}`);
    replace(place, mapEditor(found, changed));
    drawList();
  };
  const load = async () => {
    const used = (one) => one.devices.length > 0;
    maps = (await call("GET", "/maps")).sort((one, other) => used(other) - used(one));
    drawList();
  };
  const changed = ({ onlyList = false, note: words = "" } = {}) => told(async () => {
    if (onlyList) { drawList(); return; }
    note.textContent = words;
    await Promise.all([load(), choose(chosen), showWaiting()]);
  });
  const refresh = () => told(() => Promise.all([load(), showWaiting(), chosen && !hasDraft(chosen) ? choose(chosen) : null]));
  const ended = (change) => {
    note.textContent = t(`map_${change.state}`);
    return refresh();
  };
  const showWaiting = () => drawWaiting(live, waiting, ended);
  const reload = () => told(async () => {
    const change = await call("POST", "/maps/reload", {});
    note.textContent = t(change.state === "unchanged" ? "map_nothing_new" : `map_${change.state}`);
    await Promise.all([load(), showWaiting()]);
  });
  const box = el("dialog", { class: "maps", "aria-label": t("maps") },
    el("header", {}, el("h2", {}, t("maps")), note, el("span", { class: "space" }),
      el("button", { type: "button", class: "reload", onclick: reload }, t("map_reload")),
      el("button", { type: "button", class: "quiet", onclick: () => box.close() }, t("close"))),
    el("div", { class: "map-columns" },
      el("nav", { "aria-label": t("maps") }, list),
      el("div", { class: "map-main" }, el("h3", {}, t("map_waiting")), waiting, place)));
  live.addEventListener("map_changes", refresh);
  box.addEventListener("close", () => { live.removeEventListener("map_changes", refresh); box.remove(); });
  document.body.append(box);
  box.showModal();
  return told(() => Promise.all([load(), showWaiting()]));
}

// The button of the header: how many changes wait stands on it.
export function mapsButton(live) {
  const button = el("button", { class: "quiet maps-open", onclick: () => mapsDialog(live) });
  const count = async () => {
    const waiting = await call("GET", "/maps/changes").catch(() => []);
    button.textContent = waiting.length ? t("maps_waiting", { n: waiting.length }) : t("maps");
  };
  live.on(["map_changes"], count);
  return button;
}

function row(one, chosen, choose) {
  const users = one.devices.length ? t("map_used_by", { who: one.devices.join(", ") }) : t("map_unused");
  const facts = [users, t(one.is_shipped ? "map_ships" : "map_own"), hasDraft(one.id) ? t("map_draft") : ""].filter(Boolean).join(" · ");
  return el("li", { "data-map": one.id }, el("button", { type: "button", "aria-current": one.id === chosen ? "true" : null, onclick: choose }, el("b", {}, one.id), el("small", {}, facts)));
}
