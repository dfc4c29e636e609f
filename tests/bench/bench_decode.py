"""How long decoding takes, per point and per block: `python tests/bench/bench_decode.py`. Prints; judges nothing."""

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from time import process_time
from timeit import repeat
from typing import Any

from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.codec import TYPES
from gateway.model.decode import compile_block
from gateway.model.plan import PlanLimits, plan_blocks
from gateway.model.point import DataType, Order, Point, Valid
from gateway.model.quality import NOT_AVAILABLE

AT = datetime(2026, 1, 1, tzinfo=UTC)
ROUNDS = 2000


def main() -> None:
    """Print one line per kind of block."""
    tenth, limits = Decimal("0.1"), Valid(min=Decimal(0), max=Decimal(500))
    _measure("float32 ABCD", _row("float32", 60), [0x42F6, 0xE979] * 60)
    _measure("float32 CDAB", _row("float32", 60, order=Order.CDAB), [0xE979, 0x42F6] * 60)
    _measure("float32 with valid", _row("float32", 60, valid=limits), [0x42F6, 0xE979] * 60)
    _measure("uint16", _row("uint16", 120), [2301] * 120)
    _measure("int16 x 0.1, sentinel", _row("int16", 120, scale=tenth, invalid={0x8000: NOT_AVAILABLE}), [2301] * 120)
    _measure("int32 x 0.1", _row("int32", 60, scale=tenth), [0, 2301] * 60)
    _measure("bits of a word", [_point("bool", f"b{bit}", bit // 16, bit=bit % 16) for bit in range(64)], [0xA5A5] * 4)
    _measure("bcd32", _row("bcd32", 60), [0x1234, 0x5678] * 60)
    _measure("coils", [_point("bool", f"c{place}", place, table=Table.COIL) for place in range(1000)], [1, 0] * 500)


def _point(type_: str, name: str, pdu: int, *, table: Table = Table.HOLDING, **facts: Any) -> Point:
    kind = DataType(type_)
    return Point(name=name, table=table, pdu=PduAddress(pdu), words=TYPES[kind].words or 1, type=kind, **facts)


def _row(type_: str, count: int, **facts: Any) -> list[Point]:
    words = TYPES[DataType(type_)].words or 1
    return [_point(type_, f"p{place}", place * words, **facts) for place in range(count)]


def _measure(name: str, points: Sequence[Point], words: Sequence[int]) -> None:
    (block,) = plan_blocks(points, UnitId(1), "normal", PlanLimits())
    decoder = compile_block(block)
    decode: Callable[[], object] = lambda: decoder.decode(words, AT, 0.0)  # noqa: E731 - timed as it is
    best_s = min(repeat(decode, timer=process_time, number=ROUNDS, repeat=5)) / ROUNDS
    sys.stdout.write(f"{name:24} {len(points):5} points  {best_s * 1e6:8.1f} us a block  {best_s / len(points) * 1e9:6.0f} ns a point\n")


if __name__ == "__main__":
    main()
