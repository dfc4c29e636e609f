// Who is at the console.

import { call } from "/static/api.js";
import { el } from "/static/dom.js";
import { t } from "/static/i18n.js";

export function loginPanel(onSignedIn) {
  const error = el("div", { class: "error", role: "alert" });
  const user = el("input", { name: "user", autocomplete: "username", required: true });
  const password = el("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
  const button = el("button", { class: "primary", type: "submit" }, t("sign_in"));
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    error.textContent = "";
    try {
      onSignedIn(await call("POST", "/login", { user: user.value.trim(), password: password.value }));
    } catch (failure) {
      error.textContent = failure.message;
      password.value = "";
      password.focus();
    } finally {
      button.disabled = false;
    }
  };
  const form = el("form", { class: "login", onsubmit: submit },
    el("h1", {}, "Busmate"), el("label", {}, t("user"), user), el("label", {}, t("password"), password), error, button);
  queueMicrotask(() => user.focus());
  return form;
}
