"""A change of a map that waits for a second engineer outlives the gateway, and is never more than what was shown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from gateway.app import Gateway, running
from gateway.clock import SystemClock
from gateway.errors import ConfigError, WriteRefusedError
from gateway.link.transports.memory import MemoryTransport, Registers
from gateway.model.point import Role
from gateway.service.base import Actor
from gateway.service.map_desk import PENDING_S
from gateway.service.map_files import Draft
from gateway.service.map_pending import MapChange
from gateway.settings import load_settings

MAP = """\
regmap: 1
id: pump
vendor: Example
model: X1
kind: drive
title: {en: Pump, zh: 水泵}
manual: {title: manual, addressing: pdu}
evidence: {level: bench}
defaults: {table: holding, type: uint16, page: 1}
points:
  speed: {pdu: 0, scale: 0.01, unit: Hz, name: {en: Speed, zh: 频率}}
  sp: {pdu: 1, access: rw, name: {en: Set point, zh: 给定}, write: {function: 6, min: 0, max: 50, step: 1}}
"""
CONFIG = """\
site: {name: Test, timezone: UTC}
data_dir: ./data
maps: [./maps]
links:
  - {id: lan1, transport: tcp, host: 127.0.0.1, port: 1501}
devices:
  - {id: a, link: lan1, unit_id: 1, map: pump, title: A}
"""
ANNA = Actor(user="anna", role=Role.ENGINEER, via="page", session="s1")
BEN = Actor(user="ben", role=Role.ENGINEER, via="page", session="s2")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps/pump.yaml").write_text(MAP, "utf-8")
    (tmp_path / "plant.yaml").write_text(CONFIG, "utf-8")
    return tmp_path


@asynccontextmanager
async def gateway_in(folder: Path) -> AsyncIterator[Gateway]:
    file = folder / "plant.yaml"
    registers = Registers()
    async with running(
        load_settings(file),
        SystemClock(),
        make_transport=lambda _, clock: MemoryTransport(registers, clock),
        load=partial(load_settings, file),
    ) as gateway:
        yield gateway


async def wanted(gateway: Gateway, old: str = "max: 50", new: str = "max: 60") -> MapChange:
    found, _ = await gateway.maps.get("pump")
    change = await gateway.maps.put(Draft(map="pump", text=found.text.replace(old, new), base=found.digest), ANNA, "page 12")
    assert change.state == "pending"
    return change


async def test_it_is_confirmed_after_a_restart_as_it_was_shown(folder: Path) -> None:
    async with gateway_in(folder) as gateway:
        shown = await wanted(gateway)
    async with gateway_in(folder) as gateway:
        told: list[bool] = []
        gateway.maps.listeners.append(lambda: told.append(True))
        (waiting,) = await gateway.maps.open()
        assert (waiting.id, waiting.by, waiting.reason, waiting.changes) == (shown.id, "anna", "page 12", shown.changes)
        assert PENDING_S - 60 < waiting.expires_s < PENDING_S
        with pytest.raises(WriteRefusedError) as refused:
            await gateway.maps.confirm(shown.id, ANNA)
        assert refused.value.codes == ("SECOND_PERSON",)
        assert (await gateway.maps.confirm(shown.id, BEN)).state == "active"
        assert (await gateway.maps.open(), told) == ([], [True])
        rule = gateway.plant.maps["a"].points["sp"].write
        assert rule is not None
        assert rule.max == 60
    async with gateway_in(folder) as gateway:
        assert await gateway.maps.open() == []
        kinds = [record.kind for record in await gateway.audit.entries(["map_proposed", "map_change", "reload"])]
        assert kinds == ["reload", "map_change", "map_proposed"]


async def test_it_is_rejected_after_a_restart(folder: Path) -> None:
    async with gateway_in(folder) as gateway:
        shown = await wanted(gateway)
    async with gateway_in(folder) as gateway:
        assert (await gateway.maps.reject(shown.id, ANNA)).state == "rejected"
        assert await gateway.maps.open() == []
    assert (folder / "maps/pump.yaml").read_text("utf-8") == MAP


async def test_a_map_that_changed_meanwhile_is_not_overwritten(folder: Path) -> None:
    async with gateway_in(folder) as gateway:
        shown = await wanted(gateway)
    other = MAP.replace("scale: 0.01", "scale: 0.1")
    (folder / "maps/pump.yaml").write_text(other, "utf-8")
    async with gateway_in(folder) as gateway:
        with pytest.raises(ConfigError) as wrong:
            await gateway.maps.confirm(shown.id, BEN)
        assert [finding.code for finding in wrong.value.findings] == ["changed_meanwhile"]
        assert [change.id for change in await gateway.maps.open()] == [shown.id], "it waits until somebody rejects it"
    assert (folder / "maps/pump.yaml").read_text("utf-8") == other


async def test_a_plant_that_changed_meanwhile_is_not_the_one_that_was_shown(folder: Path) -> None:
    async with gateway_in(folder) as gateway:
        shown = await wanted(gateway)
    (folder / "plant.yaml").write_text(CONFIG + "  - {id: b, link: lan1, unit_id: 2, map: pump, title: B}\n", "utf-8")
    async with gateway_in(folder) as gateway:
        with pytest.raises(WriteRefusedError) as refused:
            await gateway.maps.confirm(shown.id, BEN)
        assert refused.value.codes == ("CHANGED",)
    assert (folder / "maps/pump.yaml").read_text("utf-8") == MAP


async def test_a_reload_that_waits_outlives_the_gateway_only_while_it_is_one(folder: Path) -> None:
    async with gateway_in(folder) as gateway:
        (folder / "maps/pump.yaml").write_text(MAP.replace("max: 50", "max: 60"), "utf-8")
        shown = await gateway.maps.reload(ANNA)
        assert (shown.state, shown.map) == ("pending", "")
    async with gateway_in(folder) as gateway:
        rule = gateway.plant.maps["a"].points["sp"].write
        assert rule is not None
        assert rule.max == 60, "whoever starts the gateway is its administrator"
        with pytest.raises(WriteRefusedError) as refused:
            await gateway.maps.confirm(shown.id, BEN)
        assert refused.value.codes == ("CHANGED",)
        await gateway.maps.reject(shown.id, BEN)
