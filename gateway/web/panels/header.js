// Site, alarm count, clock, language, who is signed in; banners for what must not be missed.

import { momentText, zoneName } from "/static/clock.js";
import { el, replace } from "/static/dom.js";
import { language, pick, setLanguage, t } from "/static/i18n.js";
import { accountsDialog } from "/static/panels/accounts.js";
import { auditDialog } from "/static/panels/audit.js";
import { lockoutsDialog, scopeText } from "/static/panels/lockouts.js";
import { mapsButton, mayEditMaps } from "/static/panels/maps.js";
import { changeOwnPassword } from "/static/panels/password.js";

export function headerPanel(live, signOut) {
  const bar = el("header", { class: "bar" });
  const banner = el("div", { class: "banner", role: "alert", hidden: true });
  const clock = el("span", { class: "clock number", title: zoneName() });
  const count = el("span", { class: "count-alarm", hidden: true });
  const maps = mayEditMaps(live) ? mapsButton(live) : null;
  const draw = () => {
    const other = language() === "zh" ? "en" : "zh";
    replace(bar,
      el("h1", {}, pick(live.me.site)), count, el("span", { class: "space" }), clock,
      el("button", { class: "quiet", onclick: () => setLanguage(other) }, other === "zh" ? "中文" : "English"),
      maps,
      ["engineer", "admin"].includes(live.me.role) ? el("button", { class: "quiet lockouts-open", onclick: () => lockoutsDialog(live) }, t("lockouts")) : null,
      el("button", { class: "quiet audit-open", onclick: () => auditDialog(live) }, t("audit")),
      live.me.role === "admin" ? el("button", { class: "quiet accounts-open", onclick: () => accountsDialog(live) }, t("accounts")) : null,
      el("button", { class: "quiet who", title: t("change_password"), onclick: changeOwnPassword }, el("b", {}, live.me.user), ` ${t(`role_${live.me.role}`)}`),
      el("button", { onclick: signOut }, t("sign_out")));
    tick();
    alarms();
    warn();
  };
  const tick = () => { clock.textContent = momentText(Date.now()); };
  const alarms = () => {
    const waiting = live.alarms.filter((alarm) => alarm.state === "UNACK_ACTIVE");
    count.hidden = waiting.length === 0;
    count.className = `count-alarm ${waiting[0]?.priority ?? ""}`;
    count.textContent = `${t("alarms")} ${waiting.length}`;
  };
  const warn = () => {
    const words = [live.lockout ? lockedText(live.lockout) : "", live.connected ? "" : t("lost")].filter(Boolean);
    banner.hidden = words.length === 0;
    banner.textContent = words.join(" — ");
  };
  live.addEventListener("tick", tick);
  live.addEventListener("alarms", alarms);
  live.addEventListener("connection", warn);
  live.addEventListener("lockout", warn);
  document.addEventListener("language", draw);
  draw();
  const both = document.createDocumentFragment();
  both.append(bar, banner);
  return both;
}

function lockedText(lockout) {
  const words = t("locked", { what: scopeText(lockout.scope), why: lockout.reason, by: lockout.by });
  return Number(lockout.more) > 0 ? `${words}, ${t("locked_more", { n: lockout.more })}` : words;
}
