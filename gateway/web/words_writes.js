// Words of procedures, undo, rejections and lockouts in both languages: [English, Chinese].

export const WRITE_WORDS = {
  proposals: ["Changes", "变更"], running: ["running…", "正在执行…"], procedure: ["Procedure", "操作流程"], procedures: ["Procedures", "操作流程"],
  stop_procedure: ["Stop", "停止"], kind_stopped: ["procedure stopped", "操作流程停止"], outcome_met: ["reached", "已达到"], outcome_not_met: ["not reached", "未达到"],
  wait_until: ["wait until {what}, at most {n} s", "等待 {what}，最多 {n} 秒"], repeat_name: ["type “{name}” to confirm", "输入“{name}”以确认"],
  met: ["Reached: {value}", "已达到：{value}"], not_met: ["Not reached: {why}", "未达到：{why}"], undo: ["Undo", "撤销"], again: ["Propose again", "重新提出"],
  why_not: ["why not (for the audit)", "拒绝原因（记入审计）"], back: ["Back", "返回"], rejected_why: ["Rejected by {who}: {why}", "已被 {who} 拒绝：{why}"],
  expired_restart: ["Ended: the gateway was restarted; nothing was written.", "已失效：网关已重启，未写入"], expired_map: ["Ended: the map was changed; nothing was written.", "已失效：点表已变更，未写入"],
  expired_user: ["Ended: the role of a person was changed; nothing was written.", "已失效：人员权限已变更，未写入"],
  lockouts: ["Lockouts", "锁定"], lock_out: ["Lock out", "锁定"], release: ["Release", "解除"], lock_scope: ["Device, point, or * for everything", "设备、测点，或 * 表示全部"],
  lock_reason: ["Reason", "原因"], lock_none: ["Nothing is locked out.", "当前没有锁定。"], lock_all: ["the whole plant", "全厂"], lock_since: ["since {when}", "自 {when} 起"],
  locked: ["Writing is locked for {what}: {why} ({by})", "{what} 的写入已锁定：{why}（{by}）"], locked_more: ["and {n} more", "另有 {n} 项锁定"],
  run_reason: ["run from the page", "由页面启动"],
};
