// Accounts of people and tokens of programs, for admins. Every change asks for the admin's password of just now.

import { call } from "/static/api.js";
import { dayText } from "/static/clock.js";
import { el, replace } from "/static/dom.js";
import { pick, t } from "/static/i18n.js";
import { passwordDialog } from "/static/panels/password.js";

const ROLES = ["viewer", "operator", "engineer", "admin"];

export function accountsDialog(live) {
  const note = el("p", { class: "error", role: "alert" });
  const users = el("tbody");
  const tokens = el("tbody");
  const made = el("div", { class: "token-made", role: "status", hidden: true });
  const load = async () => {
    const [people, programs] = await Promise.all([call("GET", "/users"), call("GET", "/tokens")]);
    replace(users, people.map((user) => userRow(user, live.me.user, act)));
    replace(tokens, programs.map((token) => tokenRow(token, act)));
  };
  const act = async (method, path, body) => {
    note.textContent = "";
    try {
      const answer = await call(method, path, body);
      await load();
      return answer ?? true;
    } catch (error) {
      note.textContent = pick(error.problem?.words) || error.message;
      await load().catch(() => null);
      return null;
    }
  };
  const box = el("dialog", { class: "audit accounts", "aria-label": t("accounts") },
    el("header", {}, el("h2", {}, t("accounts")), el("span", { class: "space" }), el("button", { type: "button", class: "quiet", onclick: () => box.close() }, t("close"))),
    el("div", { class: "audit-rows" }, note,
      el("h3", {}, t("accounts_people")), el("table", { class: "people" }, users), newUser(act),
      el("h3", {}, t("accounts_programs")), el("p", { class: "audit-note" }, t("tokens_words")), el("table", { class: "programs" }, tokens), newToken(act, made), made));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return load().catch((error) => { note.textContent = pick(error.problem?.words) || error.message; });
}

function userRow(user, self, act) {
  const path = `/users/${encodeURIComponent(user.user)}`;
  const isSelf = user.user === self;
  const role = roleSelect(ROLES, user.role, { "aria-label": t("role"), disabled: isSelf, onchange: () => act("PATCH", path, { role: role.value }) });
  const newPassword = () => passwordDialog(`${t("new_password")}: ${user.user}`, [{ name: "new", words: t("new_password"), autocomplete: "new-password" }],
    async ([password]) => { if (!(await act("PATCH", path, { password }))) throw new Error(t("failed", { why: user.user })); });
  return el("tr", { "data-user": user.user, class: user.disabled ? "dim" : "" }, el("td", {}, user.user), el("td", {}, role), el("td", {}, user.disabled ? t("disabled") : ""),
    el("td", {}, el("button", { type: "button", disabled: isSelf, onclick: newPassword }, t("new_password")),
      el("button", { type: "button", disabled: isSelf, onclick: () => act("PATCH", path, { disabled: !user.disabled }) }, t(user.disabled ? "enable" : "disable"))));
}

function newUser(act) {
  const name = el("input", { name: "new-user", autocomplete: "off", required: true });
  const password = el("input", { name: "new-user-password", type: "password", autocomplete: "new-password", required: true, minLength: 8 });
  const role = roleSelect(ROLES, "operator", { name: "new-user-role" });
  const submit = async (event) => {
    event.preventDefault();
    if (await act("POST", "/users", { user: name.value.trim(), password: password.value, role: role.value })) event.target.reset();
  };
  return el("form", { class: "audit-filter", onsubmit: submit }, el("label", {}, t("user"), name), el("label", {}, t("password"), password), el("label", {}, t("role"), role), el("button", {}, t("add")));
}

function tokenRow(token, act) {
  const state = token.ended_by ? t("token_ended", { by: token.ended_by }) : t("token_until", { day: dayText(token.expires_at) });
  return el("tr", { "data-token": token.name, class: token.ended_by ? "dim" : "" }, el("td", {}, token.name), el("td", {}, `${t(`scope_${token.scope}`)} · ${t(`role_${token.role}`)}`),
    el("td", {}, state), el("td", {}, token.last_used_at ? t("token_used", { day: dayText(token.last_used_at) }) : t("token_unused")),
    el("td", {}, token.ended_by ? null : el("button", { type: "button", onclick: () => act("DELETE", `/tokens/${encodeURIComponent(token.name)}`) }, t("revoke"))));
}

function newToken(act, made) {
  const name = el("input", { name: "new-token", autocomplete: "off", required: true, pattern: "[a-z0-9][a-z0-9_.-]*" });
  const scope = el("select", { name: "new-token-scope" }, ["read", "propose"].map((one) => el("option", { value: one }, t(`scope_${one}`))));
  const role = roleSelect(ROLES.slice(0, 3), "viewer", { name: "new-token-role" });
  const days = el("input", { name: "new-token-days", type: "number", min: "1", max: "365", value: "90", required: true });
  const submit = async (event) => {
    event.preventDefault();
    const answer = await act("POST", "/tokens", { name: name.value.trim(), scope: scope.value, role: role.value, days: Number(days.value) });
    if (!answer) return;
    made.hidden = false;
    replace(made, t("token_once"), el("code", {}, answer.token));
    event.target.reset();
  };
  return el("form", { class: "audit-filter", onsubmit: submit }, el("label", {}, t("token_name"), name), el("label", {}, t("scope"), scope), el("label", {}, t("role"), role),
    el("label", {}, t("days"), days), el("button", {}, t("token_make")));
}

function roleSelect(roles, chosen, attributes) {
  const select = el("select", attributes, roles.map((role) => el("option", { value: role }, t(`role_${role}`))));
  select.value = chosen;
  return select;
}
