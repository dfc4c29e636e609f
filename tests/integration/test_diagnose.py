"""A diagnosis of the simulated plant with one fault at a time: the right advice, and never a write."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.app.diagnosing import diagnose, read_identity
from gateway.app.relink import relinked
from gateway.cli import main
from gateway.clock import SystemClock
from gateway.link.transports import open_transport
from gateway.maps.load import load_map
from gateway.model.address import UnitId
from gateway.service.diagnose import LinkFindings
from gateway.settings import load_settings
from simulators.plant import device_plant, load_plant
from simulators.simulated_plant import SimulatedPlant
from tests.fake_device import Asked, FakeDevice, rig

PUMP = """\
regmap: 1
id: pump
vendor: Example
model: P1
kind: pump
title: {en: Pump, zh: 泵}
manual: {title: PLC list, addressing: pdu}
evidence: {level: document}
points:
  speed: {pdu: 0, table: holding, type: uint16, page: 1, name: {en: Speed, zh: 频率}}
"""
PUMPS = """\
site: {name: Test, timezone: UTC}
maps: [.]
links:
  - {id: lan1, transport: tcp, host: 127.0.0.1}
devices:
  - {id: pump, link: lan1, unit_id: 1, map: pump, title: "Pump {n}", repeat: {count: 2, base_stride: 1}}
