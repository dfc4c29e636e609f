"""read_points: values now, and what is computed from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Literal

from pydantic import Field

from assistant.errors import ToolInputError
from assistant.language.shown import age_text, human_unit, label_text, name_text, number_text, reason_words, value_text
from assistant.tools.base import Args, Turn
from gateway.errors import UnknownTagError
from gateway.model.point import Role
from gateway.model.quality import STALE, Quality
from gateway.model.sample import Sample
from gateway.service.base import PointInfo

Calc = Literal["difference", "ratio", "percent", "sum", "mean", "imbalance"]


class ReadPointsArgs(Args):
    """Which points, and what to compute."""

    points: list[str] = Field(min_length=1, max_length=20, description="points, as find_points names them")
    calc: Calc | None = Field(
        default=None, description="difference and ratio: first and second point; percent: of the second point or of `of`"
    )
    of: float | int | None = Field(default=None, allow_inf_nan=False, description="a number to compare each point with")


class ReadPoints:
    """Fresh values."""

    name: ClassVar[str] = "read_points"
    description: ClassVar[str] = (
        "Values of points now: point value unit quality age"
        " | title. BAD has no value. calc computes difference, ratio, percent, sum, mean, "
        "imbalance of them; never compute yourself."
    )
    args: ClassVar[type[Args]] = ReadPointsArgs
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: ReadPointsArgs, turn: Turn) -> str:
        """One line a point, then one a computation."""
        try:
            infos = [turn.read.point(tag) for tag in dict.fromkeys(args.points)]
        except UnknownTagError as exc:
            near = f"did you mean {', '.join(exc.near)}? " if exc.near else ""
            raise ToolInputError(
                f"no point is called {exc.tag}; {near}A tag looks like device.point: find_points finds it from words. "
                "A fault code or parameter is not a point: search_manuals."
            ) from exc
        samples = await turn.read.fresh([info.tag for info in infos])
        last = turn.read.latest([info.tag for info in infos])
        readings = [_Reading(info, _told(fresh, known)) for info, fresh, known in zip(infos, samples, last, strict=True)]
        lines = [_line(reading) for reading in readings]
        if args.calc is not None:
            lines += _computed(args.calc, readings, None if args.of is None else Decimal(str(args.of)))
        return "\n".join(lines)


tool = ReadPoints()


@dataclass(frozen=True, slots=True)
class _Reading:
    info: PointInfo
    sample: Sample

    @property
    def number(self) -> Decimal | None:
        value = self.sample.value
        if value is None or isinstance(value, (str, bool)):
            return None
        return Decimal(number_text(value, self.info.decimals))

    @property
    def shown(self) -> str:
        return value_text(self.number if self.number is not None else "", self.info.unit)


def _told(fresh: Sample, last: Sample) -> Sample:
    """The fresh sample; where the wire failed and an old value is known to be old, that one, marked stale."""
    is_old = fresh.value is None and last.value is not None and last.reason == STALE
    return last if is_old else fresh


def _line(reading: _Reading) -> str:
    info, sample = reading.info, reading.sample
    title = name_text(info)
    if sample.value is None:
        words = reason_words(sample.reason or "waiting")
        return f"{info.tag} no value BAD {sample.reason}: {words.en} / {words.zh} | {title}"
    value = value_text(sample.value, info.unit, info.decimals)
    label = label_text(sample)
    untrusted = " (untrusted device text)" if isinstance(sample.value, str) else ""
    age = age_text(sample.age_s or 0.0)
    quality = f"{sample.quality}"
    if sample.quality is not Quality.GOOD and sample.reason is not None:
        words = reason_words(sample.reason)
        quality += f" {words.en} / {words.zh}"
    old = f"{age} old" if sample.reason == STALE else age
    return " ".join(part for part in (info.tag, value + untrusted, label, quality, old) if part) + f" | {title}"


def _computed(calc: Calc, readings: Sequence[_Reading], of: Decimal | None) -> list[str]:
    lacking = [reading.info.tag for reading in readings if reading.number is None]
    if lacking:
        return [f"{calc}: not possible, {', '.join(lacking)} has no number now"]
    doubt = " (from values that are not GOOD)" if any(reading.sample.quality is not Quality.GOOD for reading in readings) else ""
    if calc in ("sum", "mean", "imbalance"):
        return [_of_all(calc, readings) + doubt]
    if of is not None:
        return [_with_number(calc, reading, of) + doubt for reading in readings]
    if len(readings) != 2:
        raise ToolInputError(f"{calc} takes two points, or one point and `of`")
    return [_of_two(calc, *readings) + doubt]


def _of_all(calc: Calc, readings: Sequence[_Reading]) -> str:
    _same_unit(calc, readings)
    numbers = [_number(reading) for reading in readings]
    unit, names = human_unit(readings[0].info.unit), ", ".join(reading.info.tag for reading in readings)
    total = sum(numbers, Decimal(0))
    if calc == "sum":
        return f"sum: {names} together {number_text(total)} {unit}"
    mean = total / len(numbers)
    if calc == "mean":
        return f"mean: {names} on average {number_text(round(mean, 2))} {unit}"
    if not mean:
        return "imbalance: not possible, the mean is 0"
    most = max(abs(number - mean) for number in numbers)
    return (
        f"imbalance: {number_text(round(most / mean * 100, 2))} % (largest deviation from the mean {number_text(round(mean, 2))} {unit} of"
        f" {names})"
    )


def _with_number(calc: Calc, reading: _Reading, of: Decimal) -> str:
    number, unit = _number(reading), human_unit(reading.info.unit)
    other = f"{number_text(of)} {unit}".strip()
    if calc == "difference":
        return f"difference: {reading.info.tag} {reading.shown} {_apart(number - of, unit, other)}"
    if not of:
        return f"{calc}: not possible, division by 0"
    if calc == "ratio":
        return f"ratio: {reading.info.tag} {reading.shown} / {other} = {_significant(number / of)}"
    return f"percent: {reading.info.tag} {reading.shown} is {number_text(round(number / of * 100, 1))} % of {other}"


def _of_two(calc: Calc, first: _Reading, second: _Reading) -> str:
    a, b = _number(first), _number(second)
    names = f"{first.info.tag} {first.shown}"
    if calc == "difference":
        _same_unit(calc, (first, second))
        return f"difference: {names} {_apart(a - b, human_unit(first.info.unit), f'{second.info.tag} {second.shown}')}"
    if not b:
        return f"{calc}: not possible, {second.info.tag} is 0"
    if calc == "percent":
        _same_unit(calc, (first, second))
        return f"percent: {names} is {number_text(round(a / b * 100, 1))} % of {second.info.tag} {second.shown}"
    per = "" if first.info.unit == second.info.unit else f" {human_unit(first.info.unit)} per {human_unit(second.info.unit)}"
    return f"ratio: {names} / {second.info.tag} {second.shown} = {_significant(a / b)}{per}"


def _apart(difference: Decimal, unit: str, other: str) -> str:
    size = f"{number_text(abs(difference))} {unit}".strip()
    if not difference:
        return f"is equal to {other} / 相等"
    return f"is {size} above {other} / 高 {size}" if difference > 0 else f"is {size} below {other} / 低 {size}"


def _number(reading: _Reading) -> Decimal:
    return reading.number if reading.number is not None else Decimal(0)


def _same_unit(calc: Calc, readings: Sequence[_Reading]) -> None:
    units = {reading.info.unit for reading in readings}
    if len(units) > 1:
        raise ToolInputError(f"{calc} needs points of one unit, not {', '.join(sorted(human_unit(unit) or 'none' for unit in units))}")


def _significant(value: Decimal) -> str:
    return number_text(Decimal(f"{value:.4g}"))
