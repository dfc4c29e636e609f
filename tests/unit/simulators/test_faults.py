"""Each fault, shown to act on one exchange: what leaves, what the device holds, and that it ends."""

import random
from datetime import UTC, datetime

import pytest

from gateway.clock import ManualClock
from gateway.errors import ConfigError, UnknownTagError
from gateway.model.point import Access, DataType, WriteRule
from simulators.fault import Exchange
from simulators.fault_args import Arg
from simulators.frames import Adu, LinkKind
from simulators.plant import Plant, SimDevice, SimLink
from simulators.simulated_plant import SimulatedPlant
from tests.unit.simulators.small_maps import point, register_map

READ = "03 00 00 00 02"
RIGHT = "00 07 00 00 00 07 01 03 04 12 34 00 05"
WRITE = "06 00 01 00 09"
WRITTEN = "00 07 00 00 00 06 01 06 00 01 00 09"


class Rig:
    """One device (unit 1) and another (unit 2) on one link, without a wire."""

    def __init__(self, kind: LinkKind = "tcp") -> None:
        points = (
            point("a", 0),
            point("b", 1, access=Access.RW, write=WriteRule()),
            point("c", 10, DataType.FLOAT32),
        )
        small = register_map(*points)
        self.clock = ManualClock(datetime(2026, 3, 10, tzinfo=UTC))
        devices = {f"d{unit}": SimDevice(link="link", unit_id=unit, map=small) for unit in (1, 2)}
        links = {"link": SimLink(kind=kind), "elsewhere": SimLink(kind=kind)}
        values = {"d1.a": 0x1234, "d1.b": 5, "d1.c": 2.5, "d2.a": 2}
        self.plant = SimulatedPlant(Plant(id="rig", links=links, devices=devices, values=values), self.clock, seed=1, steady=True)
        self.station = self.plant._stations["link"]

    def exchange(self, request: str = READ, unit: int = 1, connected_s: float = 10.0) -> Exchange:
        adu = Adu(unit_id=unit, pdu=bytes.fromhex(request), transaction_id=7)
        return self.station.exchange(adu, self.station.framing.build(adu), connected_s)

    def ask(self, request: str = READ, unit: int = 1) -> list[tuple[float, str]]:
        """What leaves, and when."""
        return [(round(piece.delay_s, 4), piece.data.hex(" ").upper()) for piece in self.exchange(request, unit).pieces]


