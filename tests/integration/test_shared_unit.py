"""One controller that drives several pumps: one entry in the file, one read on the wire, each pump written in its own registers."""

import asyncio
import json
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

from gateway.app import Gateway, running
from gateway.cli import main
from gateway.clock import SystemClock
from gateway.errors import ConfigError
from gateway.link.base import Read, Request
from gateway.link.transports.memory import MemoryTransport, Registers
from gateway.model.address import Table
from gateway.model.point import Role
from gateway.service.base import Actor, WantedWrite
from gateway.settings import load_settings

MAP = """\
regmap: 1
id: pump
vendor: Example
model: P1
kind: pump
title: {en: Pump, zh: 泵}
manual: {title: PLC list, addressing: pdu}
evidence: {level: document}
defaults: {table: holding, type: uint16, page: 1}
poll: {normal: 50ms}
points:
  speed: {pdu: 0, scale: 0.1, unit: Hz, name: {en: Speed, zh: 频率}}
  sp: {pdu: 1, scale: 0.1, unit: Hz, access: rw, name: {en: Set point, zh: 给定}, write: {function: 6, min: 0, max: 50, step: 0.1}}
"""
CONFIG = """\
site: {name: Test, timezone: UTC}
data_dir: ./data
maps: [.]
links:
  - {id: lan1, transport: tcp, host: 127.0.0.1, port: 1501}
devices:
  - id: pump
    link: lan1
    unit_id: 1
    base: 100
    map: pump
    title: {en: "Pump {n}", zh: "{n}号泵"}
    aliases: ["P-10{n}"]
    repeat: {count: 3, base_stride: 2}
"""


class Counted(Registers):
    """Registers that keep what they were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Request] = []

    def serve(self, request: Request) -> Sequence[int]:
        self.asked.append(request)
        return super().serve(request)


async def until_read(gateway: Gateway, tag: str, value: str) -> None:
    async with asyncio.timeout(5):
        while gateway.read.latest([tag])[0].value != Decimal(value):
            await gateway.clock.sleep(0.005)


def config(folder: Path, text: str = CONFIG) -> Path:
    (folder / "pump.yaml").write_text(MAP, "utf-8")
    path = folder / "plant.yaml"
    path.write_text(text, "utf-8")
    return path


async def test_three_pumps_are_one_read_and_each_is_written_by_itself(tmp_path: Path) -> None:
    server = Counted()
    server.put(1, Table.HOLDING, 100, [401, 400, 302, 300, 203, 200])
    who = Actor(user="ann", role=Role.ADMIN, via="page", session="s")
    settings = load_settings(config(tmp_path))
    async with running(settings, SystemClock(), make_transport=lambda _, clock: MemoryTransport(server, clock)) as gateway:
        for tag, value in (("pump_1.speed", "40.1"), ("pump_2.speed", "30.2"), ("pump_3.sp", "20")):
            await until_read(gateway, tag, value)
        polls = [(request.address, request.count) for request in server.asked if isinstance(request, Read)]
        assert set(polls) == {(100, 6)}, "nothing but the whole block was ever read"
        server.put(1, Table.HOLDING, 100, [451])
        await until_read(gateway, "pump_1.speed", "45.1")
        await gateway.users.add("ann", "a-password-for-tests", Role.ADMIN, by="test")
        card = await gateway.propose.propose([WantedWrite(tag="pump_2.sp", value=31)], "test", who)
        done = await gateway.confirm.confirm(card.id, card.nonce, who)
        assert done.outcomes[0].outcome == "verified"
        assert server.get(1, Table.HOLDING, 100, 6) == (451, 400, 302, 310, 203, 200)


async def test_a_pump_that_joins_on_a_reload_is_read_with_the_others(tmp_path: Path) -> None:
    server = Counted()
    server.put(1, Table.HOLDING, 100, [401, 400, 302, 300, 203, 200, 104, 100])
    file = config(tmp_path)
    transport = MemoryTransport(server, SystemClock())
    async with running(
        load_settings(file), SystemClock(), make_transport=lambda *_: transport, load=partial(load_settings, file)
    ) as gateway:
        await until_read(gateway, "pump_3.speed", "20.3")
        config(tmp_path, CONFIG.replace("count: 3", "count: 4"))
        await gateway.reload.activate(await gateway.reload.candidate(), by="test", via="test")
        await until_read(gateway, "pump_4.speed", "10.4")
        server.asked.clear()
        server.put(1, Table.HOLDING, 100, [451])
        await until_read(gateway, "pump_1.speed", "45.1")
        assert {(request.address, request.count) for request in server.asked if isinstance(request, Read)} == {(100, 8)}
        config(tmp_path, CONFIG.replace("count: 3", "count: 2"))
        await gateway.reload.activate(await gateway.reload.candidate(), by="test", via="test")
        server.asked.clear()
        server.put(1, Table.HOLDING, 100, [461])
        await until_read(gateway, "pump_1.speed", "46.1")
        assert {(request.address, request.count) for request in server.asked if isinstance(request, Read)} == {(100, 4)}
        assert [device.id for device in gateway.read.devices()] == ["pump_1", "pump_2"]


def test_plan_shows_the_shared_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["busmate", "plan", str(config(tmp_path)), "--json"])
    main()
    (link,) = json.loads(capsys.readouterr().out)["links"]
    (block,) = link["blocks"]
    assert (block["device"], block["devices"], block["address"], block["count"]) == ("pump_1", ["pump_1", "pump_2", "pump_3"], 100, 6)
    assert block["points"] == [f"pump_{n}.{name}" for n in (1, 2, 3) for name in ("speed", "sp")]


def test_pumps_that_stand_on_each_other_are_named(tmp_path: Path) -> None:
    (warning,) = load_settings(config(tmp_path, CONFIG.replace("base_stride: 2", "base_stride: 1"))).warnings
    assert (warning.code, warning.line, warning.path) == ("overlap", 10, "devices.0.base")
    assert warning.message == "pump_2.speed shares registers with pump_1.sp"


def test_points_that_write_each_others_bits_do_not_start(tmp_path: Path) -> None:
    other = "  - {id: other, link: lan1, unit_id: 1, base: 104, map: pump2, title: Other}\n"
    (tmp_path / "pump2.yaml").write_text(MAP.replace("id: pump", "id: pump2"), "utf-8")
    with pytest.raises(ConfigError) as refused:
        load_settings(config(tmp_path, CONFIG + other))
    (finding,) = refused.value.findings
    assert (finding.code, finding.line, finding.message) == ("two_writable", 15, "other.sp writes the same bits as pump_3.sp")
