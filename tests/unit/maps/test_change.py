"""Changing a map: the text keeps its comments, the difference names what could hurt somebody, old states are kept (THREATS T63)."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.errors import MapError
from gateway.maps.diff import Change, diff_maps, said
from gateway.maps.edit import Edit, EditValue, edited
from gateway.maps.inspect import inspect_yaml
from gateway.maps.load import shipped_maps
from gateway.maps.versions import MapVersions
from gateway.model.point import RegisterMap, Text, Valid
from gateway.yamlfile import parse_yaml

MAP = """\
# a pump, typed from page 12
regmap: 1
id: pump
vendor: Example
model: X1
kind: drive
title: {en: Pump, zh: 水泵}
manual: {title: X1 manual, addressing: pdu}
evidence: {level: bench}
device: {functions: [3, 4, 6, 16]}
defaults: {table: holding, type: uint16, page: 12}
poll: {normal: 1s, slow: 10s}
points:
  speed:   # what runs now
    pdu: 0
    scale: 0.01
    unit: Hz
    name: {en: Speed, zh: 频率}
    valid: {min: 0, max: 60}
    invalid: [0xFFFF]
    alarm: {hi: 55, hihi: 58, delay: 2s, priority: medium}
  mode:
    pdu: 0x0010
    name: {en: Mode, zh: 模式}
    enum: {0: hand, 1: auto}
    access: rw
    write: {function: 6, confirm: two_step, approvals: 2, interlock: ["speed == 0"]}
  speed_sp:
    pdu: 1
    scale: 0.01
    unit: Hz
    name: {en: Set point, zh: 给定}
    access: rw
    write: {function: 6, min: 20, max: 50, step: 0.1, max_step: 5, cooldown: 10s, role: engineer, confirm: user}
