"""How a write ended, in words for the operator."""

from gateway.model.point import Text
from gateway.model.refusal import plain
from gateway.model.sample import Tag
from gateway.poll.compare import SCALE_CHANGED
from gateway.poll.written import Written
from gateway.write.order import Ended, OrderedWait, OrderedWrite

_CHECK = Text("check at the device", "请到现场确认")
CUT_OFF_WAIT = Text("the gateway ended before this came true", "网关在条件满足前退出")
NO_AUDIT = Text("the audit cannot be written", "审计记录无法写入")
STOPPING = Text("the gateway is stopping", "网关正在停止")
UNKNOWN = Text("the gateway ended during the write; check at the device", "网关在写入过程中退出，结果未知，请到现场确认")
"""Of a write that was cut off after it may have been sent."""

MAP_CHANGED = Text("the map was changed meanwhile", "点表已变更")

_REFUSED = {
    "OFFLINE": Text("the device could not be read just before", "写入前读不到该设备"),
    "STALE": Text("there was no valid value just before", "写入前没有有效值"),
}


def not_sent_because(tag: Tag, why: Text) -> Text:
    """A write that was held back, and by what."""
    return Text(f"{tag} was not sent: {why.en}", f"{tag} 未发送：{why.zh}")


def not_sent(step: OrderedWrite | OrderedWait, why: Text | None = None) -> Ended:
    """A step that was not begun."""
    words = Text(f"{step.tag} was not sent", f"{step.tag} 未发送") if why is None else not_sent_because(step.tag, why)
    return Ended(step=step.step, tag=step.tag, outcome="not_sent", message=words)


def message_of(write: OrderedWrite, written: Written) -> Text:
    """One sentence that claims no more than what was seen."""
    unit = f" {write.unit}" if write.unit else ""
    wanted, read = f"{plain(write.new)}{unit}", f"{plain(written.read_back)}{unit}"
    why = f" ({written.reason})" if written.reason else ""
    why_zh = f"（{written.reason}）" if written.reason else ""
    match written.outcome:
        case "verified":
            return Text(f"{write.tag} was read back as {read}", f"{write.tag} 已回读确认：{read}")
        case "differs":
            return Text(
                f"{write.tag} was written {wanted} but reads {read}: {_CHECK.en}",
                f"{write.tag} 写入 {wanted}，回读却是 {read}，{_CHECK.zh}",
            )
        case "acknowledged":
            return Text(f"the device accepted {wanted} for {write.tag}", f"设备已接受 {write.tag} = {wanted}")
        case "changed_before" if written.reason == SCALE_CHANGED:
            return not_sent_because(write.tag, Text("its scale was changed meanwhile", "其比例系数已变化"))
        case "changed_before":
            before, shown = f"{plain(written.old)}{unit}", f"{plain(write.old)}{unit}"
            return Text(
                f"{write.tag} is {before}, not {shown} as shown: nothing was sent",
                f"{write.tag} 现为 {before}，与显示的 {shown} 不同，未写入",
            )
        case "refused":
            return _refused(write, written, why, why_zh)
        case "not_sent":
            return Text(f"{write.tag} was not sent{why}", f"{write.tag} 未发送{why_zh}")
        case "unknown":
            return Text(f"whether {write.tag} was written is unknown{why}: {_CHECK.en}", f"{write.tag} 是否写入未知{why_zh}，{_CHECK.zh}")


def _refused(write: OrderedWrite, written: Written, why: str, why_zh: str) -> Text:
    if written.code == "DEVICE":
        return Text(
            f"the device refused the write of {write.tag} (exception {written.exception})",
            f"设备拒绝写入 {write.tag}（异常码 {written.exception}）",
        )
    words = _REFUSED.get(written.code, Text("a rule says no", "不符合写入规则"))
    return Text(f"{write.tag} was not sent: {words.en}{why}", f"{write.tag} 未发送：{words.zh}{why_zh}")
