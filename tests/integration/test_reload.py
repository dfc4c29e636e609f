"""Hot reload over a running gateway on memory links (CASES S18, S19)."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from gateway.app import Gateway, running
from gateway.app.process import reload_on_hangup
from gateway.app.reload import Reloader
from gateway.clock import Clock, SystemClock
from gateway.errors import ConfigError, UnknownTagError, WriteRefusedError
from gateway.link.base import Transport
from gateway.link.options import LinkOptions
from gateway.link.transports.memory import MemoryTransport, Registers
from gateway.model.address import Table
from gateway.model.point import Role
from gateway.service.base import Actor, WantedWrite
from gateway.settings import load_settings

MAP = """\
regmap: 1
id: {id}
vendor: Example
model: X1
kind: drive
title: {{en: Pump, zh: 水泵}}
manual: {{title: manual, addressing: pdu}}
evidence: {{level: bench}}
defaults: {{table: holding, type: uint16, page: 1}}
poll: {{normal: 50ms}}
points:
  speed: {{pdu: 0, scale: {scale}, unit: Hz, name: {{en: Speed, zh: 频率}}, alarm: {{hi: 40}}}}
  sp: {{pdu: 1, access: rw, name: {{en: Set point, zh: 给定}}, write: {{function: 6, min: 0, max: {max}}}}}
"""
CONFIG = """\
site: {{name: Test, timezone: UTC}}
data_dir: ./data
maps: [./maps]
links:
  - {{id: lan1, transport: tcp, host: 127.0.0.1, port: 1501}}
  - {{id: lan2, transport: tcp, host: 127.0.0.1, port: {port}}}
