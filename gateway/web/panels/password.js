// The password once more, for what two persons sign and for accounts; and a new password of one's own.

import { call } from "/static/api.js";
import { el } from "/static/dom.js";
import { pick, t } from "/static/i18n.js";

// True if the right password was given, false if the person closed the dialog.
export function askPassword() {
  return passwordDialog(t("password_again"), [{ name: "password", words: t("password"), autocomplete: "current-password" }],
    ([password]) => call("POST", "/me/proof", { password }), { again: true });
}

export async function changeOwnPassword() {
  const changed = await passwordDialog(t("change_password"), [
    { name: "new", words: t("new_password"), autocomplete: "new-password" }, { name: "again", words: t("new_password_again"), autocomplete: "new-password" },
  ], ([password, again]) => {
    if (password !== again) throw new Error(t("passwords_differ"));
    return call("POST", "/me/password", { password });
  });
  if (changed) document.dispatchEvent(new CustomEvent("signed-out"));
}

// Asks for the fields and calls `send` with what was typed; stays open with the reason while `send` fails. With `again`, who has
// no password here may prove themselves at the identity provider instead; cards wait meanwhile.
export function passwordDialog(title, fields, send, { again = false } = {}) {
  const error = el("div", { class: "error", role: "alert" });
  const inputs = fields.map((field) => el("input", { name: field.name, type: "password", autocomplete: field.autocomplete, required: true }));
  const button = el("button", { class: "primary", type: "submit" }, t("go_on"));
  let isDone = false;
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    error.textContent = "";
    try {
      await send(inputs.map((input) => input.value));
      isDone = true;
      box.close();
    } catch (failure) {
      error.textContent = pick(failure.problem?.words) || failure.message;
      for (const input of inputs) input.value = "";
      inputs[0].focus();
    } finally {
      button.disabled = false;
    }
  };
  const form = el("form", { class: "login", onsubmit: submit }, el("h1", {}, title),
    fields.map((field, place) => el("label", {}, field.words, inputs[place])), error,
    el("div", { class: "buttons" }, button, el("button", { type: "button", onclick: () => box.close() }, t("cancel"))));
  const box = el("dialog", { class: "password", "aria-label": title }, form);
  call("GET", "/first-admin").then(({ provider }) => {
    if (provider && again) form.append(el("a", { class: "button provider", href: "/api/v1/oidc/login?again=true" }, t("sso", { provider })));
  }).catch(() => null);
  document.body.append(box);
  box.showModal();
  return new Promise((resolve) => {
    box.addEventListener("close", () => { box.remove(); resolve(isDone); });
  });
}
