"""How long decoding takes, per point and per block, beside one bare `struct.unpack` of the same words."""

import struct
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
from tests.bench.report import Result, Run, say

AT = datetime(2026, 1, 1, tzinfo=UTC)


def measure(run: Run) -> Result:
    """Nanoseconds a point, by kind of block."""
    rounds = 2000 if run.full else 200
    found: dict[str, float] = {}

    def take(name: str, points: Sequence[Point], words: Sequence[int]) -> None:
        (block,) = plan_blocks(points, UnitId(1), "normal", PlanLimits())
        decoder = compile_block(block)
        found[name] = _best_ns(lambda: decoder.decode(words, AT, 0.0), rounds) / len(points)

    tenth, limits = Decimal("0.1"), Valid(min=Decimal(0), max=Decimal(500))
    take("float32 ABCD", _row("float32", 60), [0x42F6, 0xE979] * 60)
    take("float32 CDAB", _row("float32", 60, order=Order.CDAB), [0xE979, 0x42F6] * 60)
    take("float32 with valid", _row("float32", 60, valid=limits), [0x42F6, 0xE979] * 60)
    take("uint16", _row("uint16", 120), [2301] * 120)
    take("int16 x 0.1, sentinel", _row("int16", 120, scale=tenth, invalid={0x8000: NOT_AVAILABLE}), [2301] * 120)
    take("int32 x 0.1", _row("int32", 60, scale=tenth), [0, 2301] * 60)
    take("bits of a word", [_point("bool", f"b{bit}", bit // 16, bit=bit % 16) for bit in range(64)], [0xA5A5] * 4)
    take("bcd32", _row("bcd32", 60), [0x1234, 0x5678] * 60)
    take("coils", [_point("bool", f"c{place}", place, table=Table.COIL) for place in range(1000)], [1, 0] * 500)
    data = struct.pack(">120H", *[0x42F6, 0xE979] * 60)
    bare = _best_ns(lambda: struct.unpack(">60f", data), rounds) / 60
    return Result(figures={"ns_a_point": found}, baseline={"struct_unpack_float32_ns_a_point": bare})


def _point(type_: str, name: str, pdu: int, *, table: Table = Table.HOLDING, **facts: Any) -> Point:
    kind = DataType(type_)
    return Point(name=name, table=table, pdu=PduAddress(pdu), words=TYPES[kind].words or 1, type=kind, **facts)


def _row(type_: str, count: int, **facts: Any) -> list[Point]:
    words = TYPES[DataType(type_)].words or 1
    return [_point(type_, f"p{place}", place * words, **facts) for place in range(count)]


def _best_ns(work: Callable[[], object], rounds: int) -> float:
    return 1e9 * min(repeat(work, timer=process_time, number=rounds, repeat=5)) / rounds


if __name__ == "__main__":
    say("decode", measure)
