"""A block and its reply to samples. A block is compiled once; a reply is unpacked by `struct` in whole, not point by point.

Packing the words to bytes with either byte order and unpacking with either byte order gives the four common
orders of every width: ABCD big-big, BADC little-big, CDAB little-little, DCBA big-little.
"""

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from gateway.model.codec import TYPES, Decoded, Raw, Shape, shape_of, to_raw
from gateway.model.plan import ReadBlock
from gateway.model.point import DataType, Order, Point
from gateway.model.quality import LENGTH_MISMATCH, NOT_AVAILABLE, NOT_FINITE
from gateway.model.sample import BlockSamples, Scalar
from gateway.model.scaling import Finished, Finisher, finish, finisher, is_plain

Lookup = Callable[[str], Scalar | None]
"""Point name -> its last value, or None if it has none."""


def decode_point(point: Point, words: Sequence[int], source: Scalar | None = None) -> Finished:
    """The value of one point's own words and its reason; `source` is the value of the point that holds its scale."""
    if point.table.is_bits:
        return bool(words[0]), None
    return finish(point, to_raw(words, shape_of(point), point.invalid), source)


def compile_block(block: ReadBlock) -> "BlockDecoder":
    """The decoder of `block`; raises ValueError for a point whose order or format does not fit its size."""
    return BlockDecoder(block)


def failed(block: ReadBlock, reason: str, at: datetime, mono: float) -> BlockSamples:
    """The samples of an exchange that gave no values."""
    size = len(block.points)
    return BlockSamples(block=block, values=(None,) * size, reasons=(reason,) * size, words=(), read_at=at, read_mono=mono)


class BlockDecoder:
    """Decodes the replies to one block."""

    def __init__(self, block: ReadBlock) -> None:
        self.block = block
        self._good: tuple[str | None, ...] = (None,) * len(block.points)
        self._lanes: tuple[_Lane, ...] = ()
        self._singles: tuple[_Single, ...] = ()
        self._late: tuple[_Late, ...] = ()
        if block.table.is_bits:
            self._places = tuple(point.pdu - block.address for point in block.points)
        else:
            self._lanes, rest = _lanes_of(block)
            self._singles = tuple(_single(block, index) for index in rest if block.points[index].held_by is None)
            self._late = _late_of(block)
            self._big = struct.Struct(f">{block.count}H") if any(not lane.packs_little for lane in self._lanes) else None
            self._little = struct.Struct(f"<{block.count}H") if any(lane.packs_little for lane in self._lanes) else None

    def decode(self, words: Sequence[int], read_at: datetime, read_mono: float, lookup: Lookup | None = None) -> BlockSamples:
        """The samples of a reply. `lookup` gives the value of a scale or range point that is not in the block."""
        block = self.block
        if len(words) != block.count:
            return failed(block, LENGTH_MISMATCH, read_at, read_mono)
        if block.table.is_bits:
            values: list[Scalar | None] = [bool(words[place]) for place in self._places]
            return BlockSamples(block=block, values=tuple(values), reasons=self._good, words=words, read_at=read_at, read_mono=read_mono)
        values = [None] * len(block.points)
        bad: dict[int, str] = {}
        big = self._big.pack(*words) if self._big else b""
        little = self._little.pack(*words) if self._little else b""
        for lane in self._lanes:
            lane.fill(little if lane.packs_little else big, values, bad)
        for single in self._singles:
            single.fill(words, values, bad)
        for late in self._late:
            late.fill(words, values, bad, lookup)
        reasons = self._good
        if bad:
            reasons = tuple(bad.get(index) for index in range(len(values)))
        return BlockSamples(block=block, values=tuple(values), reasons=reasons, words=words, read_at=read_at, read_mono=read_mono)


@dataclass(frozen=True, slots=True)
class _Run:
    """Values of a lane that go to consecutive places of the block and are treated alike."""

    source: slice
    target: slice
    is_float: bool
    finishers: tuple[Finisher, ...]
    """Empty where the unpacked number is the value."""


@dataclass(frozen=True, slots=True)
class _Lane:
    """Values unpacked by one `struct`."""

    packs_little: bool
    unpack: Callable[[bytes], tuple[int | float, ...]]
    runs: tuple[_Run, ...]

    def fill(self, data: bytes, values: list[Scalar | None], bad: dict[int, str]) -> None:
        numbers = self.unpack(data)
        for run in self.runs:
            part = numbers[run.source]
            if run.is_float and not math.isfinite(sum(part)):
                _fill_floats(part, run, values, bad)
            elif run.finishers:
                for index, (number, finish_one) in enumerate(zip(part, run.finishers, strict=True), run.target.start):
                    values[index], reason = finish_one(number)
                    if reason:
                        bad[index] = reason
            else:
                values[run.target] = [number + 0.0 for number in part] if run.is_float else part


def _fill_floats(part: Sequence[int | float], run: _Run, values: list[Scalar | None], bad: dict[int, str]) -> None:
    """The slow way, for the rare reply in which a float is not finite (or the sum of finite ones overflows)."""
    for place, number in enumerate(part):
        index = run.target.start + place
        reason: str | None = None
        if math.isfinite(number):
            values[index], reason = run.finishers[place](number) if run.finishers else (number + 0.0, None)
        else:
            reason = NOT_AVAILABLE if math.isnan(number) else NOT_FINITE
        if reason:
            bad[index] = reason


