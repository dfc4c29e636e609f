// Who is at the console; and the first account, with the code that the gateway printed.

import { call } from "/static/api.js";
import { el } from "/static/dom.js";
import { pick, t } from "/static/i18n.js";

export function loginPanel(onSignedIn) {
  const code = new URLSearchParams(location.hash.slice(1)).get("first");
  const holder = el("div", { class: "login-holder" });
  const show = (isFirst, provider) => {
    holder.replaceChildren(isFirst ? firstForm(code || "", onSignedIn) : signInForm(onSignedIn, provider));
    queueMicrotask(() => holder.querySelector(isFirst && !code ? "input[name=code]" : "input[name=user]").focus());
  };
  show(false);
  call("GET", "/first-admin").then((answer) => { if (answer.wanted || answer.provider) show(answer.wanted && (Boolean(code) || !answer.provider), answer.provider); }).catch(() => null);
  return holder;
}

function signInForm(onSignedIn, provider) {
  const user = el("input", { name: "user", autocomplete: "username", required: true });
  const password = el("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
  const send = () => call("POST", "/login", { user: user.value.trim(), password: password.value });
  const failed = new URLSearchParams(location.hash.slice(1)).get("sso");
  if (failed) history.replaceState(null, "", location.pathname);
  const made = form(t("sign_in"), failed ? t("sso_failed", { why: failed }) : "", [[t("user"), user], [t("password"), password]], send, onSignedIn);
  if (provider) made.append(el("a", { class: "button provider", href: "/api/v1/oidc/login" }, t("sso", { provider })));
  return made;
}

function firstForm(given, onSignedIn) {
  const code = el("input", { name: "code", autocomplete: "off", required: true, spellcheck: "false", value: given });
  const user = el("input", { name: "user", autocomplete: "username", required: true });
  const password = el("input", { name: "password", type: "password", autocomplete: "new-password", required: true, minLength: 8 });
  const send = async () => {
    const me = await call("POST", "/first-admin", { code: code.value.trim(), user: user.value.trim(), password: password.value });
    history.replaceState(null, "", location.pathname);
    return me;
  };
  return form(t("first_make"), t("first_words"), [[t("first_code"), code], [t("user"), user], [t("password"), password]], send, onSignedIn);
}

function form(action, words, fields, send, onSignedIn) {
  const error = el("div", { class: "error", role: "alert" });
  const button = el("button", { class: "primary", type: "submit" }, action);
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    error.textContent = "";
    try {
      onSignedIn(await send());
    } catch (failure) {
      error.textContent = pick(failure.problem?.words) || failure.message;
      const password = fields.at(-1)[1];
      password.value = "";
      password.focus();
    } finally {
      button.disabled = false;
    }
  };
  return el("form", { class: "login", onsubmit: submit }, el("h1", {}, "Busmate"), words ? el("p", {}, words) : null,
    fields.map(([label, input]) => el("label", {}, label, input)), error, button);
}