@pytest.mark.parametrize(
    ("name", "args", "request_", "pieces"),
    [
        pytest.param("mute", {}, READ, [], id="mute"),
        pytest.param("mute_unit", {"unit": 1}, READ, [], id="mute_unit"),
        pytest.param("mute_unit", {"unit": 2}, READ, [(0, RIGHT)], id="mute_unit-other"),
        pytest.param("black_hole", {}, READ, [], id="black_hole"),
        pytest.param("drop", {}, READ, [], id="drop"),
        pytest.param("late", {"delay_s": 0.5}, READ, [(0.5, RIGHT)], id="late"),
        pytest.param("duplicate", {"gap_s": 0.1}, READ, [(0, RIGHT), (0.1, RIGHT)], id="duplicate"),
        pytest.param("stale_first", {}, READ, [(0, "00 06 00 00 00 07 01 03 04 11 11 11 11 " + RIGHT)], id="stale_first"),
        pytest.param("foreign_first", {"unit": 9}, READ, [(0, "00 07 00 00 00 07 09 03 04 12 34 00 05 " + RIGHT)], id="foreign_first"),
        pytest.param("split", {"at": 7, "gap_s": 0.02}, READ, [(0, RIGHT[:20]), (0.02, RIGHT[21:])], id="split"),
        pytest.param("byte_by_byte", {"gap_s": 0.001}, READ, [(n / 1000, RIGHT[3 * n : 3 * n + 2]) for n in range(13)], id="byte_by_byte"),
        pytest.param("truncate", {"missing": 2}, READ, [(0, RIGHT[:-6])], id="truncate"),
        pytest.param("noise_before", {"data": "FFFF"}, READ, [(0, "FF FF " + RIGHT)], id="noise_before"),
        pytest.param("trailing_bytes", {}, READ, [(0, RIGHT + " DE AD")], id="trailing_bytes"),
        pytest.param("bad_length", {"length": 300}, READ, [(0, "00 07 00 00 01 2C 01 03 04 12 34 00 05")], id="bad_length"),
        pytest.param("protocol_id", {}, READ, [(0, "00 07 00 01 00 07 01 03 04 12 34 00 05")], id="protocol_id"),
        pytest.param("wrong_unit", {"unit": 0}, READ, [(0, "00 07 00 00 00 07 00 03 04 12 34 00 05")], id="wrong_unit"),
        pytest.param("wrong_function", {}, READ, [(0, "00 07 00 00 00 07 01 04 04 12 34 00 05")], id="wrong_function"),
        pytest.param("wrong_tid", {}, READ, [(0, "00 06 00 00 00 07 01 03 04 12 34 00 05")], id="wrong_tid"),
        pytest.param("tid_plus_one", {}, READ, [(0, "00 08 00 00 00 07 01 03 04 12 34 00 05")], id="tid_plus_one"),
        pytest.param("tid_zero", {}, READ, [(0, "00 00 00 00 00 07 01 03 04 12 34 00 05")], id="tid_zero"),
        pytest.param("short_bytes", {"count": 3}, READ, [(0, "00 07 00 00 00 06 01 03 03 12 34 00")], id="short_bytes"),
        pytest.param("short_bytes", {"count": 6}, READ, [(0, "00 07 00 00 00 09 01 03 06 12 34 00 05 00 00")], id="short_bytes-longer"),
        pytest.param("wrong_byte_count", {"count": 2}, READ, [(0, "00 07 00 00 00 07 01 03 02 12 34 00 05")], id="wrong_byte_count"),
        pytest.param("wrong_echo", {}, WRITE, [(0, "00 07 00 00 00 06 01 06 00 01 00 63")], id="wrong_echo"),
        pytest.param("wrong_echo", {}, READ, [(0, RIGHT)], id="wrong_echo-read"),
        pytest.param("exception", {"code": 0x55}, READ, [(0, "00 07 00 00 00 03 01 83 55")], id="exception"),
        pytest.param("busy_n", {}, READ, [(0, "00 07 00 00 00 03 01 83 06")], id="busy_n"),
        pytest.param("hole", {"addresses": "1"}, READ, [(0, "00 07 00 00 00 03 01 83 02")], id="hole"),
        pytest.param("hole", {"addresses": "2..9"}, READ, [(0, RIGHT)], id="hole-beside"),
        pytest.param("hole", {"addresses": "0..9", "table": "input"}, READ, [(0, RIGHT)], id="hole-other-table"),
        pytest.param("hole", {"addresses": "0..9"}, WRITE, [(0, WRITTEN)], id="hole-write"),
        pytest.param("refuse_above", {"most": 1}, READ, [(0, "00 07 00 00 00 03 01 83 03")], id="refuse_above"),
        pytest.param("refuse_above", {"most": 1, "code": 0}, READ, [], id="refuse_above-silent"),
        pytest.param("refuse_above", {"most": 2}, READ, [(0, RIGHT)], id="refuse_above-small"),
        pytest.param("restart_zero", {}, READ, [(0, "00 07 00 00 00 07 01 03 04 00 00 00 00")], id="restart_zero"),
        pytest.param("nan", {"tag": "d1.c"}, "03 00 0A 00 02", [(0, "00 07 00 00 00 07 01 03 04 7F C0 00 00")], id="nan"),
        pytest.param("stale", {"tag": "d1.a"}, READ, [], id="stale"),
        pytest.param("stale", {"tag": "d1.a"}, "03 00 01 00 01", [(0, "00 07 00 00 00 05 01 03 02 00 05")], id="stale-beside"),
        pytest.param("stale", {"tag": "d2.a"}, READ, [(0, RIGHT)], id="stale-other-device"),
        pytest.param("refuse_point", {"tag": "d1.b"}, READ, [(0, "00 07 00 00 00 03 01 83 02")], id="refuse_point"),
        pytest.param(
            "refuse_point", {"tag": "d1.b"}, "03 00 00 00 01", [(0, "00 07 00 00 00 05 01 03 02 12 34")], id="refuse_point-beside"
        ),
        pytest.param("refuse_point", {"tag": "d1.b"}, WRITE, [(0, WRITTEN)], id="refuse_point-write"),
        pytest.param("ignore_write", {}, WRITE, [(0, WRITTEN)], id="ignore_write"),
        pytest.param("clamp", {"tag": "d1.b", "high": 8.0}, WRITE, [(0, WRITTEN)], id="clamp"),
        pytest.param("die_after_write", {}, WRITE, [], id="die_after_write"),
        pytest.param("delay_write", {}, WRITE, [(0, WRITTEN)], id="delay_write"),
    ],
)
def test_a_fault_shows_on_the_wire_and_ends(name: str, args: dict[str, Arg], request_: str, pieces: list[tuple[float, str]]) -> None:
    rig = Rig()
    active = rig.plant.fault(name, **args)
    assert rig.ask(request_) == pieces
    assert active.hits == 1
    active.clear()
    assert rig.ask(READ)[0][1][:26] == RIGHT[:26]


