"""get_audit: who changed what, when, from what to what."""

from typing import ClassVar

from pydantic import Field

from assistant.errors import ToolInputError
from assistant.language.period import GRAMMAR, PeriodError, span_of
from assistant.language.shown import foreign, human_unit, moment_text, name_text, value_text
from assistant.tools.base import Args, Turn
from gateway.errors import UnknownTagError
from gateway.model.point import Role
from gateway.model.sample import Scalar
from gateway.service.base import AuditEntry

MOST_ROWS = 10


class GetAuditArgs(Args):
    """Which point, which time."""

    point: str | None = Field(default=None, max_length=120, description="changes of this point only")
    period: str | None = Field(default=None, max_length=60, description=f"one of {GRAMMAR}; without it all that is kept")


class GetAudit:
    """Finished writes and acknowledgements, newest first."""

    name: ClassVar[str] = "get_audit"
    description: ClassVar[str] = "Who changed a point, when, from which value to which, why, and how it ended; newest first."
    args: ClassVar[type[Args]] = GetAuditArgs
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: GetAuditArgs, turn: Turn) -> str:
        """One line an act."""
        try:
            span = None if args.period is None else span_of(args.period, turn.clock.utc(), turn.timezone)
            if args.point is not None:
                turn.read.point(args.point)
        except PeriodError as exc:
            raise ToolInputError(str(exc)) from exc
        except UnknownTagError as exc:
            raise ToolInputError(f"{exc}; find_points finds the right name") from exc
        found = await turn.read.audit(args.point, span.start if span else None, span.end if span else None)
        lines = [_line(entry, turn) for entry in found[:MOST_ROWS]]
        return "\n".join(lines) or "no changes are recorded / 没有更改记录"


tool = GetAudit()


def _line(entry: AuditEntry, turn: Turn) -> str:
    at = moment_text(entry.at, turn.clock.utc(), turn.timezone)
    others = [name for name in entry.confirmed_by if name != entry.user]
    people = f"{entry.user}, confirmed by {', '.join(others)}" if others else entry.user
    change = f"{_shown(entry.old)} -> {_shown(entry.new)} {human_unit(entry.unit)}".strip()
    outcome = f"{entry.outcome} ({entry.code})" if entry.code else entry.outcome
    return f"{at} | {people} | {entry.tag} | {change} | {outcome} | reason {foreign(entry.reason)} | {_title(entry.tag, turn)}"


def _shown(value: Scalar | None) -> str:
    return "?" if value is None else value_text(value, "")


def _title(tag: str, turn: Turn) -> str:
    try:
        return name_text(turn.read.point(tag))
    except UnknownTagError:
        return "no longer configured / 已不在配置中"