"""
CONFIG = Path(__file__).parents[2] / "configs/demo.yaml"


@asynccontextmanager
async def served(*faults: str) -> AsyncIterator[tuple[SimulatedPlant, dict[str, str | tuple[str, int]]]]:
    plant = SimulatedPlant(load_plant("pump_station"), SystemClock(), 1, steady=True)
    for fault in faults:
        plant.fault_from(fault)
    async with plant.running(paced=False) as running:
        yield plant, dict(running.ports)


async def findings(device: str, *faults: str, seconds: float = 0.2, timeout_s: float = 0.1) -> LinkFindings:
    """What a short diagnosis of one device says about its link."""
    async with served(*faults) as (plant, ports):
        settings = relinked(load_settings(CONFIG), ports)
        settings = replace(settings, links=tuple(replace(link, timeout_s=timeout_s) for link in settings.links))
        (found,) = await diagnose(settings, SystemClock(), open_transport, devices=frozenset({device}), seconds=seconds)
        assert plant.written == []
    return found


ADVICE = {
    "echo": ("vfd1", "echo", "echo_mismatch", "local_echo: true for this link"),
    "rewritten-tid": ("lt1", "tid_plus_one", "transaction_mismatch", "rewrites transaction ids: set tid: ignore"),
    "crc": ("vfd1", "crc_error", "crc_error", "frames arrive damaged"),
    "other-unit": ("lt1", "wrong_unit=99", "unit_mismatch", "unit_reply: any"),
    "mute": ("lt1", "mute", "timeout", "the connection stands and nothing comes back"),
    "mute-line": ("vfd1", "mute", "timeout", "check A and B"),
    "late": ("lt1", "late=0.12", "timeout", "raise timeout_s"),
    "unplugged": ("lt1", "unplugged", "link_down", "the link is down"),
}


@pytest.mark.parametrize(("device", "fault", "reason", "words"), ADVICE.values(), ids=ADVICE.keys())
async def test_link_trouble_is_advised(device: str, fault: str, reason: str, words: str) -> None:
    link = await findings(device, fault)
    assert link.units[0].status.reason == reason
    assert [text for text in link.advice if words in text.en], [text.en for text in link.advice]
    assert all(text.zh for text in (*link.advice, *link.units[0].advice))


@pytest.mark.parametrize("device", ["lt1", "vfd1"])
async def test_sound_device_needs_no_advice(device: str) -> None:
    link = await findings(device, seconds=1.5)
    (unit,) = link.units
    assert (unit.status.state, link.advice, unit.advice, dict(unit.status.errors)) == ("ok", [], [], {})
    assert {group.polls for group in unit.groups} == {2}
    assert sum(unit.status.latency_counts) == link.status.exchanges > 0
    assert 0 < link.measured_load < 1
    assert (link.planned_load is None) is (device == "lt1")
    assert all(exchange.asked.en.startswith("read ") and " register" in exchange.said.en for exchange in unit.exchanges)


async def test_parts_of_a_unit_are_measured_as_they_are_polled_in_one_read(tmp_path: Path) -> None:
    for name, more in (("pump", ""), ("pumps", PUMP.splitlines()[-1].replace("speed: {pdu: 0", "other: {pdu: 1") + "\n")):
        (tmp_path / f"{name}.yaml").write_text(PUMP.replace("id: pump", f"id: {name}") + more, "utf-8")
    plant = SimulatedPlant(device_plant(load_map(tmp_path / "pumps.yaml"), {}), SystemClock(), steady=True)
    async with plant.running() as running:
        (tmp_path / "plant.yaml").write_text(PUMPS, "utf-8")
        settings = relinked(load_settings(tmp_path / "plant.yaml"), {"lan1": running.ports["link"]})
        (link,) = await diagnose(settings, SystemClock(), open_transport, devices=frozenset({"pump_1", "pump_2"}), seconds=0.1)
    (first,), (second,) = (unit.groups for unit in link.units)
    reads = [request.pdu for request in plant.requests() if request.pdu[0] == 3]
    assert reads == [bytes([3, 0, 0, 0, 2])] * first.polls
    assert (first.polls, first.bus_s) == (second.polls, second.bus_s)
    assert [unit.exchanges[-1].is_good for unit in link.units] == [True, True]


async def test_mute_unit_is_told_apart_from_its_line() -> None:
    async with served("mute_unit=3,link=line1") as (_, ports):
        settings = relinked(load_settings(CONFIG), ports)
        settings = replace(settings, links=tuple(replace(link, timeout_s=0.1) for link in settings.links))
        (link,) = await diagnose(settings, SystemClock(), open_transport, devices=frozenset({"vfd1", "em1"}), seconds=0.2)
    states = {unit.status.device: unit for unit in link.units}
    assert (states["vfd1"].status.state, states["vfd1"].advice) == ("ok", [])
    assert states["em1"].status.reason == "timeout"
    assert "no answer" in states["em1"].advice[0].en
    assert states["em1"].identity == {}
    assert states["em1"].exchanges[-1].said.en == "no reply"
    assert link.advice == []


async def test_a_failure_among_good_replies_is_kept() -> None:
    link = await findings("lt1", "exception=4,skip=1,times=1", seconds=2.2)
    first = link.units[0].exchanges[0]
    assert (first.is_good, first.said.en) == (False, "exception 4 (server device failure)")
    assert all(exchange.is_good for exchange in link.units[0].exchanges[1:])


async def test_unit_says_who_it_is() -> None:
    """The double knows only the basic objects, in two replies."""
    async with rig("tcp", FakeDevice()) as r:
        assert await read_identity(r.bus, UnitId(1)) == {"vendor": "ACME", "product": "X1"}


async def test_unit_that_offers_no_identity_has_none() -> None:
    async def refuse(device: FakeDevice, asked: Asked) -> None:
        device.send(asked.refusal(1))

    async with rig("tcp", FakeDevice(script=refuse)) as r:
        assert await read_identity(r.bus, UnitId(1)) == {}


async def test_hole_becomes_a_patch_of_the_map() -> None:
    link = await findings("lt1", "hole=4..5,table=input")
    (unit,) = link.units
    assert unit.patch["readable"] == {"input": ["0..3", "6..65535"]}
    assert "exception_2" in unit.status.errors
    assert [text.en for text in unit.advice][-1] == "put what was learnt into the map"


async def test_unit_that_knows_one_read_function_only() -> None:
    link = await findings("plc1", "exception=1,function=4")
    (unit,) = link.units
    assert set(unit.functions[4]) == {"exception_1"}
    assert "ok" in unit.functions[3]
    assert any(text.en.startswith("unit 1 answers only function 1, 2, 3, not 4") for text in unit.advice), unit.advice
    assert unit.patch["functions"] == [1, 2, 3, 5, 6, 15, 16]


async def test_command_prints_one_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async with served("mute,link=lan2") as (_, ports):
        config = tmp_path / "site.yaml"
        config.write_text(
            "site: {name: T, timezone: UTC, languages: [en]}\nlinks:\n"
            + "".join(
                f"  - {{id: {name}, transport: tcp, host: 127.0.0.1, port: {ports[name][1]}, timeout_s: 0.1}}\n"
                for name in ("lan1", "lan2")
            )
            + "devices:\n"
            "  - {id: lt1, link: lan1, unit_id: 1, map: demo_lt50, title: {en: L, zh: L}}\n"
            "  - {id: plc1, link: lan2, unit_id: 1, map: demo_doseplc, title: {en: P, zh: P}}\n",
            encoding="utf-8",
        )

        def run(*arguments: str) -> tuple[object, str]:
            monkeypatch.setattr(sys, "argv", ["busmate", "diagnose", str(config), "--seconds", "0", *arguments])
            with pytest.raises(SystemExit) as end:
                main()
            return end.value.code, capsys.readouterr().out

        status, printed = await asyncio.to_thread(run, "--json")
        one = json.loads(printed)
        assert status == 1
        assert {link["id"]: [unit["state"] for unit in link["units"]] for link in one["links"]} == {"lan1": ["ok"], "lan2": ["down"]}
        status, printed = await asyncio.to_thread(run, "lt1")
        assert status == 0
        assert "unit 1  lt1: ok" in printed
        assert "> " in printed
        assert "read input 0 x8   " in printed.replace("\n", "   ")
        assert "lan2" not in printed
