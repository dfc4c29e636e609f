"""Points for tests, with the size that their type has by nature."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from gateway.model.address import PduAddress, Table
from gateway.model.codec import TYPES
from gateway.model.point import Access, DataType, Point, Text, Valid, WriteRule

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def point(type_: str = "uint16", name: str = "value", pdu: int = 0, **facts: Any) -> Point:
    """A readable point of `type_`; other attributes of Point by name."""
    kind = DataType(type_)
    words = facts.pop("words", TYPES[kind].words or 1)
    table = Table(facts.pop("table", "holding"))
    return Point(name=name, table=table, pdu=PduAddress(pdu), words=words, type=kind, **facts)


def writable(base: Point, **rule: Any) -> Point:
    """The same point with a write rule."""
    return replace(base, access=Access.RW, write=WriteRule(**rule))


def labels(**codes: int) -> dict[int, Text]:
    """An enum: `labels(off=0, on=1)`."""
    return {code: Text(en=label, zh=f"{label}-zh") for label, code in codes.items()}


def valid(low: str | None, high: str | None) -> Valid:
    """Limits outside which a value is UNCERTAIN."""
    return Valid(min=None if low is None else Decimal(low), max=None if high is None else Decimal(high))
