"""Threats from the field side (THREATS G): what a device sends, and what a person may ask of it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant import tools
from gateway.app.diagnosing import read_identity
from gateway.errors import LinkError
from gateway.link.base import Read
from gateway.model.address import PduAddress, Table, UnitId
from gateway.service.read import FRESH_EVERY_S
from tests.fake_device import Asked, FakeDevice, Kind, rig
from tests.running_plant import running_plant

ROOT = Path(__file__).parents[2]


def holding(address: int, count: int) -> Read:
    return Read(unit_id=UnitId(1), table=Table.HOLDING, address=PduAddress(address), count=count)


FOREIGN: dict[str, Callable[[Asked], bytes]] = {
    "other-unit": lambda asked: asked.words([7777] * 4, unit=9),
    "other-function": lambda asked: asked.frame(bytes((4, 8)) + bytes((0x1E, 0x61)) * 4),
    "shorter": lambda asked: asked.words([7777] * 3),
    "longer": lambda asked: asked.words([7777] * 5),
    "oversize": lambda asked: asked.frame(bytes((3, 254)) + bytes(254 + 40)),
    "garbage": lambda _: bytes.fromhex("deadbeef") * 8,
}


@pytest.mark.parametrize("kind", ["tcp", "rtu_over_tcp"])
@pytest.mark.parametrize("bytes_of", FOREIGN.values(), ids=FOREIGN)
async def test_foreign_reply_is_never_a_value_and_shifts_none_T90(kind: Kind, bytes_of: Callable[[Asked], bytes]) -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        device.send(bytes_of(asked) if len(device.asked) == 1 else device.right(asked))

    async with rig(kind, FakeDevice(bank={place: place for place in range(50)}, script=script)) as r:
        try:
            asked_again = (await r.bus.exchange(holding(0, 4))).words
        except LinkError:
            pass
        else:
            assert tuple(asked_again) == (0, 1, 2, 3)
            assert len(r.device.asked) > 1, "bytes that are no frame are asked for again, not believed"
        for address in (4, 8, 12):
            words = (await r.bus.exchange(holding(address, 4))).words
            assert tuple(words) == (address, address + 1, address + 2, address + 3)


async def test_reply_to_another_transaction_is_never_a_value_T90() -> None:
    async def script(device: FakeDevice, asked: Asked) -> None:
        device.send(asked.words([7777], tid=(asked.tid or 0) - 1) if len(device.asked) == 1 else device.right(asked))

    async with rig("tcp", FakeDevice(bank={1: 11}, script=script)) as r:
        with pytest.raises(LinkError):
            await r.bus.exchange(holding(0, 1))
        assert tuple((await r.bus.exchange(holding(1, 1))).words) == (11,)


def named(vendor: bytes) -> FakeDevice:
    """A device that says who made it (function 43/14)."""

    async def script(device: FakeDevice, asked: Asked) -> None:
        objects = b"".join(bytes((place, len(text))) + text for place, text in enumerate((vendor, b"X1", b"2.0")))
        device.send(asked.frame(bytes((0x2B, 0x0E, asked.pdu[2], 0x82, 0, 0, 3)) + objects))

    return FakeDevice(script=script)


@pytest.mark.parametrize("vendor", [b"ACME", b"EMCA"])
async def test_diagnosis_shows_who_answers_under_an_address_T91(vendor: bytes) -> None:
    async with rig("tcp", named(vendor)) as r:
        found = await read_identity(r.bus, UnitId(1))
    assert (found["vendor"], found["revision"]) == (vendor.decode(), "2.0")


async def test_administrators_are_told_what_modbus_cannot_do_T91() -> None:
    told = await asyncio.to_thread((ROOT / "docs/administrators/security.md").read_text, encoding="utf-8")
    assert "segment the network" in told


async def test_a_hundred_questions_at_once_cost_the_bus_next_to_nothing_T92(tmp_path: Path) -> None:
    async with running_plant(tmp_path) as plant:
        read, tags = plant.gateway.read, ["vfd1.speed_sp", "vfd1.speed_fb"]
        bus = plant.gateway.wire.devices["vfd1"].bus
        await read.fresh(tags)
        started, before = plant.gateway.clock.monotonic(), bus.stats.exchanges
        for _ in range(100):
            read.latest(tags)
        assert bus.stats.exchanges == before, "what is polled is answered from memory"
        for _ in range(100):
            await read.fresh(tags)
        took_s = plant.gateway.clock.monotonic() - started
        polled = sum(4 / period for device in plant.gateway.wire.devices.values() for period in device.map.periods.values() if period)
        assert bus.stats.exchanges - before <= (took_s + 1) * (polled + 4 / FRESH_EVERY_S)


async def test_no_tool_scans_reads_raw_or_forces_T92() -> None:
    offered = {tool.name for tool in tools.discover()}
    assert offered == {
        "list_devices",
        "find_points",
        "read_points",
        "get_history",
        "list_alarms",
        "search_manuals",
        "propose_write",
        "propose_ack",
        "device_health",
        "get_audit",
    }


async def test_value_of_a_silent_device_is_never_shown_as_live_T93(tmp_path: Path) -> None:
    async with running_plant(tmp_path) as plant:
        client = await plant.signed_in("viewer")
        good = (await client.get("/api/v1/points/lt1.level")).json()["sample"]
        assert (good["value"], good["quality"]) == (63, "GOOD")
        plant.simulated.fault("mute", device="lt1")
        while (sample := (await client.get("/api/v1/points/lt1.level")).json()["sample"])["quality"] == "GOOD":
            assert sample["age_s"] < 60, "a good value says how old it is"
            await plant.gateway.clock.sleep(0.1)
        assert sample["reason"] in ("timeout", "stale")
        assert sample["value"] is None or sample["quality"] == "UNCERTAIN"
