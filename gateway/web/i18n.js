// Every word of the page in both languages. `t` gives words, `pick` chooses from {en, zh} that the server sent.

import { ADMIN_WORDS } from "/static/words_admin.js";
import { WRITE_WORDS } from "/static/words_writes.js";
import { MAP_WORDS } from "/static/words_maps.js";

const WORDS = {
  sign_in: ["Sign in", "登录"], user: ["User", "用户"], password: ["Password", "密码"], sign_out: ["Sign out", "退出"],
  values: ["Live values", "实时数据"], alarms: ["Alarms", "报警"], no_alarms: ["No alarms", "无报警"],
  ack: ["Acknowledge", "确认报警"], good: ["good", "良好"], waiting: ["waiting", "等待数据"], stale: ["stale", "陈旧"], timeout: ["no answer", "无应答"],
  link_down: ["link down", "链路断开"], out_of_range: ["out of range", "超出范围"], not_available: ["no valid value", "无有效值"], not_finite: ["not a number", "非数值"],
  age_s: ["{n} s ago", "{n} 秒前"], age_min: ["{n} min ago", "{n} 分钟前"], age_h: ["{n} h ago", "{n} 小时前"],
  confirm: ["Confirm", "确认执行"], reject: ["Reject", "拒绝"], expires: ["expires in {n} s", "{n} 秒后失效"], proposed_by: ["proposed by {who}", "由 {who} 提出"],
  reason: ["reason: {why}", "原因：{why}"], change: ["Proposed change", "变更建议"], acknowledge_alarm: ["Acknowledge alarm", "确认报警"],
  repeat: ["type the new value again", "再次输入新值"], needs_two: ["needs two different persons ({n} so far)", "需要两人确认（已 {n} 人）"], writing: ["writing…", "正在写入…"],
  verified: ["Written and read back: {value}", "已写入，回读：{value}"], differs: ["Read back differs: {value}. Check at the device.", "回读不一致：{value}，请到现场检查"],
  acknowledged: ["Accepted by the device", "设备已接受"], changed_before: ["The value changed meanwhile; nothing was written.", "数值已变化，未写入"],
  refused: ["Refused: {why}", "被拒绝：{why}"], not_sent: ["Not sent", "未发送"], unknown: ["Outcome unknown. Check at the device.", "结果未知，请到现场检查"],
  expired: ["Expired; nothing was written.", "已失效，未写入"], rejected: ["Rejected by {who}", "已被 {who} 拒绝"], acked: ["Acknowledged", "报警已确认"],
  ask: ["Ask about the plant, or say what to change", "询问现场情况，或说明要做的更改"], send: ["Ask", "提问"], stop: ["Stop", "停止"], steps: ["Steps: {n}", "步骤：{n}"], thinking: ["working…", "处理中…"],
  sources: ["Sources", "出处"], page: ["p. {n}", "第 {n} 页"], new_chat: ["New conversation", "新对话"], close: ["Close", "关闭"], built_in: ["built-in planner", "内置规划器"],
  examples: ["For example:", "例如："], lost: ["Connection to the gateway lost; values below are old.", "与网关的连接已断开，以下数值不是最新。"],
  active: ["active", "未恢复"], returned: ["returned, not acknowledged", "已恢复，未确认"], active_acked: ["active, acknowledged by {who}", "未恢复，{who} 已确认"], shelved: ["shelved until {when}", "搁置至 {when}"],
  ungrounded: ["Shown from the readings: the model's wording was not supported by them.", "以下为读数本身：模型的表述没有依据，未显示。"],
  explain_title: ["{tag} explained", "{tag} 解读"], explain_words: ["other words, in hex: 42F6 E979", "输入十六进制寄存器值：42F6 E979"], explain_these: ["Explain", "解读"],
  explain_map: ["Map", "点表"], explain_written: ["Written there", "点表写法"], explain_address: ["Address", "地址"], explain_wire: ["On the wire", "通信"],
  explain_forms: ["{table} PDU {pdu} · register number {reg} · reference {ref}", "{table} PDU {pdu} · 寄存器号 {reg} · 引用号 {ref}"],
  explain_unit: ["unit {n}", "站号 {n}"], explain_reads: ["read by function {n}", "读功能码 {n}"], explain_writes: ["written by function {n}", "写功能码 {n}"],
  explain_request: ["Request", "请求报文"], explain_reply: ["Reply", "应答报文"], explain_registers: ["Words", "寄存器值"], explain_device: ["Device", "设备"], explain_note: ["Note", "备注"],
  explain_likely: ["likely", "可能"], explain_unlikely: ["unlikely", "不太可能"], explain_unknown: ["cannot tell", "无法判断"], explain_used: ["used", "当前使用"], explain_typed: ["typed in", "手工输入"],
  ok: ["ok", "正常"], degraded: ["degraded", "异常"], down: ["no answer", "无应答"], failed: ["Failed: {why}", "失败：{why}"],
};

let lang = localStorage.getItem("busmate.lang") || (navigator.language.startsWith("zh") ? "zh" : "en");
export const language = () => lang;
export function setLanguage(next) {
  lang = next;
  localStorage.setItem("busmate.lang", next);
  document.documentElement.lang = next === "zh" ? "zh-CN" : "en";
  document.dispatchEvent(new CustomEvent("language"));
}

export function t(key, values = {}) {
  const words = WORDS[key] ?? WRITE_WORDS[key] ?? ADMIN_WORDS[key] ?? MAP_WORDS[key];
  if (!words) return key.replaceAll("_", " ");
  return words[lang === "zh" ? 1 : 0].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export function pick(text) {
  if (text === null || text === undefined) return "";
  if (typeof text === "string") return text;
  return (lang === "zh" ? text.zh || text.en : text.en || text.zh) || "";
}