def test_an_echo_comes_before_the_reply_and_from_a_mute_device_alone() -> None:
    rig = Rig("rtu")
    rig.plant.fault("echo")
    (_, echo), (_, reply) = rig.ask()
    assert echo == "01 03 00 00 00 02 C4 0B"
    assert reply.startswith("01 03 04 12 34 00 05")
    rig.plant.fault("mute")
    assert rig.ask(WRITE) == [(0, "01 06 00 01 00 09 18 0C")]


def test_a_crc_error_spoils_the_crc_alone() -> None:
    rig = Rig("rtu")
    (_, right), *_ = rig.ask()
    rig.plant.fault("crc_error")
    (_, wrong), *_ = rig.ask()
    assert wrong[:-6] == right[:-6]
    assert wrong != right


def test_swapped_replies_come_in_pairs_in_wrong_order() -> None:
    rig = Rig()
    rig.plant.fault("swap")
    assert rig.ask() == []
    first, second = rig.ask("03 00 01 00 01")
    assert second[1] == RIGHT
    assert first[1] == "00 07 00 00 00 05 01 03 02 00 05"


@pytest.mark.parametrize(
    ("name", "args", "at_once", "later"),
    [
        ("drop", {}, 9, 9),
        ("mute", {}, 5, 5),
        ("ignore_write", {}, 5, 5),
        ("delay_write", {"delay_s": 2.0}, 5, 9),
        ("clamp", {"tag": "d1.b", "low": 0.0, "high": 8.0}, 8, 8),
        ("die_after_write", {}, 9, 9),
        ("wrong_echo", {}, 9, 9),
        ("exception", {}, 5, 5),
        ("close_before_reply", {}, 9, 9),
    ],
)
async def test_what_a_write_does_under_a_fault(name: str, args: dict[str, Arg], at_once: int, later: int) -> None:
    rig = Rig()
    rig.plant.fault(name, **args)
    rig.exchange(WRITE)
    assert rig.plant.get("d1.b") == at_once
    await rig.clock.advance(2.0)
    assert rig.plant.get("d1.b") == later
    assert [request.pdu.hex(" ") for request in rig.plant.requests()] == [WRITE]


def test_a_device_that_died_stays_silent() -> None:
    rig = Rig()
    rig.plant.fault("die_after_write")
    assert rig.ask() == [(0, RIGHT)]
    assert rig.exchange(WRITE).is_last
    assert rig.ask() == []


@pytest.mark.parametrize("name", ["close_after_reply", "close_before_reply", "unplugged"])
def test_the_connection_ends(name: str) -> None:
    rig = Rig()
    assert not rig.exchange().is_last
    rig.plant.fault(name)
    exchange = rig.exchange()
    assert exchange.is_last
    assert bool(exchange.pieces) == (name == "close_after_reply")


def test_connections_are_refused() -> None:
    rig = Rig()
    limit = rig.plant.fault("one_connection")
    assert [rig.station.admits(count) for count in (0, 1, 2)] == [True, False, False]
    limit.clear()
    assert rig.station.admits(1)
    rig.plant.fault("unplugged")
    assert not rig.station.admits(0)


def test_a_new_connection_is_deaf_for_a_while() -> None:
    rig = Rig()
    rig.plant.fault("connect_delay", delay_s=2.0)
    assert not rig.exchange(connected_s=1.9).pieces
    assert rig.exchange(connected_s=2.0).pieces


def test_idle_connections_are_closed_where_asked() -> None:
    rig = Rig()
    assert rig.station.idle_close_s is None
    rig.plant.fault("idle_close", after_s=3.0, link="elsewhere")
    assert rig.station.idle_close_s is None
    rig.plant.fault("idle_close", after_s=3.0)
    assert rig.station.idle_close_s == 3.0


