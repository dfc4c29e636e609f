// Proposals that wait for a person, that run, and how the last ones ended.

import { el, replace } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { left, proposalCard } from "/static/panels/card.js";

const KEPT_MS = 15 * 60 * 1000;
const KEPT = 5;

export function proposalsPanel(live) {
  const title = el("span");
  const list = el("div", { class: "cards" });
  const section = el("section", { class: "panel proposals" }, el("h2", {}, title), list);
  const cards = new Map();
  const draw = () => {
    const shown = [...open(live), ...ended(live)];
    title.textContent = t("proposals");
    section.hidden = shown.length === 0;
    for (const id of [...cards.keys()]) if (!shown.some((proposal) => proposal.id === id)) cards.delete(id);
    for (const proposal of shown) if (!cards.has(proposal.id)) cards.set(proposal.id, proposalCard(live, proposal.id));
    const wanted = shown.map((proposal) => cards.get(proposal.id));
    if (wanted.length !== list.children.length || wanted.some((card, place) => list.children[place] !== card)) replace(list, wanted);
  };
  live.on(["proposals"], draw);
  live.addEventListener("tick", () => { if (cards.size) draw(); });
  return section;
}

const open = (live) => [...live.proposals.values()].filter((one) => one.state === "CONFIRMED" || (one.state === "PENDING" && left(one) > 0));

// The newest that ended, for a while: how a write ended must not vanish with the click that confirmed it.
function ended(live) {
  const since = Date.now() - KEPT_MS;
  const found = [...live.proposals.values()].filter((one) => !["PENDING", "CONFIRMED"].includes(one.state) && new Date(one.created_at).getTime() > since);
  return found.sort((one, other) => other.created_at.localeCompare(one.created_at)).slice(0, KEPT);
}