@dataclass(frozen=True, slots=True)
class _Single:
    """A value that no lane can hold: text, BCD, bits of a word, or one that overlaps another."""

    index: int
    read: Callable[[Sequence[int]], Decoded]
    finish: Finisher

    def fill(self, words: Sequence[int], values: list[Scalar | None], bad: dict[int, str]) -> None:
        raw, reason = self.read(words)
        if raw is not None:
            values[self.index], reason = self.finish(raw)
        if reason:
            bad[self.index] = reason


@dataclass(frozen=True, slots=True)
class _Late:
    """A value whose scale is held by another point, at `source` of the block or, if that is None, elsewhere."""

    index: int
    point: Point
    read: Callable[[Sequence[int]], Decoded]
    name: str
    source: int | None

    def fill(self, words: Sequence[int], values: list[Scalar | None], bad: dict[int, str], lookup: Lookup | None) -> None:
        away = lookup(self.name) if lookup and self.source is None else None
        scale = away if self.source is None else values[self.source]
        values[self.index], reason = finish(self.point, self.read(words), scale)
        if reason:
            bad[self.index] = reason


_ENDS = {Order.ABCD: (False, ">"), Order.BADC: (True, ">"), Order.CDAB: (True, "<"), Order.DCBA: (False, "<")}


def _lanes_of(block: ReadBlock) -> tuple[tuple[_Lane, ...], list[int]]:
    """The lanes, and the indexes of the points that are in none."""
    lanes: dict[tuple[bool, str], list[int]] = {}
    rest = []
    for index, point in enumerate(block.points):
        key = _ENDS.get(point.order) if _fits_lane(point) else None
        members = lanes.setdefault(key, []) if key else []
        if key and (not members or point.pdu >= block.points[members[-1]].pdu + block.points[members[-1]].words):
            members.append(index)
        else:
            rest.append(index)
    return tuple(_lane(block, packs_little, end, members) for (packs_little, end), members in lanes.items()), rest


def _fits_lane(point: Point) -> bool:
    row = TYPES[point.type]
    if not row.code or point.bit is not None or point.bits is not None or point.held_by is not None:
        return False
    return not (row.is_float and point.invalid)


def _lane(block: ReadBlock, packs_little: bool, end: str, members: list[int]) -> _Lane:
    layout, place = end, int(block.address)
    for index in members:
        point = block.points[index]
        layout += f"{(point.pdu - place) * 2}x{TYPES[point.type].code}"
        place = point.pdu + point.words
    layout += f"{(block.address + block.count - place) * 2}x"
    runs: list[list[int]] = []
    for number, index in enumerate(members):
        if runs and index == members[number - 1] + 1 and _kind(block.points[index]) == _kind(block.points[index - 1]):
            runs[-1].append(number)
        else:
            runs.append([number])
    return _Lane(packs_little, struct.Struct(layout).unpack, tuple(_run(block, members, run) for run in runs))


def _kind(point: Point) -> tuple[bool, bool]:
    return TYPES[point.type].is_float, is_plain(point) and not point.invalid


def _run(block: ReadBlock, members: list[int], numbers: list[int]) -> _Run:
    points = [block.points[members[number]] for number in numbers]
    is_float, plain = _kind(points[0])
    first = members[numbers[0]]
    return _Run(
        source=slice(numbers[0], numbers[-1] + 1),
        target=slice(first, first + len(numbers)),
        is_float=is_float,
        finishers=() if plain else tuple(_guarded(point) for point in points),
    )


def _guarded(point: Point) -> Finisher:
    """The point's finisher, after its sentinels as the numbers that `struct` gives for them."""
    finish_one = finisher(point)
    if not point.invalid:
        return finish_one
    shape = shape_of(point)
    sentinels = {TYPES[point.type].decode(bits, shape)[0]: reason for bits, reason in point.invalid.items()}

    def guarded(raw: Raw) -> Finished:
        reason = sentinels.get(raw)
        return finish_one(raw) if reason is None else (None, reason)

    return guarded


def _single(block: ReadBlock, index: int) -> _Single:
    point = block.points[index]
    return _Single(index, _reader(block, point), finisher(point))


def _reader(block: ReadBlock, point: Point) -> Callable[[Sequence[int]], Decoded]:
    shape, start = shape_of(point), point.pdu - block.address
    if point.words == 1 and point.order in (Order.ABCD, Order.CDAB) and point.type in _WHOLE and not point.invalid:
        return _bits_reader(shape, start)
    stop, invalid = start + point.words, point.invalid
    return lambda words: to_raw(words[start:stop], shape, invalid)


_WHOLE = frozenset({DataType.BOOL, DataType.UINT8, DataType.UINT16})


def _bits_reader(shape: Shape, start: int) -> Callable[[Sequence[int]], Decoded]:
    """One or some bits of one register: the common status word, without a detour."""
    mask, low = shape.mask, shape.low
    if shape.type is DataType.BOOL:
        return lambda words: (words[start] & mask != 0, None)
    return lambda words: ((words[start] & mask) >> low, None)


def _late_of(block: ReadBlock) -> tuple[_Late, ...]:
    """Points with a held scale, each after the point that holds it."""
    place = {point.name: index for index, point in enumerate(block.points)}
    done: dict[str, _Late] = {}

    def add(point: Point) -> None:
        name = point.held_by
        if name is None or point.name in done:
            return
        source = place.get(name)
        if source is not None:
            add(block.points[source])
        done[point.name] = _Late(place[point.name], point, _reader(block, point), name, source)

    for point in block.points:
        add(point)
    return tuple(done.values())
