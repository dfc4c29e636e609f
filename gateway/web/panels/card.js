// The card by which a proposal is confirmed, and on which its end is told. Drawn from the gateway's record only.

import { call } from "/static/api.js";
import { el, replace } from "/static/dom.js";
import { numberText, unitText } from "/static/format.js";
import { language, pick, t } from "/static/i18n.js";

const FAILED = ["differs", "unknown", "refused", "not_met", "changed_before"];
// Outcomes whose message says more than their name: what the value is now, or what held a step back.
const TOLD = ["changed_before", "not_sent"];
const TOUCHED = ["verified", "differs", "acknowledged", "unknown"];

export function proposalCard(live, id) {
  const card = el("article", { class: "card", "data-proposal": id });
  const view = {
    error: "", busy: false, rejecting: false, repeat: el("input", { class: "repeat", autocomplete: "off" }), why: el("input", { class: "why", autocomplete: "off", maxLength: 500 }),
    timer: el("span", { class: "left number" }), draw: () => drawCard(card, live, id, view),
  };
  live.on(["proposals"], view.draw);
  live.addEventListener("tick", () => tick(live, id, view));
  return card;
}

// Seconds a proposal has left, by the server's word and the time since it was said.
export const left = (proposal) => Math.ceil(proposal.expires_s - (performance.now() - (proposal.taken ?? performance.now())) / 1000);

function tick(live, id, view) {
  const proposal = live.proposals.get(id);
  if (!proposal || proposal.state !== "PENDING") return;
  const seconds = left(proposal);
  view.timer.textContent = seconds > 0 ? t("expires", { n: seconds }) : t("expired");
  if (seconds <= 0 && !view.busy) { view.busy = true; view.draw(); }
}

function drawCard(card, live, id, view) {
  const proposal = live.proposals.get(id);
  if (!proposal || !isNew(proposal, view)) return;
  const pending = proposal.state === "PENDING";
  const failed = proposal.outcomes.some((each) => FAILED.includes(each.outcome));
  card.className = `card${pending ? "" : " ended"}${failed ? " failed" : ""}`;
  replace(card,
    el("h3", {}, heading(proposal), pending ? view.timer : proposal.state === "CONFIRMED" ? el("span", { class: "left" }, t("running")) : null),
    body(proposal),
    el("div", { class: "facts" }, facts(proposal).filter(Boolean).join(" · ")),
    pending ? buttons(live, proposal, view) : null,
    ending(proposal),
    proposal.kind === "procedure" && proposal.state === "CONFIRMED" && live.me.role !== "viewer" ? stopButton(live, proposal, view) : null,
    isOvertaken(proposal) ? el("div", { class: "buttons" }, el("button", { class: "again", disabled: view.busy, onclick: () => again(live, proposal, view) }, t("again"))) : null,
    canUndo(live, proposal) ? el("div", { class: "buttons" }, el("button", { class: "undo", disabled: view.busy, onclick: () => undo(live, proposal, view) }, t("undo"))) : null,
    view.error ? el("p", { class: "error", role: "alert" }, view.error) : null);
  tick(live, id, view);
}

// True if something shown has changed since the last drawing: an input that is being typed into is left alone.
function isNew(proposal, view) {
  const seen = JSON.stringify([{ ...proposal, taken: 0, expires_s: 0 }, view.error, view.busy, view.rejecting, language()]);
  if (view.seen === seen) return false;
  view.seen = seen;
  return true;
}

function heading(proposal) {
  if (proposal.kind === "ack") return t("acknowledge_alarm");
  if (proposal.kind !== "procedure") return t("change");
  return `${t("procedure")}: ${pick(proposal.title)} — ${pick(proposal.writes[0]?.device_title)}`;
}

function body(proposal) {
  if (proposal.kind === "ack") return el("div", { class: "change" }, el("span", { class: "what" }, pick(proposal.alarm_text) || proposal.alarm, el("small", {}, proposal.alarm)));
  if (proposal.kind !== "procedure") return proposal.writes.map(change);
  const ended = new Map(proposal.outcomes.map((each) => [each.step, each]));
  return el("ol", { class: "steps-of" }, proposal.steps.map((step, place) => el("li", { "data-step": String(place) },
    step.wait ? el("div", { class: "change" }, el("span", { class: "what" }, t("wait_until", { what: pick(step.wait_text), n: step.timeout_s }))) : change(step),
    ended.has(place) ? outcome(step, ended.get(place)) : null)));
}

