// The chat: questions, streamed steps folded away, the grounded answer with its values, sources and cards.

import { call, stream } from "/static/api.js";
import { el, replace } from "/static/dom.js";
import { ageText, numberText, labelText, qualityClass, unitText } from "/static/format.js";
import { language, pick, t } from "/static/i18n.js";
import { proposalCard } from "/static/panels/card.js";
import { openPage } from "/assistant/citation.js";

const EXAMPLES = {
  en: ["What is the discharge pressure?", "Set pump 1 to 47 Hz", "P-102 shows F07, what now?", "List the active alarms, worst first."],
  zh: ["1号泵现在多少赫兹？", "1号泵频率设到47Hz", "2号泵报F07，怎么办？", "现在有哪些报警没有确认？"],
};

export function chatPanel(live) {
  const state = { conversation: null, running: null };
  const log = el("div", { class: "log", role: "log" });
  const input = el("textarea", { rows: "2", maxlength: "2000", "aria-label": t("ask") });
  const send = el("button", { class: "primary send", type: "submit" });
  const fresh = el("button", { class: "quiet", type: "button" });
  const form = el("form", { class: "ask" }, input, el("div", { class: "ask-buttons" }, send, fresh));
  const draw = () => {
    input.placeholder = t("ask");
    send.textContent = state.running ? t("stop") : t("send");
    fresh.textContent = t("new_chat");
    if (!log.querySelector(".turn")) replace(log, welcome((text) => { input.value = text; form.requestSubmit(); }));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (state.running) { stop(state); return; }
    const text = input.value.trim();
    if (!text) return;
    input.value = "";
    ask(live, state, log, text).finally(() => { draw(); input.focus(); });
    draw();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); if (!state.running) form.requestSubmit(); }
  });
  fresh.addEventListener("click", () => { if (!state.running) { state.conversation = null; replace(log); draw(); input.focus(); } });
  document.addEventListener("language", draw);
  draw();
  const sheet = el("link", { rel: "stylesheet", href: "/assistant/chat.css" });
  return el("section", { class: "chat-column" }, sheet, log, form);
}

function welcome(use) {
  return el("div", { class: "welcome" }, el("p", {}, t("examples")),
    EXAMPLES[language()].map((text) => el("button", { type: "button", onclick: () => use(text) }, text)));
}

async function stop(state) {
  if (state.conversation) await call("POST", `/chats/${state.conversation}/stop`).catch(() => null);
  state.running?.abort();
}

async function ask(live, state, log, text) {
  log.querySelector(".welcome")?.remove();
  const turn = el("article", { class: "turn" }, el("div", { class: "question" }, text));
  const steps = el("ol", { class: "steps-list" });
  const summary = el("summary", {}, t("thinking"));
  const fold = el("details", { class: "steps" }, summary, steps);
  const answer = el("div", { class: "answer" });
  turn.append(fold, answer);
  log.append(turn);
  const scroll = () => { log.scrollTop = log.scrollHeight; };
  scroll();
  state.running = new AbortController();
  let draft = "";
  try {
    await stream("/chat", { text, conversation: state.conversation }, (name, data) => {
      if (name === "step") { if (data.conversation) state.conversation = data.conversation; if (data.thought) steps.append(el("li", { class: "thought" }, data.thought)); }
      else if (name === "tool") steps.append(toolStep(data));
      else if (name === "token") { draft += data.text; answer.textContent = draft; }
      else if (name === "proposal") { live.takeProposal(data); turn.append(proposalCard(live, data.id)); }
      else if (name === "answer") { state.conversation = data.conversation || state.conversation; drawAnswer(live, answer, data); }
      else if (name === "error") replace(answer, el("p", { class: "failed" }, t("failed", { why: pick(data.words) || data.message })));
      scroll();
    }, state.running.signal);
  } catch (error) {
    if (error.name !== "AbortError") replace(answer, el("p", { class: "failed" }, t("failed", { why: error.message })));
  } finally {
    state.running = null;
    const number = steps.querySelectorAll(".tool").length;
    summary.textContent = t("steps", { n: number });
    fold.hidden = steps.childElementCount === 0;
  }
}

function toolStep(data) {
  const args = Object.entries(data.args || {}).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
  return el("li", { class: "tool" }, el("code", {}, `${data.name}(${args})`), data.observation ? el("pre", {}, data.observation) : null);
}

function drawAnswer(live, box, data) {
  const values = (data.values || []).map((sample) => valueChip(sample));
  const sources = (data.citations || []).map((cited) => el("button", { class: "source", type: "button", onclick: () => openPage(cited) },
    `${cited.doc} ${t("page", { n: cited.page })}`));
  replace(box,
    data.text.split(/\n+/).map((line) => el("p", {}, line)),
    data.grounded === false ? el("p", { class: "note" }, t("ungrounded")) : null,
    values.length ? el("div", { class: "chips" }, values) : null,
    sources.length ? el("div", { class: "sources" }, `${t("sources")}: `, sources) : null);
}

function valueChip(sample) {
  const words = labelText(sample);
  const shown = sample.value === null ? "—" : words || `${numberText(sample.value, sample.decimals)} ${unitText(sample.unit)}`.trim();
  const state = [sample.quality === "GOOD" ? t("good") : t(sample.reason || sample.quality), ageText(sample.age_s)].filter(Boolean).join(" · ");
  return el("span", { class: `chip ${qualityClass(sample.quality)}`, title: sample.tag },
    el("small", {}, pick(sample.title) || sample.tag), el("b", { class: "number" }, shown), el("small", { class: "quality" }, state));
}
