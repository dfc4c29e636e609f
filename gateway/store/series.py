"""How a sample lies in its row: a number for arithmetic in SQL, and text wherever a number cannot say it exactly."""

from collections.abc import Sequence
from decimal import Decimal

from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite

from gateway.model.sample import Scalar, Tag
from gateway.store.base import StoredSample, from_us, to_us
from gateway.store.tables import samples, series

Packed = tuple[str, float | None, str | None]
"""(kind, number, text); kind is `-` none, `b` bool, `i` int, `f` float, `s` text, `dN` decimal with N places."""

_EXACT_INT = 2**53
_MAX_PLACES = 9


class SeriesTable:
    """Writes samples; remembers the number of each tag. Used by the writer thread alone."""

    def __init__(self) -> None:
        self._ids: dict[Tag, int] = {}

    def keep(self, connection: Connection, rows: Sequence[StoredSample]) -> None:
        """Insert `rows`; of two samples of one tag at the same microsecond the later one stays."""
        self._number(connection, {row.tag for row in rows})
        last = {(self._ids[row.tag], to_us(row.at)): row for row in rows}
        values = []
        for (number_of_series, at), row in last.items():
            kind, number, text = pack(row.value)
            values.append({"series": number_of_series, "at": at, "kind": kind, "number": number, "text": text, "reason": row.reason})
        insert = _insert_of(connection)(samples)
        replaced = {name: insert.excluded[name] for name in ("kind", "number", "text", "reason")}
        connection.execute(insert.on_conflict_do_update(index_elements=["series", "at"], set_=replaced), values)

    def _number(self, connection: Connection, tags: set[Tag]) -> None:
        new = sorted(tags - self._ids.keys())
        if not new:
            return
        connection.execute(_insert_of(connection)(series).on_conflict_do_nothing(), [{"tag": tag} for tag in new])
        for start in range(0, len(new), 500):
            found = connection.execute(select(series.c.tag, series.c.id).where(series.c.tag.in_(new[start : start + 500])))
            self._ids.update({Tag(tag): number for tag, number in found})


def pack(value: Scalar | None) -> Packed:
    """The columns that hold `value` exactly.

    >>> pack(Decimal("45.10")), pack(True), pack(2**60)
    (('d2', 45.1, None), ('b', 1.0, None), ('i', 1.152921504606847e+18, '1152921504606846976'))
    """
    match value:
        case None:
            return "-", None, None
        case bool():
            return "b", float(value), None
        case int():
            return "i", float(value) if abs(value) < 10**300 else None, None if abs(value) <= _EXACT_INT else str(value)
        case float():
            return "f", value, None
        case Decimal():
            return _pack_decimal(value)
        case str():
            return "s", None, value.replace("\0", "\u2400").encode("utf-8", "replace").decode()


def unpack(kind: str, number: float | None, text: str | None) -> Scalar | None:
    """The value that `pack` was given."""
    match kind[0]:
        case "-":
            return None
        case "s":
            return text or ""
        case "i":
            return int(text) if text is not None else int(number or 0)
        case "d":
            return Decimal(text) if text is not None else _decimal(number or 0.0, int(kind[1:]))
        case "b":
            return bool(number)
        case _:
            return number


def sample_of(tag: str, at: int, kind: str, number: float | None, text: str | None, reason: str | None) -> StoredSample:
    """The sample that a row holds."""
    return StoredSample(tag=Tag(tag), at=from_us(at), value=unpack(kind, number, text), reason=reason)


def _pack_decimal(value: Decimal) -> Packed:
    if not value.is_finite():
        return "d0", None, str(value)
    number = float(value)
    exponent = value.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) else -1
    if 0 <= places <= _MAX_PLACES and abs(number) < 1e12 and str(_decimal(number, places)) == str(value):
        return f"d{places}", number, None
    return "d0", number, str(value)


def _decimal(number: float, places: int) -> Decimal:
    return Decimal(repr(number)).quantize(Decimal(1).scaleb(-places))


def _insert_of(connection: Connection) -> "type[sqlite.Insert] | type[postgresql.Insert]":
    return postgresql.Insert if connection.dialect.name == "postgresql" else sqlite.Insert