devices:
  - {{id: a, link: lan1, unit_id: 1, map: one, title: A}}
  - {{id: b, link: lan2, unit_id: 1, map: two, title: B}}
{more}"""


class Plug(MemoryTransport):
    """A memory link that counts how often it was opened and closed."""

    def __init__(self, registers: Registers, clock: Clock) -> None:
        super().__init__(registers, clock)
        self.opened = 0
        self.closed = 0

    async def open(self) -> None:
        self.opened += 1
        await super().open()

    async def close(self) -> None:
        self.closed += self.is_open
        await super().close()


@dataclass
class Site:
    folder: Path
    gateway: Gateway
    plugs: list[tuple[str, Plug]] = field(default_factory=list)

    @property
    def reload(self) -> Reloader:
        return self.gateway.reload

    def map(self, name: str, scale: str = "0.01", max_: int = 50) -> None:
        write_map(self.folder, name, scale, max_)

    def config(self, *, port: int = 1502, more: str = "") -> None:
        (self.folder / "plant.yaml").write_text(CONFIG.format(port=port, more=more), "utf-8")

    def value(self, tag: str) -> object:
        return self.gateway.read.latest([tag])[0].value

    async def until(self, tag: str, value: object) -> None:
        async with asyncio.timeout(5):
            while self.value(tag) != value:
                await self.gateway.clock.sleep(0.005)

    async def take_up(self, by: str = "test") -> None:
        await self.reload.activate(await self.reload.candidate(), by=by, via="test")


def write_map(folder: Path, name: str, scale: str = "0.01", max_: int = 50) -> None:
    (folder / "maps").mkdir(exist_ok=True)
    (folder / f"maps/{name}.yaml").write_text(MAP.format(id=name, scale=scale, max=max_), "utf-8")


@asynccontextmanager
async def site(folder: Path) -> AsyncIterator[Site]:
    write_map(folder, "one")
    write_map(folder, "two")
    file = folder / "plant.yaml"
    file.write_text(CONFIG.format(port=1502, more=""), "utf-8")
    registers = Registers()
    registers.put(1, Table.HOLDING, 0, [4500, 30])
    plugs: list[tuple[str, Plug]] = []

    def make(options: LinkOptions, clock: Clock) -> Transport:
        plugs.append((options.id, Plug(registers, clock)))
        return plugs[-1][1]

    settings = load_settings(file)
    async with running(settings, SystemClock(), make_transport=make, load=partial(load_settings, file)) as gateway:
        made = Site(folder, gateway, plugs)
        for tag in ("a.speed", "b.speed"):
            await made.until(tag, 45)
        yield made


async def test_invalid_map_changes_nothing_and_names_file_line_and_point_S18(tmp_path: Path) -> None:
    async with site(tmp_path) as plant:
        before = plant.gateway.plant.maps["b"]
        plant.map("two", scale="fast")
        with pytest.raises(ConfigError) as caught:
            await plant.take_up()
        (finding,) = caught.value.findings
        assert (Path(finding.file).name, finding.line, finding.path) == ("two.yaml", 12, "points.speed.scale")
        assert plant.gateway.plant.maps["b"] is before
        assert plant.value("b.speed") == 45
        assert [(link, plug.opened, plug.closed) for link, plug in plant.plugs] == [("lan1", 1, 0), ("lan2", 1, 0)]


async def test_changed_map_counts_and_every_socket_stays_S19(tmp_path: Path) -> None:
    async with site(tmp_path) as plant:
        kept, told = plant.gateway.wire.devices["a"], []
        plant.reload.listeners.append(lambda: told.append(True))
        plant.map("two", scale="0.1")
        await plant.take_up()
        assert plant.gateway.read.latest(["b.speed"])[0].reason == "waiting"
        await plant.until("b.speed", 450)
        assert plant.gateway.wire.devices["a"] is kept
        assert told == [True], "open pages load the plant anew"
        assert plant.value("a.speed") == 45
        assert [(link, plug.opened, plug.closed) for link, plug in plant.plugs] == [("lan1", 1, 0), ("lan2", 1, 0)]
        (record,) = await plant.gateway.audit.entries(["reload"])
        changes = record.body["changes"]
        assert isinstance(changes, list)
        assert [(change["point"], change["key"], bool(change["risk"])) for change in changes] == [("b.speed", "scale", True)]


async def test_changed_link_is_dialled_anew_and_the_other_keeps_its_socket_S19(tmp_path: Path) -> None:
    async with site(tmp_path) as plant:
        plant.config(port=1503)
        await plant.take_up()
        await plant.until("b.speed", 45)
        assert [(link, plug.opened, plug.closed) for link, plug in plant.plugs] == [("lan1", 1, 0), ("lan2", 1, 1), ("lan2", 1, 0)]


async def test_devices_come_and_go(tmp_path: Path) -> None:
    async with site(tmp_path) as plant:
        plant.config(more="  - {id: c, link: lan1, unit_id: 2, map: one, title: C}\n")
        await plant.take_up()
        assert [device.id for device in plant.gateway.read.devices()] == ["a", "b", "c"]
        assert plant.gateway.explain.explain("c.speed").unit_id == 2
        assert (await plant.gateway.read.fresh(["c.sp"]))[0].value == 0
        plant.config()
        await plant.take_up()
        with pytest.raises(UnknownTagError):
            plant.gateway.read.latest(["c.speed"])
        assert [device.id for device in plant.gateway.read.devices()] == ["a", "b"]
        assert plant.plugs[0][1].opened == 1


async def test_alarm_of_a_removed_rule_ends_and_others_stand(tmp_path: Path) -> None:
    async with site(tmp_path) as plant:
        assert sorted(alarm.tag for alarm in plant.gateway.read.alarms()) == ["a.speed", "b.speed"]
        path = tmp_path / "maps/two.yaml"
        path.write_text(path.read_text("utf-8").replace(", alarm: {hi: 40}", ""), "utf-8")
        await plant.take_up()
        assert [alarm.tag for alarm in plant.gateway.read.alarms()] == ["a.speed"]


async def test_proposal_of_a_changed_map_dies(tmp_path: Path) -> None:
    async with site(tmp_path) as plant:
        who = Actor(user="ann", role=Role.ADMIN, via="page", session="s")
        await plant.gateway.users.add("ann", "a-password-for-tests", Role.ADMIN, by="test")
        cards = [await plant.gateway.propose.propose([WantedWrite(tag=f"{name}.sp", value=40)], "test", who) for name in ("a", "b")]
        plant.map("two", max_=45)
        await plant.take_up()
        done = await plant.gateway.confirm.confirm(cards[0].id, cards[0].nonce, who)
        assert done.outcomes[0].outcome == "verified"
        with pytest.raises(WriteRefusedError) as refused:
            await plant.gateway.confirm.confirm(cards[1].id, cards[1].nonce, who)
        assert refused.value.codes == ("MAP_CHANGED",)


async def test_file_that_changed_counts_by_itself_only_without_risk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("gateway.app.reload.LOOK_EVERY_S", 0.02)
    async with site(tmp_path) as plant:

        async def seen(done: Callable[[], bool]) -> None:
            async with asyncio.timeout(5):
                while not done():
                    await plant.gateway.clock.sleep(0.005)

        rules = plant.gateway.plant
        plant.map("two", max_=45)
        await seen(lambda: rules.points[plant.gateway.plant.tag("b.sp")].write.max == 45)  # type: ignore[union-attr]
        plant.map("two", max_=60)
        await seen(lambda: "it waits for an engineer" in caplog.text)
        plant.map("two", scale="fast")
        await seen(lambda: "the running configuration goes on" in caplog.text)
        assert rules.points[plant.gateway.plant.tag("b.sp")].write.max == 45  # type: ignore[union-attr]


async def test_hang_up_signal_reloads(tmp_path: Path) -> None:
    async with site(tmp_path) as plant:
        plant.map("two", scale="0.1")
        with reload_on_hangup(plant.gateway):
            signal.raise_signal(signal.SIGHUP)
            await plant.until("b.speed", 450)
        (record,) = await plant.gateway.audit.entries(["reload"])
        assert (record.body["by"], record.body["via"]) == ("SIGHUP", "signal")
