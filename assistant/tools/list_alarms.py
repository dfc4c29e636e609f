"""list_alarms: what needs attention, worst first."""

from typing import ClassVar, Literal

from pydantic import Field

from assistant.errors import ToolInputError
from assistant.language.shown import moment_text, name_text
from assistant.tools.base import Args, Turn
from gateway.errors import UnknownTagError
from gateway.model.alarm import AlarmInfo, AlarmState
from gateway.model.point import Role, Text

_GROUPS: dict[str, tuple[AlarmState, ...]] = {
    "active": ("UNACK_ACTIVE", "ACK_ACTIVE"),
    "unacknowledged": ("UNACK_ACTIVE", "RTN_UNACK"),
    "shelved": ("SHELVED",),
    "all": (),
}
_WORDS = {
    "UNACK_ACTIVE": Text("active, not acknowledged", "激活，未确认"),
    "ACK_ACTIVE": Text("active, acknowledged", "激活，已确认"),
    "RTN_UNACK": Text("returned to normal, not acknowledged", "已恢复正常，未确认"),
    "NORMAL": Text("normal", "正常"),
    "SHELVED": Text("shelved", "已搁置"),
    "OUT_OF_SERVICE": Text("out of service", "已停用"),
}


class ListAlarmsArgs(Args):
    """Which alarms."""

    state: Literal["active", "unacknowledged", "shelved", "all"] = Field(default="all", description="which states")
    point: str | None = Field(default=None, max_length=120, description="alarms of this point only")


class ListAlarms:
    """The alarms that are not normal."""

    name: ClassVar[str] = "list_alarms"
    description: ClassVar[str] = (
        "Alarms, worst first: id, state, priority, point, text, times, who. Shelved ones and those back to normal are not active."
    )
    args: ClassVar[type[Args]] = ListAlarmsArgs
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: ListAlarmsArgs, turn: Turn) -> str:
        """One line an alarm."""
        if args.point is not None:
            try:
                turn.read.point(args.point)
            except UnknownTagError as exc:
                raise ToolInputError(f"{exc}; find_points finds the right name") from exc
        found = turn.read.alarms(_GROUPS[args.state], args.point)
        lines = [_line(alarm, turn) for alarm in found]
        which = "" if args.state == "all" else f"{args.state} "
        return "\n".join(lines) or f"no {which}alarms / 没有这样的报警"


tool = ListAlarms()


def _line(alarm: AlarmInfo, turn: Turn) -> str:
    now, zone = turn.clock.utc(), turn.timezone
    words = _WORDS[alarm.state]
    parts = [f"raised {moment_text(alarm.raised_at, now, zone)}"]
    if alarm.cleared_at is not None:
        parts.append(f"cleared {moment_text(alarm.cleared_at, now, zone)}")
    if alarm.acked_at is not None:
        parts.append(f"acknowledged {moment_text(alarm.acked_at, now, zone)} by {alarm.acked_by or '?'}")
    if alarm.shelved_until is not None:
        parts.append(f"shelved until {moment_text(alarm.shelved_until, now, zone)} by {alarm.shelved_by or '?'}")
    text = f"{alarm.text.en} / {alarm.text.zh}" if alarm.text.zh else alarm.text.en
    return (
        f"{alarm.id} | {alarm.state}: {words.en} / {words.zh} | {alarm.priority} | {alarm.tag} | {text} | {', '.join(parts)}"
        f" | {name_text(turn.read.point(alarm.tag))}"
    )
