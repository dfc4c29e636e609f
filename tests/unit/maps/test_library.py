"""The maps that ship: they load, plan, agree with the facts of the manuals, and hold their test vectors."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.maps.check import check_map
from gateway.maps.index_file import readme_text
from gateway.maps.library import VectorIn, check_vectors, stray_vectors, vectors_of
from gateway.maps.load import load_map, shipped_maps
from gateway.model.address import UnitId
from gateway.model.codec import TYPES
from gateway.model.plan import PlanLimits, plan_blocks
from gateway.model.point import Access, Order, Point, Text
from gateway.yamlfile import read_yaml
from tests.seeded import GOLDEN

PATHS = sorted(shipped_maps().glob("*.yaml"))
MAPS = {path.stem: load_map(path) for path in PATHS}
FACTS = json.loads((GOLDEN / "device_facts.json").read_text(encoding="utf-8"))
ROWS = [(device, row) for device, rows in FACTS.items() for row in rows]
CJK = re.compile(r"[\u4e00-\u9fff]")
CODE = re.compile(r"[A-Za-z]*\d[\w.]*")
"""A label that is a code (2400, n1, 3p4w, PM5350) reads the same in every language."""


def vectors(name: str) -> list[VectorIn]:
    """The vectors of a shipped map."""
    root = read_yaml(vectors_of(shipped_maps() / f"{name}.yaml")).root
    assert isinstance(root, list)
    return [VectorIn.model_validate(item) for item in root]


def test_every_device_of_the_facts_has_a_map() -> None:
    assert FACTS.keys() <= MAPS.keys()
    assert len(FACTS) == 32


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_map_has_no_finding(path: Path) -> None:
    assert [str(finding) for finding in check_map(path)] == []


@pytest.mark.parametrize("name", MAPS)
def test_every_readable_point_is_planned_once(name: str) -> None:
    found = MAPS[name]
    points, limits = list(found.points.values()), PlanLimits.of(found.device)
    planned = {group: plan_blocks(points, UnitId(1), group, limits) for group in found.periods}
    read = [point.name for group, blocks in planned.items() for block in blocks for point in block.points if point.poll == group]
    assert sorted(read) == sorted(point.name for point in points if point.access is not Access.WO)
    assert all(block.count <= limits.largest(block.table) for blocks in planned.values() for block in blocks)


@pytest.mark.parametrize(("device", "row"), ROWS, ids=[f"{device}.{row['point']}" for device, row in ROWS])
def test_fact_is_in_the_map(device: str, row: dict[str, object]) -> None:
    point = MAPS[device].points[str(row["point"])]
    found = {
        "table": point.table.value,
        "base": point.base,
        "pdu": point.pdu,
        "type": point.type.value,
        "words": point.words,
        "order": point.order.value,
        "scale": scale_of(point),
        "unit": point.unit,
        "access": point.access.value,
        "invalid": sorted(point.invalid),
        "bits": point.bits and f"{point.bits[0]}..{point.bits[1]}",
    }
    invalid = row.get("invalid", [])
    assert isinstance(invalid, list)
    wanted = {"base": None, "order": found["order"], "bits": None, **row, "invalid": sorted(int(text, 16) for text in invalid)}
    assert found == {key: wanted[key] for key in found}
    assert _numbers(row, "codes") <= point.enum.keys()
    assert _numbers(row, "flags") <= point.flags.keys()


def scale_of(point: Point) -> str:
    """The factor from raw number to unit, or the point that holds it."""
    if point.held_by:
        return f"{'from' if point.scale_from else 'range'} {point.held_by}"
    line = point.range
    factor = (line.high - line.low) / (line.raw_high - line.raw_low) if line else point.scale
    return f"{factor:f}"


@pytest.mark.parametrize("name", MAPS)
def test_map_holds_its_vectors(name: str) -> None:
    assert [str(finding) for finding in check_vectors(shipped_maps() / f"{name}.yaml", MAPS[name])] == []
    assert len(vectors(name)) >= 5


@pytest.mark.parametrize("name", MAPS)
def test_vectors_cover_every_kind_of_point(name: str) -> None:
    points = MAPS[name].points
    proved = {kind for vector in vectors(name) for kind in proved_by(vector, points[vector.point])}
    needed = {kind for point in points.values() for kind in kinds(point)}
    assert needed - proved == set()


def kinds(point: Point) -> Iterator[tuple[object, ...]]:
    """What can go wrong with a point in a way of its own."""
    yield "type", point.type, point.order if point.words > 1 or point.order in (Order.BADC, Order.DCBA) else None
    yield "scale", point.scale, point.offset, point.held_by is not None, point.range is not None
    yield "part", point.bits is not None, point.bit is not None
    yield "text", point.text
    yield "format", point.format
    for key, given in (("enum", point.enum), ("flags", point.flags), ("fields", point.fields)):
        if given:
            yield (key,)
    if point.access is not Access.WO:
        for reason in {"not_available"} if TYPES[point.type].is_float else set(point.invalid.values()):
            yield "no value", point.type, reason
    if point.write is not None and point.write.confirm != "never":
        yield "write", point.type, point.scale, bool(point.enum)


def proved_by(vector: VectorIn, point: Point) -> Iterator[tuple[object, ...]]:
    """The kinds that a vector proves."""
    for kind in kinds(point):
        if kind[0] == "write":
            if vector.write is not None:
                yield kind
        elif kind[0] == "no value":
            if vector.reason == kind[2]:
                yield kind
        elif vector.value is not None or vector.write is not None:
            yield kind


@pytest.mark.parametrize("name", MAPS)
def test_every_point_says_where_it_is_from_and_how_sure_it_is(name: str) -> None:
    found = MAPS[name].points.values()
    assert [point.name for point in found if not (point.page or point.section or point.source)] == []
    if name in FACTS:
        assert [point.name for point in found if point.confidence is None] == []
        assert [point.name for point in found if point.confidence == "low" and not point.note] == []


@pytest.mark.parametrize("name", MAPS)
def test_every_text_is_in_both_languages(name: str) -> None:
    found = MAPS[name].points.values()
    texts = [point.title for point in found]
    texts += [text for point in found for text in point.enum.values()]
    texts += [flag.text for point in found for flag in point.flags.values()]
    texts += [text for point in found for field in point.fields for text in field.enum.values()]
    texts += [point.write.note for point in found if point.write is not None and point.write.note != Text()]
    texts += [procedure.title for procedure in MAPS[name].procedures.values()]
    assert [text for text in texts if not (text.en and text.zh) and not CODE.fullmatch(text.en)] == []
    assert [title.zh for title in (point.title for point in found) if not CJK.search(title.zh)] == []


def test_readme_has_the_index_of_the_maps() -> None:
    assert (shipped_maps() / "README.md").read_text(encoding="utf-8") == readme_text(shipped_maps())


def test_folder_has_no_stray_vectors() -> None:
    assert list(stray_vectors(shipped_maps())) == []


METER = """regmap: 1
id: meter
vendor: V
model: M
kind: k
title: {en: T, zh: 题}
manual: {title: T, addressing: pdu}
defaults: {table: holding, type: uint16, page: 1}
points:
  volts: {pdu: 0, scale: 0.1, unit: V, invalid: [0xFFFF], name: {en: a, zh: a号}}
  watts: {pdu: 1, type: int32, scale_from: {point: factor, as: exponent}, unit: W, name: {en: b, zh: b号}}
  factor: {pdu: 3, type: int16, name: {en: c, zh: c号}}
  mode: {pdu: 4, access: rw, enum: {0: {en: "off", zh: 关}, 1: {en: run, zh: 开}}, write: {function: 6}, name: {en: d, zh: d号}}
  limit: {pdu: 5, scale: 0.1, access: rw, write: {function: 6, min: 0, max: 50, step: 0.5}, name: {en: e, zh: e号}}
  relay: {pdu: 0, table: coil, type: bool, access: rw, write: {function: 5}, name: {en: f, zh: f号}}
  hours: {pdu: 6, type: float32, name: {en: g, zh: g号}}
