"""Which point a wish means, and which value: the same for the planner that proposes and for the gate that checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from assistant.language.wish import Wish
from gateway.model.point import Access, Text
from gateway.service.base import DeviceInfo, PointInfo
from gateway.service.find import EXACT, TIE, missing
from gateway.service.words import words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A point as far as choosing needs it; `is_exact` if the words name it and nothing else."""

    tag: str
    unit: str
    is_writable: bool
    labels: Mapping[int, Text] = field(default_factory=dict)
    is_exact: bool = False


class Finder(Protocol):
    """The part of ReadService that finds."""

    def find(self, query: str, device: str | None = None, limit: int = 10) -> Sequence[PointInfo]:
        """Points, best first."""
        ...

    def devices(self) -> Sequence[DeviceInfo]:
        """All devices."""
        ...


@dataclass(frozen=True, slots=True)
class Match:
    """What words lead to: the points that fit best (equally), the words that none of them bears, and lesser ones."""

    best: tuple[PointInfo, ...]
    lacking: tuple[str, ...]
    others: tuple[PointInfo, ...]

    @property
    def is_exact(self) -> bool:
        """True if the words name the best points and nothing else."""
        return bool(self.best) and self.best[0].score >= EXACT


def match(read: Finder, query: str, device: str | None = None) -> Match:
    """The points of a query; with `lacking` words none of them is what was meant."""
    found = read.find(query, device, 40)
    if not found:
        return Match((), (), ())
    best = tuple(point for point in found if point.score >= found[0].score - TIE)
    others = tuple(point for point in found if point not in best and point.score >= found[0].score * 0.6)
    return Match(best, missing(found[0], read.devices(), query), others)


def queries(wish: Wish) -> tuple[str, ...]:
    """The queries that find the point of a wish, the most telling first."""
    subject = wish.subject
    unit = wish.amount.unit if wish.amount is not None and wish.amount.unit != "%" else ""
    match wish.kind:
        case "set" | "more" | "less":
            if "setpoint" in words_of(subject).concepts:
                return (f"{subject} {unit}".strip(),)
            return (f"{subject} setpoint {unit}".strip(), f"{subject} {unit}".strip() or "setpoint")
        case "on" | "off":
            return (f"{subject} run command", f"{subject} mode {wish.kind}")
        case "reset":
            return (f"{subject} reset",)
        case "mode":
            return (f"{subject} mode {wish.label}",)
        case _:
            return (f"{subject} setpoint", subject) if words_of(subject).terms or words_of(subject).identifiers else ()


def candidates(found: Match) -> tuple[Candidate, ...]:
    """The best points of a match, none if words were lacking."""
    if found.lacking:
        return ()
    return tuple(
        Candidate(tag=point.tag, unit=point.unit, is_writable=point.access is not Access.RO, labels=point.enum, is_exact=found.is_exact)
        for point in found.best
    )


def choose(wish: Wish, blocks: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """The points that the wish may mean, all equally; `blocks` are the candidates of each of `queries(wish)`.

    Where words name a measurement exactly, that is what is meant, though it cannot be written: better refused than guessed.
    """
    fitting = [[one for one in block if _fits(wish, one)] for block in blocks]
    if wish.kind in ("set", "more", "less") and len(fitting) > 1 and _names_measurement(*fitting[:2]):
        return tuple(fitting[1])
    for block in fitting:
        if block:
            return tuple([one for one in block if one.is_writable] or block)
    return ()


def wanted(
    wish: Wish, target: Candidate, old: Decimal | None, limits: tuple[Decimal | None, Decimal | None] = (None, None)
) -> Decimal | None:
    """The value that the wish means for the point, from its old value where it is relative; None if that cannot be told."""
    if wish.kind in ("on", "off", "mode", "reset"):
        code = state_code(wish, target.labels)
        return None if code is None else Decimal(code)
    if wish.extreme:
        return limits[1] if wish.extreme == "max" else limits[0]
    if wish.factor is not None:
        return None if old is None else old * wish.factor
    if wish.amount is None:
        return None
    if wish.kind == "set":
        return wish.amount.value
    if old is None:
        return None
    size = old * wish.amount.value / 100 if wish.amount.unit == "%" and target.unit != "%" else wish.amount.value
    return old + size if wish.kind == "more" else old - size


def state_code(wish: Wish, labels: Mapping[int, Text]) -> int | None:
    """The code of the state that a wish names, None if the point has no such state."""
    words = _STATE_WORDS[wish.label or wish.kind]
    for code, label in labels.items():
        if label.en.lower() in words or label.zh in words:
            return code
    return next(iter(labels)) if wish.kind == "reset" and len(labels) == 1 else None


_STATE_WORDS = {
    "on": ("run", "on", "start", "running", "started", "enabled", "enable", "运行", "启动", "开", "开启", "启用"),
    "off": ("stop", "off", "stopped", "disabled", "disable", "停止", "关闭", "关", "停", "停用"),
    "reset": ("reset", "clear", "复位", "清零", "清除"),
    "auto": ("auto", "automatic", "自动"),
    "manual": ("manual", "hand", "手动"),
    "local": ("local", "就地", "本地"),
    "remote": ("remote", "远程", "远方"),
}


def _names_measurement(setpoints: Sequence[Candidate], plain: Sequence[Candidate]) -> bool:
    """True if the plain words name read-only points exactly, and the set-points found are of another quantity."""
    if not plain or any(one.is_writable or not one.is_exact for one in plain):
        return False
    return not {one.unit for one in setpoints} & {one.unit for one in plain}


def _fits(wish: Wish, one: Candidate) -> bool:
    if wish.kind in ("on", "off", "mode", "reset"):
        return not one.labels or state_code(wish, one.labels) is not None
    if wish.amount is None or not wish.amount.unit:
        return True
    if wish.amount.unit == "%" and wish.kind in ("more", "less"):
        return not one.labels
    return one.unit == wish.amount.unit
