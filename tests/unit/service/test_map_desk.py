"""The desk where maps are changed, beside a plant that is only pretended: refusals, races with the clock, files that fail."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.errors import ConfigError, Finding, WriteRefusedError
from gateway.maps.diff import Change
from gateway.maps.versions import MapVersions
from gateway.model.point import Role, Text
from gateway.service import map_desk
from gateway.service.base import Actor
from gateway.service.map_desk import PENDING_S, MapDesk
from gateway.service.map_files import Draft, MapFiles, digest_of
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles
from gateway.store.engine import Store
from gateway.store.map_changes import MapChanges

MAP = """\
regmap: 1
id: pump
vendor: Example
model: X1
kind: drive
title: {en: Pump, zh: 水泵}
manual: {title: manual, addressing: pdu}
evidence: {level: bench}
points:
  speed: {pdu: 0, table: holding, type: uint16, page: 1, name: {en: Speed, zh: 频率}, valid: {min: 0, max: 50}}
"""
WIDER, NARROWER = MAP.replace("max: 50", "max: 60"), MAP.replace("max: 50", "max: 40")
ANNA = Actor(user="anna", role=Role.ENGINEER, via="page", session="s1")
BEN = Actor(user="ben", role=Role.ENGINEER, via="page", session="s2")


@dataclass(frozen=True)
class Found:
    digest: str
    changes: tuple[Change, ...] = ()


class Plant:
    """What is in force is a text; `asked` is called each time the files are read."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.text = file.read_text("utf-8")
        self.asked: Callable[[], None] = lambda: None
        self.refuses = False

    async def candidate(self, maps_first: Sequence[Path] = ()) -> Found:
        self.asked()
        tried = [folder / self.file.name for folder in maps_first if (folder / self.file.name).exists()]
        text = (tried or [self.file])[0].read_text("utf-8")
        change = Change(point="p.speed", key="valid", old="50", new="60", risk=Text("a limit is removed or widened", "限值放宽"))
        return Found(digest_of(text), () if text == self.text else (change,))

    async def activate(self, candidate: Found, *, by: str, via: str) -> None:
        if self.refuses:
            raise ConfigError([Finding(code="loosens", message=f"{by} may not by {via}", fix="don't")])
        self.text = self.file.read_text("utf-8")


