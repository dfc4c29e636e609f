"""A map changed beside the running demo counts without a restart."""

import asyncio
from pathlib import Path

import pytest

from assistant.demo import demo_plant, demo_settings
from gateway.maps.load import shipped_maps
from gateway.model.point import Role
from gateway.model.sample import Tag
from gateway.service.base import Actor
from gateway.service.map_files import Draft

LEVEL = Tag("lt1.level")


async def test_a_map_put_into_the_demos_folder_goes_before_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.app.reload.LOOK_EVERY_S", 0.02)
    async with demo_plant(demo_settings(tmp_path, 0), steady=True) as gateway:
        async with asyncio.timeout(10):
            while gateway.read.latest([LEVEL])[0].value is None:
                await gateway.clock.sleep(0.01)
        assert gateway.plant.points[LEVEL].decimals == 1
        text = (shipped_maps() / "demo_lt50.yaml").read_text("utf-8")
        (tmp_path / "maps").mkdir()
        (tmp_path / "maps" / "demo_lt50.yaml").write_text(text.replace("decimals: 1", "decimals: 3", 1), "utf-8")
        async with asyncio.timeout(10):
            while gateway.plant.points[LEVEL].decimals != 3:
                await gateway.clock.sleep(0.01)
        assert gateway.plant.maps["lt1"].file == str(tmp_path / "maps" / "demo_lt50.yaml")


async def test_an_edit_from_the_page_never_touches_a_map_that_ships(tmp_path: Path) -> None:
    shipped = shipped_maps() / "demo_lt50.yaml"
    before = shipped.read_bytes()
    async with demo_plant(demo_settings(tmp_path, 0), steady=True) as gateway:
        found, _ = await gateway.maps.get("demo_lt50")
        draft = Draft(map=found.id, text=found.text.replace("decimals: 1", "decimals: 3", 1), base=found.digest)
        done = await gateway.maps.put(draft, Actor(user="engineer", role=Role.ENGINEER, via="page"), "shown finer")
        assert done.state == "active"
        assert gateway.plant.points[LEVEL].decimals == 3
    assert shipped.read_bytes() == before
    assert (tmp_path / "maps" / "demo_lt50.yaml").read_text("utf-8") == draft.text
