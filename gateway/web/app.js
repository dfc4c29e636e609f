// Starts the page: session, header, the side panels, and the chat where the assistant is present.

import { ApiError, call, setCsrf } from "/static/api.js";
import { el, replace } from "/static/dom.js";
import { language, pick, setLanguage } from "/static/i18n.js";
import { Live } from "/static/live.js";
import { loginPanel } from "/static/panels/login.js";
import { headerPanel } from "/static/panels/header.js";
import { valuesPanel } from "/static/panels/values.js";
import { alarmsPanel } from "/static/panels/alarms.js";
import { proposalsPanel } from "/static/panels/proposals.js";
import { proceduresPanel } from "/static/panels/procedures.js";

const root = document.getElementById("app");
let live = null;

async function start() {
  setLanguage(language());
  try {
    await open(await call("GET", "/me"));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) signIn();
    else replace(root, el("p", { class: "login" }, error.message));
  }
}

function signIn() {
  live?.close();
  live = null;
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  replace(root, loginPanel((me) => open(me)));
}

async function open(me) {
  setCsrf(me.csrf);
  live?.close();
  live = new Live(me);
  await live.load();
  document.title = pick(me.site) || "Busmate";
  const side = el("aside", { class: "side" }, alarmsPanel(live), proposalsPanel(live), proceduresPanel(live), valuesPanel(live));
  const columns = el("main", { class: "columns" }, side);
  replace(root, headerPanel(live, signOut), columns);
  const joined = () => joinChat(columns, live);
  live.addEventListener("features", joined);
  await joined();
  live.listen();
}

// The chat's code is the assistant's: it joins when the assistant does, which may be seconds after the page.
async function joinChat(columns, plant) {
  const present = plant.me.features.includes("chat");
  columns.classList.toggle("no-chat", !present);
  if (!present || columns.querySelector(".chat-column")) return;
  const { chatPanel } = await import("/assistant/chat.js");
  if (!columns.querySelector(".chat-column")) columns.prepend(chatPanel(plant));
}

async function signOut() {
  await call("POST", "/logout").catch(() => null);
  setCsrf("");
  signIn();
}

document.addEventListener("signed-out", () => { if (live) signIn(); });
document.addEventListener("language", () => { document.title = live ? pick(live.me.site) : "Busmate"; });
start();
