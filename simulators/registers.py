"""The registers of one simulated device, filled and read by the points of its register map."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from gateway.errors import UnknownTagError
from gateway.model.address import PduAddress, Table
from gateway.model.point import Access, DataType, FieldOf, Point, RegisterMap
from gateway.model.sample import Scalar
from simulators import pdu
from simulators.encoding import FLOATS, TEXTS, bits_of_words, decode, encode, words_of_bits
from simulators.sunspec import lay_out
from simulators.values import field_of, field_raw, to_raw, to_value, with_field

Cell = tuple[int, Table, int]
"""Unit id, table, PDU address."""


class Bank:
    """What a device of `register_map` holds, by (unit id, table, address).

    Addresses that no point covers do not exist, but for gaps up to the map's `max_gap` and its `readable` ranges,
    which read as 0. A write-only point has cells of its own: its address may mean something else when read.
    """

    def __init__(self, register_map: RegisterMap, unit_id: int | None = None) -> None:
        self.map = register_map
        self.facts = register_map.device
        self.unit_id = unit_id if unit_id is not None else register_map.device.unit_id or 1
        bases, fixed = lay_out(register_map)
        self._points = {
            name: replace(point, pdu=PduAddress(point.pdu + bases[point.base])) if point.base else point
            for name, point in register_map.points.items()
        }
        self.units = frozenset(self._unit(point) for point in self._points.values()) | {self.unit_id}
        self._cells: dict[Cell, int] = {(self.unit_id, Table.HOLDING, address): word for address, word in fixed.items()}
        self._commands: dict[Cell, int] = {}
        self._writable: dict[Cell, list[Point]] = {}
        for point in self._points.values():
            self._add(point)
        for point in self._points.values():
            self._choose_scale(point)
        for unit_id_ in self.units:
            self._open_gaps(unit_id_)
        self._masks: dict[Cell, int] = {}
        self.on_write: Callable[[str, Scalar], None] = lambda _name, _value: None
        """Told name and new value of every point that a request wrote."""

    def point(self, name: str) -> Point:
        """The point as it lies in this device (bases resolved); raises UnknownTagError."""
        try:
            return self._points[name]
        except KeyError:
            raise UnknownTagError(f"{self.map.id}.{name}") from None

    def cells(self, name: str) -> tuple[Cell, ...]:
        """Where the point lies."""
        point = self.point(name)
        return tuple((self._unit(point), point.table, point.pdu + place) for place in range(point.words))

    def set(self, name: str, value: Scalar) -> None:
        """Make the device hold `value`, in the engineering unit; raises ValueError if the registers cannot.

        `POINT.FIELD` sets one field of a word.
        """
        name, _, part = name.partition(".")
        point = self.point(name)
        if part:
            field = self._field(point, part)
            bits = with_field(bits_of_words(self._words(point), point.order), field, field_raw(field, value))
            self._store(point, words_of_bits(bits, point.words, point.order))
            return
        raw = to_raw(point, value, self._value_of)
        if point.table.is_bits:
            self._store(point, (int(bool(raw)),))
        else:
            self._store(point, encode(point, raw, self._words(point)))

    def get(self, name: str) -> Scalar:
        """The value the registers hold now, of a point or of `POINT.FIELD` (its code)."""
        name, _, part = name.partition(".")
        point = self.point(name)
        if part:
            return field_of(bits_of_words(self._words(point), point.order), self._field(point, part))
        words = self._words(point)
        return bool(words[0]) if point.table.is_bits else to_value(point, decode(point, words), self._value_of)

    def mask(self, name: str) -> Callable[[], None]:
        """Make reads of the point show "no value" (its sentinel, NaN, or FF text) until the returned function is called."""
        words = no_value(self.point(name))
        hidden = dict(zip(self.cells(name), words, strict=True))
        self._masks.update(hidden)

        def unmask() -> None:
            for cell in hidden:
                self._masks.pop(cell, None)

        return unmask

    def read(self, table: Table, address: int, count: int, unit_id: int | None = None) -> tuple[int, ...] | None:
        """The registers (or bits as 0 and 1), or None if one of them does not exist."""
        unit = self.unit_id if unit_id is None else unit_id
        wanted = [(unit, table, address + place) for place in range(count)]
        if not all(cell in self._cells for cell in wanted):
            return None
        return tuple(self._masks.get(cell, self._cells[cell]) for cell in wanted)

    def write(self, table: Table, address: int, words: Sequence[int], unit_id: int | None = None) -> bool:
        """Store the registers or bits; False, and nothing stored, if one of them cannot be written.

        Raises ValueError, and stores nothing, for digits or text that the point cannot hold.
        """
        unit = self.unit_id if unit_id is None else unit_id
        wanted = {(unit, table, address + place): word for place, word in enumerate(words)}
        if not all(cell in self._writable for cell in wanted):
            return False
        touched = {point.name: point for cell in wanted for point in self._writable[cell]}
        kept = {name: self._words(point) for name, point in touched.items()}
        for cell, word in wanted.items():
            for point in self._writable[cell]:
                self._home(point)[cell] = word
        try:
            values = {name: self.get(name) for name in touched}
        except ValueError:
            for name, old in kept.items():
                self._store(touched[name], old)
            raise
        for name, point in touched.items():
            is_part = point.bit is not None or point.bits is not None
            if not is_part or decode(point, kept[name]) != decode(point, self._words(point)):
                self.on_write(name, values[name])
        return True

    def serve_pdu(self, unit_id: int, request: bytes) -> bytes | None:
        """The reply PDU to a request PDU; None is silence (another unit's request, or a write without reply)."""
        return pdu.serve(self, unit_id, request) if unit_id in self.units else None

    def is_silent_write(self, unit_id: int, table: Table, address: int) -> bool:
        """True if the device does not answer writes there (`write.reply: none` in the map)."""
        return any(point.write is not None and not point.write.reply for point in self._writable.get((unit_id, table, address), ()))

    def _field(self, point: Point, name: str) -> FieldOf:
        for part in point.fields:
            if part.name == name:
                return part
        raise UnknownTagError(f"{self.map.id}.{point.name}.{name}")

    def _unit(self, point: Point) -> int:
        return point.unit_id if point.unit_id is not None else self.unit_id

    def _home(self, point: Point) -> dict[Cell, int]:
        return self._commands if point.access is Access.WO else self._cells

    def _add(self, point: Point) -> None:
        for cell in self.cells(point.name):
            self._home(point).setdefault(cell, 0)
            if point.access is not Access.RO:
                self._writable.setdefault(cell, []).append(point)

    def _choose_scale(self, point: Point) -> None:
        """A register that chooses another point's scale or range starts with a code that exists."""
        chooser = point.scale_from or point.range_from
        if chooser is not None and chooser.table:
            code = self.point(chooser.point)
            self._store(code, encode(code, next(iter(chooser.table)), self._words(code)))

    def _open_gaps(self, unit_id: int) -> None:
        for table in Table:
            known = sorted(address for unit, of, address in self._cells if (unit, of) == (unit_id, table))
            open_: list[Iterable[int]] = [range(low, high + 1) for low, high in self.facts.readable.get(table, ())]
            open_ += [range(low + 1, high) for low, high in pairwise(known) if high - low - 1 <= self.facts.max_gap]
            for addresses in open_:
                for address in addresses:
                    self._cells.setdefault((unit_id, table, address), 0)

    def _words(self, point: Point) -> list[int]:
        home = self._home(point)
        return [home[cell] for cell in self.cells(point.name)]

    def _store(self, point: Point, words: Sequence[int]) -> None:
        self._home(point).update(zip(self.cells(point.name), words, strict=True))

    def _value_of(self, name: str) -> Decimal:
        return Decimal(self.get(name))


def no_value(point: Point) -> tuple[int, ...]:
    """Registers that say "no value" at this point; raises ValueError if it has no way to say so."""
    if point.invalid and point.bit is None and point.bits is None and not point.table.is_bits:
        return words_of_bits(next(iter(point.invalid)), point.words, point.order)
    if point.type in FLOATS:
        quiet_nan = {DataType.FLOAT16: 0x7E00, DataType.FLOAT32: 0x7FC00000, DataType.FLOAT64: 0x7FF8 << 48}
        return words_of_bits(quiet_nan[point.type], point.words, point.order)
    if point.type in TEXTS:
        return (0xFFFF,) * point.words
    raise ValueError(f"{point.name} has no `invalid` pattern and is no float: it cannot say that there is no value")