function change(write) {
  return el("div", { class: "change" },
    el("span", { class: "what" }, el("b", {}, pick(write.device_title)), ` ${pick(write.title) || write.tag}`, el("small", {}, write.tag)),
    el("span", { class: "move number" }, `${show(write, write.old, write.old_text)} → `, el("span", { class: "new" }, show(write, write.new, write.new_text))));
}

function facts(proposal) {
  return [t("proposed_by", { who: proposal.proposer }), proposal.reason ? t("reason", { why: proposal.reason }) : "",
    proposal.approvals_needed > 1 ? t("needs_two", { n: proposal.approved_by.length }) : "", ...proposal.notes.map(pick)];
}

function buttons(live, proposal, view) {
  if (view.rejecting) return rejecting(live, proposal, view);
  const repeat = proposal.confirm === "two_step";
  view.repeat.placeholder = proposal.kind === "procedure" ? t("repeat_name", { name: pick(proposal.title) }) : t("repeat");
  view.repeat.classList.toggle("wide", proposal.kind === "procedure");
  const confirm = () => act(live, view, () => call("POST", `/proposals/${proposal.id}/confirm`, { nonce: proposal.nonce, ...(repeat ? { repeat: view.repeat.value.trim() } : {}) }));
  return el("div", { class: "buttons" }, repeat ? view.repeat : null,
    el("button", { class: "primary confirm", onclick: confirm, disabled: view.busy }, view.busy ? t("writing") : t("confirm")),
    el("button", { class: "reject", onclick: () => { view.rejecting = true; view.draw(); view.why.focus(); }, disabled: view.busy }, t("reject")));
}

function rejecting(live, proposal, view) {
  view.why.placeholder = t("why_not");
  const reject = () => act(live, view, () => call("POST", `/proposals/${proposal.id}/reject`, { reason: view.why.value.trim() }));
  return el("div", { class: "buttons" }, view.why, el("button", { class: "reject-now", onclick: reject, disabled: view.busy }, t("reject")),
    el("button", { class: "quiet", onclick: () => { view.rejecting = false; view.draw(); }, disabled: view.busy }, t("back")));
}

function stopButton(live, proposal, view) {
  const stop = async () => {
    view.error = "";
    try {
      await call("POST", `/proposals/${proposal.id}/stop`, {});
    } catch (error) {
      view.error = pick(error.problem?.words) || error.message;
    }
    view.draw();
  };
  return el("div", { class: "buttons" }, el("button", { class: "stop", onclick: stop }, t("stop_procedure")));
}

const undo = (live, proposal, view) => act(live, view, async () => ({ proposal: await call("POST", `/proposals/${proposal.id}/undo`, {}) }));

// Nothing was written because a value had changed: the same may be asked for anew, with the value of now on the card.
const isOvertaken = (proposal) => proposal.kind === "write" && proposal.outcomes.some((each) => each.outcome === "changed_before")
  && !proposal.outcomes.some((each) => TOUCHED.includes(each.outcome));

const again = (live, proposal, view) => act(live, view, async () => ({
  proposal: await call("POST", "/proposals", { writes: proposal.writes.map((write) => ({ tag: write.tag, value: write.new })), reason: proposal.reason }),
}));

function canUndo(live, proposal) {
  return proposal.state === "EXECUTED" && proposal.kind === "write" && live.me.role !== "viewer" && proposal.outcomes.some((each) => TOUCHED.includes(each.outcome));
}

async function act(live, view, send) {
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

function ending(proposal) {
  if (proposal.state === "EXPIRED") return el("div", { class: "outcome" }, t(proposal.why && proposal.why !== "time" ? `expired_${proposal.why}` : "expired"));
  if (proposal.state === "REJECTED") return el("div", { class: "outcome" }, proposal.why ? t("rejected_why", { who: proposal.finished_by, why: proposal.why }) : t("rejected", { who: proposal.finished_by }));
  if (proposal.state === "EXECUTED" && proposal.kind === "ack") return el("div", { class: "outcome" }, t("acked"));
  if (proposal.kind === "procedure") return null;
  return proposal.outcomes.map((each) => outcome(proposal.writes[each.step] || {}, each));
}

function outcome(write, each) {
  const why = pick(each.message) || each.code;
  const value = write.wait ? why : show(write, each.read_back, each.read_back_text);
  const words = TOLD.includes(each.outcome) && why ? why : t(each.outcome, { value, why });
  return el("div", { class: `outcome${FAILED.includes(each.outcome) ? " bad" : ""}`, "data-outcome": each.outcome }, words);
}

function show(write, value, words) {
  if (value === null || value === undefined) return "—";
  const label = pick(words);
  return label || `${numberText(value, write.decimals)}${write.unit ? ` ${unitText(write.unit)}` : ""}`;
}