"""


@pytest.fixture
def meter(tmp_path: Path) -> Path:
    """A map in a folder with an empty folder of vectors."""
    (tmp_path / "vectors").mkdir()
    path = tmp_path / "meter.yaml"
    path.write_text(METER, "utf-8")
    return path


@pytest.mark.parametrize(
    "line",
    [
        '{point: volts, words: ["0x0901"], value: 230.5}',
        '{point: volts, words: ["0xFFFF"], reason: not_available}',
        '{point: watts, words: ["0xFFFF", "0xFF9C"], with: {factor: -1}, value: -10}',
        '{point: watts, words: ["0x0000", "0x0001"], reason: bad_scale_factor}',
        '{point: mode, words: ["0x0001"], label: run}',
        '{point: mode, words: ["0x0001"], value: 1, label: run, write: {value: run, words: ["0x0001"]}}',
        '{point: limit, write: {value: 12.5, words: ["0x007D"]}}',
        '{point: relay, words: ["0x0001"], value: true, write: {value: false, words: ["0x0000"]}}',
        '{point: hours, words: ["0x4145", "0x70A4"], value: 12.34000015258789}',
    ],
    ids=["value", "sentinel", "held-scale", "no-scale", "label-alone", "both-ways", "write", "coil", "float-by-its-shortest-text"],
)
def test_vector_that_holds_gives_nothing(meter: Path, line: str) -> None:
    vectors_of(meter).write_text(f"- {line}\n", "utf-8")
    assert [str(finding) for finding in check_vectors(meter, load_map(meter))] == []


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ('{point: volts, words: ["0x0901"], value: 230.4}', "vector_fails", "volts: 0x0901 is 230.5, not 230.4"),
        ('{point: volts, words: ["0x0901"], reason: not_available}', "vector_fails", "with reason no value, not not_available"),
        ('{point: volts, words: ["0xFFFF"], value: 6553.5}', "vector_fails", "with reason not_available, not no value"),
        ('{point: volts, words: ["0x0901", "0x0000"], value: 230.5}', "vector_fails", "has 1 registers, not 2"),
        ('{point: volts, words: ["0x0901"]}', "vector_fails", "words without value, reason or label"),
        ("{point: volts}", "vector_fails", "neither words to read nor a write"),
        ('{point: mode, words: ["0x0001"], value: 1, label: "off"}', "vector_fails", "and called run, not off"),
        ('{point: mode, words: ["0x0001"], value: true}', "vector_fails", "is 1, not True"),
        ('{point: relay, words: ["0x0001"], value: 1}', "vector_fails", "is True, not 1"),
        ('{point: watts, words: ["0x0000", "0x0001"], with: {factor: 1}, value: 1}', "vector_fails", "is 10, not 1"),
        ('{point: mode, write: {value: run, words: ["0x0002"]}}', "vector_fails", "run is written as 0x0001, not 0x0002"),
        ('{point: mode, write: {value: jog, words: ["0x0002"]}}', "vector_fails", "jog can't be written"),
        ('{point: limit, write: {value: 51, words: ["0x01FE"]}}', "vector_fails", "51 can't be written: 51 is above the limit 50"),
        ('{point: limit, write: {value: 0.3, words: ["0x0003"]}}', "vector_fails", "0.3 can't be written: 0.3 is not a step"),
        ('{point: volts, write: {value: 1, words: ["0x000A"]}}', "vector_fails", "1 can't be written: volts cannot be written"),
        ('{point: gone, words: ["0x0001"], value: 1}', "unknown_point", "no point gone"),
        ('{point: volts, words: ["0901"], value: 230.5}', "bad_name", "0901"),
        ("{point: volts, word: [], value: 1}", "unknown_key", "word"),
        ('{words: ["0x0901"], value: 1}', "missing_key", "point"),
    ],
)
def test_vector_that_does_not_hold_is_named_with_file_and_line(meter: Path, line: str, code: str, words: str) -> None:
    good = '- {point: volts, words: ["0x0001"], value: 0.1}\n'
    vectors_of(meter).write_text(f"# comment\n{good}- {line}\n", "utf-8")
    findings = check_vectors(meter, load_map(meter))
    assert {(finding.code, finding.file, finding.line, finding.severity) for finding in findings} == {
        (code, str(vectors_of(meter)), 3, "error")
    }
    assert words in " ".join(finding.message for finding in findings)
    assert all(finding.fix for finding in findings)


def test_map_without_vectors_beside_a_folder_of_vectors(meter: Path) -> None:
    assert [(finding.code, finding.file, finding.line) for finding in check_vectors(meter, load_map(meter))] == [
        ("vectors_missing", str(meter), 1)
    ]


def test_map_in_a_folder_without_vectors_needs_none(meter: Path) -> None:
    (meter.parent / "vectors").rmdir()
    assert check_vectors(meter, load_map(meter)) == ()


@pytest.mark.parametrize(
    ("text", "codes"),
    [("", ["wrong_type"]), ("point: volts\n", ["wrong_type"]), ("- [\n", ["yaml_syntax"])],
    ids=["empty", "mapping", "broken"],
)
def test_file_that_is_no_list_of_vectors(meter: Path, text: str, codes: list[str]) -> None:
    vectors_of(meter).write_text(text, "utf-8")
    assert [finding.code for finding in check_vectors(meter, load_map(meter))] == codes


def test_duplicate_key_in_a_vector_is_found(meter: Path) -> None:
    vectors_of(meter).write_text('- {point: volts, words: ["0x0001"], value: 0.1, value: 0.2}\n', "utf-8")
    assert [finding.code for finding in check_vectors(meter, load_map(meter))] == ["duplicate_key"]


def test_vectors_of_a_map_that_is_not_there(meter: Path) -> None:
    stray = meter.parent / "vectors" / "gone.yaml"
    stray.write_text("[]\n", "utf-8")
    assert [(finding.code, finding.file) for finding in stray_vectors(meter.parent)] == [("unknown_map", str(stray))]


def test_readme_without_a_place_for_the_index(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Maps\n", "utf-8")
    with pytest.raises(ValueError, match="no place for an index"):
        readme_text(tmp_path)


def test_index_leaves_out_maps_with_errors(meter: Path) -> None:
    (meter.parent / "README.md").write_text(
        "# Maps\n<!-- index: written by `python -m gateway.maps.index_file registermaps` -->\nold\n<!-- end of index -->\n", "utf-8"
    )
    (meter.parent / "bad.yaml").write_text("regmap: 1\n", "utf-8")
    assert "| [meter](meter.yaml) | V | M | k | 7 | 3 |  | T |\n<!-- end" in readme_text(meter.parent)
    assert "bad" not in readme_text(meter.parent)


def _numbers(row: dict[str, object], key: str) -> set[int]:
    given = row.get(key, [])
    assert isinstance(given, list)
    return {int(number) for number in given}


def test_scale_of_a_two_point_range_is_exact() -> None:
    assert scale_of(MAPS["danfoss-fc51"].points["bus_reference"]) == f"{Decimal(100) / 16384:f}"
