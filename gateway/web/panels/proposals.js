// Proposals that wait for a person, and the card by which one is confirmed. A card is drawn from the gateway's record only.

import { call } from "/static/api.js";
import { el, replace } from "/static/dom.js";
import { numberText, unitText } from "/static/format.js";
import { pick, t } from "/static/i18n.js";

export function proposalsPanel(live) {
  const title = el("span");
  const list = el("div");
  const section = el("section", { class: "panel" }, el("h2", {}, title), list);
  const cards = new Map();
  const draw = () => {
    title.textContent = t("open_proposals");
    const open = [...live.proposals.values()].filter((proposal) => proposal.state === "PENDING" && left(proposal) > 0);
    section.hidden = open.length === 0;
    for (const id of [...cards.keys()]) if (!open.some((proposal) => proposal.id === id)) cards.delete(id);
    for (const proposal of open) if (!cards.has(proposal.id)) cards.set(proposal.id, proposalCard(live, proposal.id));
    replace(list, open.map((proposal) => cards.get(proposal.id)));
  };
  live.on(["proposals"], draw);
  live.addEventListener("tick", () => { if (cards.size) draw(); });
  return section;
}

export function proposalCard(live, id) {
  const card = el("article", { class: "card", "data-proposal": id });
  const view = {
    error: "", busy: false, repeat: el("input", { class: "repeat", autocomplete: "off" }),
    timer: el("span", { class: "left number" }), draw: () => drawCard(card, live, id, view),
  };
  live.on(["proposals"], view.draw);
  live.addEventListener("tick", () => tick(live, id, view));
  return card;
}

const left = (proposal) => Math.ceil(proposal.expires_s - (performance.now() - (proposal.taken ?? performance.now())) / 1000);

function tick(live, id, view) {
  const proposal = live.proposals.get(id);
  if (!proposal || proposal.state !== "PENDING") return;
  const seconds = left(proposal);
  view.timer.textContent = seconds > 0 ? t("expires", { n: seconds }) : t("expired");
  if (seconds <= 0 && !view.busy) { view.busy = true; view.draw(); }
}

function drawCard(card, live, id, view) {
  const proposal = live.proposals.get(id);
  if (!proposal) return;
  const pending = proposal.state === "PENDING";
  const failed = (proposal.outcomes || []).some((each) => ["differs", "unknown", "refused"].includes(each.outcome));
  card.className = `card${pending ? "" : " ended"}${failed ? " failed" : ""}`;
  replace(card,
    el("h3", {}, t(proposal.kind === "ack" ? "acknowledge_alarm" : "change"), pending ? view.timer : null),
    proposal.kind === "ack" ? el("div", { class: "change" }, el("span", { class: "what" }, pick(proposal.alarm_text) || proposal.alarm, el("small", {}, proposal.alarm))) : null,
    proposal.writes.map((write) => el("div", { class: "change" },
      el("span", { class: "what" }, el("b", {}, pick(write.device_title)), ` ${pick(write.title) || write.tag}`, el("small", {}, write.tag)),
      el("span", { class: "move number" }, `${show(write, write.old, write.old_text)} → `, el("span", { class: "new" }, show(write, write.new, write.new_text))))),
    el("div", { class: "facts" }, [t("proposed_by", { who: proposal.proposer }), proposal.reason ? t("reason", { why: proposal.reason }) : "",
      proposal.approvals_needed > 1 ? t("needs_two", { n: proposal.approved_by.length }) : "", ...(proposal.notes || []).map(pick)].filter(Boolean).join(" · ")),
    pending ? buttons(live, proposal, view) : null,
    outcomes(proposal),
    view.error ? el("p", { class: "error", role: "alert" }, view.error) : null);
  tick(live, id, view);
}

function buttons(live, proposal, view) {
  const repeat = proposal.confirm === "two_step";
  view.repeat.placeholder = t("repeat");
  const confirm = async () => {
    await act(view, () => call("POST", `/proposals/${proposal.id}/confirm`, { nonce: proposal.nonce, ...(repeat ? { repeat: view.repeat.value.trim() } : {}) }), live);
  };
  const reject = () => act(view, () => call("POST", `/proposals/${proposal.id}/reject`, { reason: "" }), live);
  return el("div", { class: "buttons" }, repeat ? view.repeat : null,
    el("button", { class: "primary confirm", onclick: confirm, disabled: view.busy }, view.busy ? t("writing") : t("confirm")),
    el("button", { class: "reject", onclick: reject, disabled: view.busy }, t("reject")));
}

async function act(view, send, live) {
  view.busy = true;
  view.error = "";
  view.draw();
  try {
    const answer = await send();
    if (answer?.proposal) live.takeProposal(answer.proposal);
  } catch (error) {
    view.error = pick(error.problem?.words) || error.message;
    if (error.problem?.proposal) live.takeProposal(error.problem.proposal);
  } finally {
    view.busy = false;
    view.draw();
  }
}

function outcomes(proposal) {
  if (proposal.state === "EXPIRED") return el("div", { class: "outcome" }, t("expired"));
  if (proposal.state === "REJECTED") return el("div", { class: "outcome" }, t("rejected", { who: proposal.finished_by }));
  if (proposal.state === "EXECUTED" && proposal.kind === "ack") return el("div", { class: "outcome" }, t("acked"));
  return (proposal.outcomes || []).map((each) => {
    const write = proposal.writes.find((one) => one.tag === each.tag) || {};
    const why = pick(each.message) || each.code;
    return el("div", { class: "outcome", "data-outcome": each.outcome }, t(each.outcome, { value: show(write, each.read_back, each.read_back_text), why }));
  });
}

function show(write, value, words) {
  if (value === null || value === undefined) return "—";
  const label = pick(words);
  return label || `${numberText(value, write.decimals)}${write.unit ? ` ${unitText(write.unit)}` : ""}`;
}
