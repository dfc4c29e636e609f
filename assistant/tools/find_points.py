"""find_points: from words to points."""

from typing import ClassVar

from pydantic import Field

from assistant.language.shown import human_unit, name_text, number_text
from assistant.language.target import match
from assistant.tools.base import Args, Turn
from gateway.model.point import Access, Role
from gateway.service.base import PointInfo

MOST_PARTS = 8
MOST_LINES = 10


class FindPointsArgs(Args):
    """What is looked for."""

    query: str = Field(
        min_length=1, max_length=300, description="device and quantity in words, e.g. 'pump 1 speed'; several wishes apart by ;"
    )
    device: str | None = Field(default=None, max_length=60, description="a device id, to look there only")


class FindPoints:
    """The points that a few words mean."""

    name: ClassVar[str] = "find_points"
    description: ClassVar[str] = (
        "Points by words, English or Chinese. Marks: == exact, = best (several: all fit equally, ask which one is meant), ~ others. "
        "Each line: point, unit, what may be written, title."
    )
    args: ClassVar[type[Args]] = FindPointsArgs
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: FindPointsArgs, turn: Turn) -> str:
        """A block of lines for each part of the query."""
        parts = [part.strip() for part in args.query.replace("；", ";").split(";") if part.strip()][:MOST_PARTS]
        room = max(3, MOST_LINES // max(1, len(parts)))
        return "\n".join(_part(turn, part, args.device, room) for part in parts) or "the query is empty"


tool = FindPoints()


def _part(turn: Turn, query: str, device: str | None, room: int) -> str:
    found = match(turn.read, query, device)
    if device and (not found.best or found.lacking):
        elsewhere = match(turn.read, query)
        if elsewhere.best and not elsewhere.lacking:
            return f"not on {device}, but elsewhere: {_part(turn, query, None, room)}"
    if not found.best:
        return f'"{query}": no point matches / 没有匹配的点'
    if found.lacking:
        near = "\n".join(f"~ {_line(point)}" for point in (*found.best, *found.others)[:3])
        return f'"{query}": no point for {", ".join(found.lacking)} / 没有这样的点; nearest:\n{near}'
    mark = "==" if found.is_exact else "="
    lines = [f"{mark} {_line(point)}" for point in found.best[:MOST_LINES]]
    lines += [f"~ {_line(point)}" for point in found.others[: max(0, room - len(found.best))]]
    if len(found.best) > MOST_LINES:
        lines.append(f"({len(found.best)} points fit equally well)")
    return "\n".join([f'"{query}":', *lines])


def _line(point: PointInfo) -> str:
    return " | ".join(
        part for part in (point.tag, human_unit(point.unit) or "-", _writable(point), _labels(point), name_text(point)) if part
    )


def _writable(point: PointInfo) -> str:
    if point.access is Access.RO:
        return "read-only"
    limits = f" {number_text(point.min)} to {number_text(point.max)}" if point.min is not None and point.max is not None else ""
    step = f", at most {number_text(point.max_step)} in one change" if point.max_step is not None else ""
    role = f", role {point.role}" if point.role is not Role.OPERATOR else ""
    people = ", two people confirm" if point.approvals > 1 else ""
    return f"writable{limits}{step}{role}{people}"


def _labels(point: PointInfo) -> str:
    if point.enum:
        return "values " + ", ".join(f"{code} {text.en}{f'/{text.zh}' if text.zh else ''}" for code, text in point.enum.items())
    if point.flags:
        return "bits " + ", ".join(text.en for text in point.flags.values())
    return ""