@dataclass(frozen=True)
class Rig:
    desk: MapDesk[Found]
    plant: Plant
    clock: ManualClock
    audit: Audit

    async def draft(self, text: str) -> Draft:
        found, _ = await self.desk.get("pump")
        return Draft(map="pump", text=text, base=found.digest)

    async def put(self, text: str, actor: Actor = ANNA) -> str:
        return (await self.desk.put(await self.draft(text), actor, "why")).id

    async def kinds(self) -> list[str]:
        return [record.kind async for record in self.audit.walk()]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    clock = ManualClock(datetime(2026, 3, 10, 6, 0, tzinfo=UTC))
    folder = tmp_path / "maps"
    folder.mkdir()
    (folder / "pump.yaml").write_text(MAP, "utf-8")
    plant = Plant(folder / "pump.yaml")
    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as store:
        audit = await Audit.open(store, AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor"), clock)
        files, versions = MapFiles(lambda: [folder], tmp_path / "drafts"), MapVersions(tmp_path / "versions")
        yield Rig(MapDesk(plant, files, versions, MapChanges(store, audit, clock), audit, clock), plant, clock, audit)


async def test_the_desk_itself_asks_for_role_and_password(rig: Rig) -> None:
    draft = await rig.draft(WIDER)
    operator, stale = replace(ANNA, role=Role.OPERATOR), replace(ANNA, is_fresh=False)
    acts: list[Callable[[], Awaitable[object]]] = [
        lambda: rig.desk.put(draft, operator, ""),
        lambda: rig.desk.preview(draft, operator),
        lambda: rig.desk.reload(operator),
        lambda: rig.desk.confirm("x", operator),
        lambda: rig.desk.reject("x", operator),
    ]
    for act in acts:
        with pytest.raises(WriteRefusedError) as refused:
            await act()
        assert refused.value.codes == ("ROLE",)
    with pytest.raises(WriteRefusedError) as refused:
        await rig.desk.put(draft, stale, "")
    assert refused.value.codes == ("PASSWORD_AGAIN",)
    assert await rig.kinds() == []


async def test_no_more_than_some_changes_wait(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_desk, "_MOST_PENDING", 1)
    await rig.put(WIDER)
    with pytest.raises(WriteRefusedError) as refused:
        await rig.put(WIDER)
    assert refused.value.codes == ("RATE",)
    await rig.clock.advance(PENDING_S)
    assert await rig.desk.open() == []
    assert await rig.put(WIDER)


@pytest.mark.parametrize("act", ["confirm", "reject"])
async def test_a_time_that_ends_while_somebody_decides_is_over(rig: Rig, act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change = await rig.put(WIDER)
    await rig.clock.advance(PENDING_S - 1)
    if act == "confirm":
        rig.plant.asked = lambda: rig.clock.jump(1)
        decide = rig.desk.confirm(change, BEN)
    else:

        def late(*_: object, **more: str) -> Mapping[str, object]:
            rig.clock.jump(1)
            return more

        monkeypatch.setattr(map_desk, "record_of", late)
        decide = rig.desk.reject(change, BEN)
    with pytest.raises(WriteRefusedError) as refused:
        await decide
    assert refused.value.codes == ("EXPIRED",)
    assert rig.plant.file.read_text("utf-8") == MAP
    assert await rig.kinds() == ["map_proposed"]


async def test_a_reload_with_nothing_new_is_put_in_place_as_it_is(rig: Rig) -> None:
    assert (await rig.desk.reload(ANNA)).state == "unchanged"
    assert await rig.kinds() == []


async def test_files_that_changed_beside_come_first(rig: Rig) -> None:
    rig.plant.file.write_text(NARROWER, "utf-8")
    with pytest.raises(WriteRefusedError, match="reload them first") as refused:
        await rig.put(WIDER)
    assert refused.value.codes == ("CHANGED",)


async def test_files_that_change_while_they_are_written_get_the_old_text_back(rig: Rig) -> None:
    change = await rig.put(WIDER)
    times: list[int] = []

    def meddle() -> None:
        times.append(1)
        if len(times) == 2:
            rig.plant.file.write_text(WIDER + "# and more\n", "utf-8")

    rig.plant.asked = meddle
    with pytest.raises(WriteRefusedError) as refused:
        await rig.desk.confirm(change, BEN)
    assert refused.value.codes == ("CHANGED",)
    assert rig.plant.file.read_text("utf-8") == MAP


async def test_a_plant_that_refuses_gets_its_file_back(rig: Rig) -> None:
    rig.plant.refuses = True
    with pytest.raises(ConfigError, match="may not"):
        await rig.desk.confirm(await rig.put(WIDER), BEN)
    assert rig.plant.file.read_text("utf-8") == MAP


async def test_a_new_map_that_the_plant_refuses_is_taken_away(rig: Rig) -> None:
    rig.plant.refuses = True
    text = MAP.replace("id: pump", "id: other")
    with pytest.raises(ConfigError, match="may not"):
        await rig.desk.put(Draft(map="other", text=text, base=""), ANNA, "")
    assert not (rig.plant.file.parent / "other.yaml").exists()


async def test_a_vector_that_does_not_hold_is_an_error(rig: Rig) -> None:
    vectors = rig.plant.file.parent / "vectors"
    vectors.mkdir()
    (vectors / "pump.yaml").write_text('- {point: speed, words: ["0x0005"], value: 6}\n', "utf-8")
    with pytest.raises(ConfigError) as wrong:
        await rig.put(NARROWER)
    assert [finding.code for finding in wrong.value.findings] == ["vector_fails"]


async def test_a_map_that_cannot_be_read_or_written_says_so(rig: Rig, tmp_path: Path) -> None:
    rig.plant.file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError) as wrong:
        await rig.desk.get("pump")
    assert wrong.value.findings[0].code == "unreadable"
    taken = tmp_path / "file"
    taken.write_text("", "utf-8")
    files = MapFiles(lambda: [taken / "maps"], tmp_path / "drafts")
    with pytest.raises(ConfigError) as wrong:
        files.write(Draft(map="pump", text=MAP, base=""))
    assert wrong.value.findings[0].code == "unwritable"
    with pytest.raises(ConfigError) as wrong:
        MapFiles(list, tmp_path / "drafts").write(Draft(map="pump", text=MAP, base=""))
    assert wrong.value.findings[0].code == "no_map_folder"


@pytest.mark.parametrize(("text", "code"), [("regmap: [1", "yaml_syntax"), ("regmap: 1\nid: pump\n", "missing_key")])
async def test_any_text_is_checked(rig: Rig, text: str, code: str) -> None:
    assert code in [finding.code for finding in await rig.desk.check(text)]
