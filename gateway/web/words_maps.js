// Words of the register maps' panel in both languages: [English, Chinese].

export const MAP_WORDS = {
  maps: ["Maps", "点表"], maps_waiting: ["Maps ({n} waiting)", "点表（{n} 项待确认）"], map_waiting: ["Waiting for a second engineer", "等待另一位工程师确认"],
  map_none_waiting: ["Nothing waits.", "没有待确认的变更。"], map_files: ["files of the configuration", "配置文件"], map_reload: ["Reload files", "重新加载文件"],
  map_ships: ["ships with Busmate", "随软件提供"], map_own: ["of this site", "本站点表"], map_used_by: ["used by {who}", "使用设备：{who}"], map_unused: ["not used", "未使用"],
  map_choose: ["Choose a map.", "请选择点表。"], map_draft: ["not sent", "未提交"], map_text: ["Text of {id}", "点表 {id} 的文本"], map_file: ["File", "文件"],
  map_findings: ["Findings", "检查结果"], map_no_findings: ["No errors, no warnings.", "无错误，无警告。"], map_line: ["line {n}", "第 {n} 行"],
  map_error: ["error", "错误"], map_warning: ["warning", "警告"], map_difference: ["Show the difference", "查看差异"], map_differences: ["What changes", "变更内容"],
  map_no_difference: ["Nothing changes but comments and layout.", "仅注释或排版有变化。"], map_unchanged: ["The text is the one in force.", "文本与当前生效的相同。"],
  map_what: ["Point", "测点"], map_key: ["Key", "属性"], map_old: ["Before", "原值"], map_new: ["After", "新值"], map_risk: ["Risk", "风险"], map_whole: ["the map", "整个点表"],
  map_risky: ["{n} of these could hurt somebody: another engineer has to approve.", "其中 {n} 项存在风险，需要另一位工程师批准。"],
  map_safe: ["None of these is a risk: it counts at once.", "均无风险，将立即生效。"],
  map_reason: ["Why: page of the manual, what was seen", "原因：手册页码、现场情况"], map_send: ["Send", "提交"], map_discard: ["Discard my text", "放弃修改"],
  map_active: ["In force.", "已生效。"], map_pending: ["Waits for another engineer.", "等待另一位工程师批准。"], map_nothing_new: ["Nothing new in the files.", "文件没有变化。"],
  map_versions: ["Versions", "历史版本"], map_no_versions: ["Never changed here.", "尚未修改过。"], map_look: ["Edit from this one", "以此版本编辑"], map_back: ["Go back to it", "恢复此版本"],
  map_found: ["as found", "原始文本"], map_approve: ["Approve", "批准"], map_reject: ["Reject", "拒绝"], map_by_you: ["Another engineer has to approve what you sent.", "您提交的变更须由另一位工程师批准。"],
  map_rejected: ["Rejected.", "已拒绝。"], map_newer: ["Somebody changed the map meanwhile. Load it anew, and put your change into it.", "点表已被他人修改，请重新载入后再修改。"],
  map_expires: ["waits {h} h more", "还可等待 {h} 小时"],
};
