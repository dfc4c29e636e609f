"""get_history: what was, how it goes, and when it gets there."""

from datetime import timedelta
from decimal import Decimal
from typing import ClassVar, Literal

from pydantic import Field

from assistant.errors import ToolInputError
from assistant.language.period import GRAMMAR, PeriodError, Span, span_of
from assistant.language.shown import duration_text, human_unit, moment_text, name_text, number_text
from assistant.tools.base import Args, Turn
from gateway.errors import UnknownTagError
from gateway.model.point import Role
from gateway.service.base import History, HistoryPoint, PointInfo

MOST_ROWS = 12
_HALF_MINUTE = timedelta(seconds=30)


class GetHistoryArgs(Args):
    """Which point, when, and what of it."""

    point: str = Field(max_length=120, description="a point, as find_points names it")
    period: str = Field(max_length=60, description=f"one of {GRAMMAR}")
    agg: Literal["raw", "min", "max", "mean", "slope", "integral", "first", "last", "delta", "count", "duration"] = Field(
        description="slope: the trend; delta: last minus first; duration: how long above target; last: the value at that time"
    )
    target: float | int | None = Field(
        default=None, allow_inf_nan=False, description="slope: when the trend reaches it; duration: the limit"
    )


class GetHistory:
    """One aggregate of a point over a period, with the ends of the data."""

    name: ClassVar[str] = "get_history"
    description: ClassVar[str] = (
        "Stored values of a point over a period: minimum, maximum, mean, trend (slope), change (delta), time above a target, "
        "when the trend reaches a target. Says plainly if there is no data."
    )
    args: ClassVar[type[Args]] = GetHistoryArgs
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: GetHistoryArgs, turn: Turn) -> str:
        """The aggregate in a line, then first and last value, then what was asked about the target."""
        try:
            info = turn.read.point(args.point)
            span = span_of(args.period, turn.clock.utc(), turn.timezone)
        except UnknownTagError as exc:
            raise ToolInputError(f"{exc}; find_points finds the right name") from exc
        except PeriodError as exc:
            raise ToolInputError(str(exc)) from exc
        target = None if args.target is None else Decimal(str(args.target))
        if args.agg == "duration" and target is None:
            raise ToolInputError("duration needs a target: the limit that was exceeded")
        history = await turn.read.history(
            info.tag, span.start, span.end, args.agg, buckets=MOST_ROWS if args.agg == "raw" else 0, target=target
        )
        return "\n".join(_lines(info, history, span, turn))


tool = GetHistory()


def _lines(info: PointInfo, history: History, span: Span, turn: Turn) -> list[str]:
    now, zone = turn.clock.utc(), turn.timezone
    when = f"{moment_text(span.start, now, zone)} to {moment_text(span.end, now, zone)}"
    head = f"{info.tag} | {name_text(info)}"
    if not history.count or history.first is None or history.last is None:
        oldest = (
            f"the oldest stored value is from {moment_text(history.oldest, now, zone)}" if history.oldest else "nothing is stored of it"
        )
        return [head, f"no data from {when} / 这段时间没有数据: {oldest}"]

    def shown(point: HistoryPoint) -> str:
        return f"{_value(point.value, info)} at {moment_text(point.at, now, zone)}"

    if span.instant:
        return [head, f"value {shown(history.last)}"]
    lines = [head, f"first {shown(history.first)}, last {shown(history.last)}, {history.count} values"]
    if history.first.at > span.start and (history.first.at - span.start).total_seconds() > 600:
        lines.append(f"data begin at {moment_text(history.first.at, now, zone)}, later than asked for")
    lines += _aggregate(info, history)
    if history.at is not None and history.agg in ("max", "min"):
        lines[-1] += f" at {moment_text(history.at, now, zone)}"
    if history.agg == "raw":
        lines += [shown(point) for point in history.points[-MOST_ROWS:]]
    if history.target is not None:
        lines += _reaching(info, history, turn) if history.agg == "slope" else _above(info, history, turn)
    return lines


def _aggregate(info: PointInfo, history: History) -> list[str]:
    if history.value is None:
        return []
    value = history.value
    match history.agg:
        case "slope":
            way = "steady / 平稳" if abs(float(value)) < 0.005 else "rising / 上升" if value > 0 else "falling / 下降"
            rate = _value(round(Decimal(str(abs(value))), 2), info, exact=True)
            return [f"slope: {rate} per hour, {way}"]
        case "delta":
            size = _value(round(Decimal(str(abs(value))), 4), info, exact=True)
            return [f"delta: {'up / 增加' if value > 0 else 'down / 减少' if value < 0 else 'no change / 没有变化'} {size}"]
        case "duration":
            return [f"duration: {duration_text(float(value))} above {_value(history.target, info)}"]
        case "integral":
            return [f"integral: {number_text(round(Decimal(str(value)), 2))} {human_unit(info.unit)} x h"]
        case "count":
            return [f"count: {value}"]
        case "first" | "last" | "raw":
            return []
        case _:
            return [f"{history.agg}: {_value(round(Decimal(str(value)), 4), info)}"]


def _reaching(info: PointInfo, history: History, turn: Turn) -> list[str]:
    target = _value(history.target, info)
    if history.reaches_at is None:
        return [f"target {target}: not reached, the present trend does not lead there / 按目前趋势不会达到"]
    now = turn.clock.utc()
    left = duration_text((history.reaches_at - now).total_seconds())
    at = moment_text(history.reaches_at + _HALF_MINUTE, now, turn.timezone)
    return [f"target {target}: reached at about {at}, in {left}, if the present trend goes on (extrapolation / 按目前趋势外推)"]


def _above(info: PointInfo, history: History, turn: Turn) -> list[str]:
    target = _value(history.target, info)
    if not history.above:
        return [f"never above {target} / 从未超过"]
    now, zone = turn.clock.utc(), turn.timezone
    return [
        f"above {target}: from {moment_text(start, now, zone)} to {moment_text(end, now, zone)}"
        f", for {duration_text((end - start).total_seconds())}"
        for start, end in history.above[:MOST_ROWS]
    ]


def _value(value: Decimal | float | str | bool | None, info: PointInfo, *, exact: bool = False) -> str:
    if value is None:
        return "no value"
    if isinstance(value, (str, bool)):
        return str(value)
    meant = info.enum.get(int(value)) if info.enum else None
    decimals = info.decimals if not exact and isinstance(value, float) else None
    text = f"{number_text(value, decimals)} {human_unit(info.unit)}".strip()
    return f"{text} [{meant.en}{f' / {meant.zh}' if meant.zh else ''}]" if meant else text
