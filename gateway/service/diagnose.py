"""What a round of reading showed of links and units, and what to do about it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from gateway.link.latency import BOUNDS_MS
from gateway.link.options import LinkOptions
from gateway.link.status import LinkStatus
from gateway.model.point import Text
from gateway.poll.health import UnitStatus
from gateway.service.frame_words import Exchanged
from gateway.service.health import advice_of, dropped_advice

_FULL = 1.0
_RESTLESS_DIALS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCost:
    """How long a poll group holds the link (the median of its polls), beside its period (None: read once or on demand)."""

    name: str
    period_s: float | None
    polls: int
    bus_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFindings:
    """One device. `functions` is what each read function ended with (`ok` or the reason), `patch` lines for its map's `device`.

    `identity` holds its identification objects, empty if it offers none. `exchanges` are its last ones,
    before them the last one that failed.
    """

    status: UnitStatus
    functions: Mapping[int, Mapping[str, int]]
    groups: Sequence[GroupCost]
    patch: Mapping[str, object]
    identity: Mapping[str, str]
    exchanges: Sequence[Exchanged]

    @property
    def advice(self) -> list[Text]:
        """What to do, the most frequent trouble first."""
        refused, answered = refused_functions(self.functions), _answered(self.functions)
        known = dict(self.status.errors)
        found: list[Text] = []
        if refused and answered:
            known.pop("exception_1", None)
            found.append(_only(self.status.unit_id, answered, refused))
        if self.status.state == "waiting":
            found.append(Text("nothing was read: its map has no points to read", "未读取任何数据：点表中没有可读的点"))
        found += [advice_of(reason) for reason in sorted(known, key=lambda reason: -known[reason])]
        if self.patch:
            found.append(Text("put what was learnt into the map", "请把已识别的特性写入点表"))
        return [text for text in found if text.en]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFindings:
    """One link. `planned_load` is what the poll groups need of a serial line by its baud rate, None on a network.

    `measured_load` is the same from the exchanges as they were; above 1 the periods cannot be kept.
    """

    options: LinkOptions
    status: LinkStatus
    heard_bytes: int
    planned_load: float | None
    measured_load: float
    units: Sequence[UnitFindings]

    @property
    def advice(self) -> list[Text]:
        """What to do about the link itself."""
        status = self.status
        if status.state == "down":
            return [advice_of("link_down")]
        found = dropped_advice(status.dropped)
        if status.exchanges and not self.heard_bytes:
            found.append(_nothing_heard(self.options))
        if self.measured_load > _FULL:
            found.append(
                Text("polling needs more time than there is: poll slower, or split the line", "轮询超出链路能力：请降低轮询频率或分线")
            )
        is_closed_by_us = self.options.on_demand or self.options.close_after_poll
        if status.dials > _RESTLESS_DIALS and self.heard_bytes and not is_closed_by_us:
            found.append(
                Text(
                    "the connection ends again and again: another client may hold it, or set on_demand or close_after_poll",
                    "连接反复断开：可能被其他客户端占用，或设置 on_demand、close_after_poll",
                )
            )
        return found


def refused_functions(functions: Mapping[int, Mapping[str, int]]) -> list[int]:
    """Read functions that were answered with exception 1 each time."""
    return sorted(function for function, ends in functions.items() if set(ends) == {"exception_1"})


def at_most_ms(counts: Sequence[int], share: float) -> int | None:
    """The bound under which `share` of the replies stayed; None without replies, or if it is above all bounds.

    >>> at_most_ms([0, 3, 1] + [0] * 10, 0.5), at_most_ms([0] * 13, 0.5)
    (2, None)
    """
    wanted = share * sum(counts)
    if not wanted:
        return None
    place = next(place for place, so_far in enumerate(accumulate(counts)) if so_far >= wanted)
    return BOUNDS_MS[place] if place < len(BOUNDS_MS) else None


def _answered(functions: Mapping[int, Mapping[str, int]]) -> list[int]:
    return sorted(function for function, ends in functions.items() if "ok" in ends)


def _only(unit_id: int, answered: Collection[int], refused: Collection[int]) -> Text:
    good, bad = ", ".join(map(str, answered)), ", ".join(map(str, refused))
    return Text(
        f"unit {unit_id} answers only function {good}, not {bad}: its points may stand in another table",
        f"站号 {unit_id} 只支持功能码 {good}，不支持 {bad}：点可能在另一个寄存器表中",
    )


def _nothing_heard(options: LinkOptions) -> Text:
    if options.is_serial:
        return Text(
            "nothing at all comes back on this line: check A and B, baud rate, parity, stop bits and the adapter",
            "线路上没有任何应答：请检查 A/B 接线、波特率、校验位、停止位和转换器",
        )
    return Text(
        "the connection stands and nothing comes back: check the unit ids, and whether the other side speaks this transport",
        "已连接但没有任何应答：请检查站号以及对方的传输方式",
    )