@pytest.mark.parametrize(
    ("aim", "hits"),
    [
        ({"times": 2}, [True, True, False, False]),
        ({"skip": 1, "times": 2}, [False, True, True, False]),
        ({"unit_id": 2}, [False] * 4),
        ({"device": "d1"}, [True] * 4),
        ({"link": "elsewhere"}, [False] * 4),
        ({"function": 3}, [True] * 4),
        ({"function": 6}, [False] * 4),
        ({"chance": 0.0}, [False] * 4),
    ],
    ids=str,
)
def test_a_fault_acts_where_and_as_often_as_aimed(aim: dict[str, Arg], hits: list[bool]) -> None:
    rig = Rig()
    rig.plant.fault("mute", **aim)
    assert [not rig.ask() for _ in hits] == hits


def test_the_same_seed_gives_the_same_faults() -> None:
    def hits() -> list[bool]:
        rig = Rig()
        rig.plant.fault("mute", chance=0.5)
        return [not rig.ask() for _ in range(40)]

    first = hits()
    assert first == hits()
    assert 5 < sum(first) < 35


def test_jitter_stays_inside_its_bounds() -> None:
    rig = Rig()
    rig.plant.fault("late", delay_s=0.1, jitter_s=0.2)
    delays = [rig.ask()[0][0] for _ in range(20)]
    assert 0.1 <= min(delays) < max(delays) <= 0.3


def test_faults_of_one_exchange_add_up() -> None:
    rig = Rig()
    rig.plant.fault("exception", code=2)
    rig.plant.fault("wrong_function", other=4)
    rig.plant.fault("bad_length", length=2)
    assert rig.ask() == [(0, "00 07 00 00 00 02 01 84 02")]


def test_masks_go_with_their_fault() -> None:
    rig = Rig()
    rig.plant.fault("nan", tag="d1.c")
    rig.plant.clear_faults()
    assert rig.ask("03 00 0A 00 02") == [(0, "00 07 00 00 00 07 01 03 04 40 20 00 00")]


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("nan", {"tag": "d1.a"}, ConfigError),
        ("nan", {"tag": "d1.nothing"}, UnknownTagError),
        ("stale", {"tag": "d9.a"}, UnknownTagError),
        ("clamp", {"tag": "x"}, UnknownTagError),
        ("refuse_point", {"tag": "d1.nothing"}, UnknownTagError),
        ("freeze", {"tag": "x.y"}, UnknownTagError),
        ("hole", {"addresses": "5x"}, ConfigError),
        ("hole", {"addresses": "5", "table": "drawer"}, ConfigError),
        ("noise_before", {"data": "XY"}, ConfigError),
        ("mute", {"device": "d9"}, UnknownTagError),
        ("mute", {"link": "nowhere"}, ConfigError),
    ],
)
def test_a_fault_that_means_nothing_here_is_refused_at_once(name: str, args: dict[str, Arg], error: type[Exception]) -> None:
    with pytest.raises(error):
        Rig().plant.fault(name, **args)


@pytest.mark.parametrize(("kind", "reply"), [("tcp", [(0, "00 07 00 00 00 03 09 83 0B")]), ("rtu", []), ("rtu_over_tcp", [])])
def test_a_unit_that_does_not_exist(kind: LinkKind, reply: list[tuple[float, str]]) -> None:
    assert Rig(kind).ask(unit=9) == reply


def test_a_broadcast_write_reaches_all_and_is_not_answered() -> None:
    rig = Rig("rtu")
    assert rig.ask(WRITE, unit=0) == []
    assert [rig.plant.get(f"d{unit}.b") for unit in (1, 2)] == [9, 9]
    assert rig.ask(READ, unit=0) == []


def test_without_a_wire_only_what_the_device_does_shows() -> None:
    rig = Rig()
    rig.plant.fault("late")
    assert rig.plant.serve_pdu("link", 1, bytes.fromhex(READ)) == bytes.fromhex("03 04 12 34 00 05")
    rig.plant.fault("wrong_unit")
    assert rig.plant.serve_pdu("link", 1, bytes.fromhex(READ)) is None


def test_randomness_comes_from_the_seed_alone() -> None:
    state = random.getstate()
    rig = Rig()
    rig.plant.fault("late", jitter_s=1.0)
    rig.ask()
    assert random.getstate() == state