"""


def loaded(text: str) -> RegisterMap:
    inspected = inspect_yaml(parse_yaml(text, "pump.yaml"))
    assert inspected.map is not None, inspected.findings
    return inspected.map


def changed(*edits: Edit) -> tuple[Change, ...]:
    return diff_maps(loaded(MAP), loaded(edited(MAP, edits)))


def put(path: str, value: EditValue = None, *, remove: bool = False) -> Edit:
    keys = [int(key) if key.isdigit() else key for key in path.split(".")]
    return Edit(path=tuple(["points", *keys] if keys[0] in ("speed", "mode", "speed_sp", "new") else keys), value=value, remove=remove)


RISKS: list[tuple[Edit, str]] = [
    (put("speed_sp.write.max", 60), "write.max"),
    (put("speed_sp.write.min", 10), "write.min"),
    (put("speed_sp.write.max_step", remove=True), "write.max_step"),
    (put("speed_sp.write.step", 0.01), "write.step"),
    (put("speed_sp.write.cooldown", "5s"), "write.cooldown"),
    (put("speed_sp.write.role", "operator"), "write.role"),
    (put("speed_sp.write.confirm", "none"), "write.confirm"),
    (put("speed_sp.write.function", 16), "write.function"),
    (put("speed_sp.write.readback", False), "write.readback"),
    (put("mode.write.approvals", 1), "write.approvals"),
    (put("mode.write.interlock", remove=True), "write.interlock"),
    (put("mode.write.interlock.0", "speed < 5"), "write.interlock"),
    (put("mode.enum", {"0": "auto"}), "enum"),
    (put("speed.pdu", 7), "pdu"),
    (put("speed.table", "input"), "table"),
    (put("speed.type", "int16"), "type"),
    (put("speed.order", "BADC"), "order"),
    (put("speed.scale", 0.1), "scale"),
    (put("speed.offset", 1), "offset"),
    (put("speed.unit", "rpm"), "unit"),
    (put("speed.invalid", remove=True), "invalid"),
    (put("speed.valid.max", 600), "valid"),
    (put("speed.valid", remove=True), "valid"),
    (put("speed.alarm", remove=True), "alarm"),
    (put("speed.alarm.hi", 57), "alarm.hi"),
    (put("speed.alarm.hihi", remove=True), "alarm.hihi"),
    (put("speed.alarm.delay", "60s"), "alarm.delay"),
    (put("speed.alarm.priority", "low"), "alarm.priority"),
    (put("speed.poll", "slow"), "poll"),
    (put("speed.name.en", "Level"), "name"),
    (put("device.functions", [3, 4, 6, 16, 22]), "functions"),
]
HARMLESS: list[tuple[Edit, str]] = [
    (put("speed_sp.write.max", 45), "write.max"),
    (put("speed_sp.write.min", 25), "write.min"),
    (put("speed_sp.write.step", 0.2), "write.step"),
    (put("speed_sp.write.role", "admin"), "write.role"),
    (put("speed_sp.write.confirm", "two_step"), "write.confirm"),
    (put("speed_sp.write.note", {"en": "ask first", "zh": "先询问"}), "write.note"),
    (put("mode.write.interlock.1", "speed_sp < 50"), "write.interlock"),
    (put("speed.valid.max", 58), "valid"),
    (put("speed.alarm.hi", 50), "alarm.hi"),
    (put("speed.alarm.priority", "high"), "alarm.priority"),
    (put("speed.description", {"en": "after the ramp", "zh": "斜坡之后"}), "description"),
    (put("speed.page", 13), "page"),
    (put("device.timeout_ms", 500), "device"),
]


def _ids(table: list[tuple[Edit, str]]) -> list[str]:
    return [".".join(map(str, edit.path)) + ("-gone" if edit.remove else "") for edit, _ in table]


@pytest.mark.parametrize(("edit", "key"), RISKS, ids=_ids(RISKS))
def test_what_could_hurt_is_named_T63(edit: Edit, key: str) -> None:
    (change,) = changed(edit)
    assert (change.key, change.is_risky) == (key, True)
    assert change.risk.zh != change.risk.en


@pytest.mark.parametrize(("edit", "key"), HARMLESS, ids=_ids(HARMLESS))
def test_tightening_and_words_need_no_second_person(edit: Edit, key: str) -> None:
    (change,) = changed(edit)
    assert (change.key, change.is_risky) == (key, False)


def test_read_only_made_writable_is_a_risk_T63() -> None:
    changes = changed(put("speed.access", "rw"), put("speed.write", {"function": 6, "min": 0, "max": 50}))
    assert [(change.point, change.key, change.is_risky) for change in changes] == [("speed", "access", True)]


@pytest.mark.parametrize(
    ("point", "is_risky"),
    [
        ({"pdu": 30, "name": {"en": "New", "zh": "新"}}, False),
        ({"pdu": 30, "name": {"en": "New", "zh": "新"}, "access": "rw", "write": {"function": 6, "min": 0, "max": 1}}, True),
    ],
    ids=["read-only", "writable"],
)
def test_new_point_is_a_risk_if_it_can_be_written(point: EditValue, is_risky: bool) -> None:
    assert [(change.key, change.is_risky) for change in changed(put("new", point))] == [("point", is_risky)]


def test_removed_point_is_a_risk_and_comments_are_no_change() -> None:
    assert [(change.point, change.new, change.is_risky) for change in changed(put("speed_sp", remove=True))] == [("speed_sp", "-", True)]
    assert diff_maps(loaded(MAP), loaded(f"# moved down\n\n{MAP}")) == ()


def test_two_writable_points_on_one_register_do_not_load_T63() -> None:
    twice = edited(
        MAP, [put("new", {"pdu": 1, "name": {"en": "N", "zh": "新"}, "access": "rw", "write": {"function": 6, "min": 0, "max": 1}})]
    )
    inspected = inspect_yaml(parse_yaml(twice, "pump.yaml"))
    assert inspected.map is None
    assert "two_writable" in {finding.code for finding in inspected.findings}


def test_swapped_limits_do_not_load_T63() -> None:
    inspected = inspect_yaml(parse_yaml(edited(MAP, [put("speed_sp.write.min", 60)]), "pump.yaml"))
    assert inspected.map is None
    assert [finding.line for finding in inspected.findings if finding.path.startswith("points.speed_sp.write")] != []


@pytest.mark.parametrize("path", sorted(shipped_maps().glob("*.yaml")), ids=lambda path: path.stem)
def test_text_without_edits_comes_back_letter_by_letter(path: Path) -> None:
    assert edited(path.read_text("utf-8"), []) == path.read_text("utf-8")


def test_one_edit_changes_one_line() -> None:
    lines = edited(MAP, [put("speed_sp.write.max", 48)]).splitlines()
    assert [new for old, new in zip(MAP.splitlines(), lines, strict=True) if old != new] == [lines[-1]]
    assert "max: 48" in lines[-1]


@pytest.mark.parametrize(
    "edit",
    [Edit(path=()), put("speed.sim.x", remove=True), put("mode.write.interlock.5", "x"), put("id.x", 1)],
    ids=["top", "not-there", "gap", "through-a-value"],
)
def test_path_that_leads_nowhere_is_refused(edit: Edit) -> None:
    with pytest.raises(MapError):
        edited(MAP, [edit])


def test_text_that_is_no_yaml_is_refused() -> None:
    with pytest.raises(MapError):
        edited("a: [1", [])


def test_states_are_kept_in_order_and_each_once(tmp_path: Path) -> None:
    versions, at = MapVersions(tmp_path), datetime(2026, 1, 1, tzinfo=UTC)
    for text in ("one", "two", "two", "one"):
        versions.keep("pump", text, at=at, by="ann", note="because")
    assert [version.number for version in versions.all("pump")] == [1, 2, 3]
    assert [versions.text("pump", number) for number in (1, 2, 3)] == ["one", "two", "one"]
    assert (versions.all("pump")[0].by, versions.all("pump")[0].at) == ("ann", at)
    assert versions.all("other") == []
    assert json.loads((tmp_path / "pump/0001.json").read_text())["note"] == "because"


@pytest.mark.parametrize("map_id", ["../pump", "", "PUMP", "a/b"])
def test_ids_cannot_leave_the_folder(map_id: str, tmp_path: Path) -> None:
    with pytest.raises(MapError):
        MapVersions(tmp_path / "versions").keep(map_id, "x", at=datetime(2026, 1, 1, tzinfo=UTC), by="", note="")


def test_unknown_version_names_those_there_are(tmp_path: Path) -> None:
    versions = MapVersions(tmp_path)
    versions.keep("pump", "one", at=datetime(2026, 1, 1, tzinfo=UTC), by="ann", note="")
    with pytest.raises(MapError, match="there are: 1"):
        versions.text("pump", 7)


def test_folder_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MapError, match="cannot be written"):
        MapVersions(tmp_path / "file").keep("pump", "x", at=datetime(2026, 1, 1, tzinfo=UTC), by="", note="")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Valid(min=Decimal(0), max=Decimal("100.5")), "min: 0, max: 100.5"),
        (Valid(max=Decimal(5)), "max: 5"),
        (Valid(), "-"),
        (Text("open", "开"), "open / 开"),
        ({1: Text("on"), 2: Text("off", "关")}, "1: on, 2: off / 关"),
        (frozenset({16, 3, 6}), "3, 6, 16"),
        (1.0, "1"),
        ((None, ()), "-, -"),
    ],
    ids=str,
)
def test_a_value_is_said_as_people_write_it(value: object, words: str) -> None:
    assert said(value) == words
