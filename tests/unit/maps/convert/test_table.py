"""Our own table: back without loss, safe in any spreadsheet, clear about what an engineer typed wrong."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook
from pydantic import BaseModel

from gateway.errors import MapError
from gateway.maps.convert.draft.base import Options
from gateway.maps.convert.draft.columns import COLUMNS, from_row, safe, to_row, unsafe
from gateway.maps.convert.draft.result import Imported
from gateway.maps.inspect import inspect_yaml
from gateway.maps.load import load_map, shipped_maps
from gateway.maps.schema_point import AlarmIn, PointIn, RangeFromIn, RangeIn, RepeatIn, ScaleFromIn, ValidIn, WriteIn
from gateway.model.point import RegisterMap
from gateway.yamlfile import YamlFile, YamlValue, parse_yaml, read_yaml
from tests.seeded import GOLDEN
from tests.unit.maps.convert.samples import FORMATS, imported

HEAD = "regmap: 1\nid: m\nvendor: V\nmodel: M\nkind: k\ntitle: {en: T, zh: 题}\nmanual: {title: T, addressing: pdu}\n"
NESTED: dict[str, type[BaseModel]] = {
    "repeat": RepeatIn, "range": RangeIn, "scale_from": ScaleFromIn, "range_from": RangeFromIn, "write": WriteIn,
    "valid": ValidIn, "alarm": AlarmIn,
}  # fmt: skip
HEAD_ROWS = [["regmap", "1"], ["id", "m"], ["vendor", "V"], ["model", "M"], ["kind", "k"], ["title.en", "T"], ["title.zh", "题"],
             ["manual.title", "T"], ["manual.addressing", "ref"]]  # fmt: skip
POINT_COLUMNS = ["name", "address", "notation", "table", "type", "scale", "unit"]


def exported(file: YamlFile, name: str) -> bytes:
    """The map in this format."""
    found = inspect_yaml(file).map
    write = FORMATS[name].write
    assert found is not None
    assert write is not None
    return write(file, found).content


def same(found: RegisterMap) -> RegisterMap:
    """The map without what tells where it stood."""
    return replace(found, version="", file="", points={name: replace(point, line=0) for name, point in found.points.items()})


def back(file: YamlFile, name: str) -> Imported:
    """The map that comes back from this format."""
    return imported(name, exported(file, name), name=f"table.{name}")


@pytest.mark.parametrize("path", [*sorted(shipped_maps().glob("*.yaml")), GOLDEN / "hard_cases.yaml"], ids=lambda path: path.stem)
def test_map_comes_back_from_csv_without_loss(path: Path) -> None:
    assert same(back(read_yaml(path), "csv").map) == same(load_map(path))


@pytest.mark.parametrize("name", ["hard_cases", "demo_vx200", "demo_doseplc", "schneider-atv320"])
def test_map_comes_back_from_a_workbook_without_loss(name: str) -> None:
    path = GOLDEN / "hard_cases.yaml" if name == "hard_cases" else shipped_maps() / f"{name}.yaml"
    assert same(back(read_yaml(path), "xlsx").map) == same(load_map(path))


@pytest.mark.parametrize("name", ["csv", "xlsx"])
def test_second_trip_gives_the_same_bytes_of_text(name: str) -> None:
    first = back(read_yaml(shipped_maps() / "demo_vx200.yaml"), name)
    assert back(parse_yaml(first.text, "demo_vx200.yaml"), name).text == first.text


def test_every_key_of_the_format_has_a_column() -> None:
    keys = {field.alias or name for name, field in PointIn.model_fields.items()} - {"pdu", "reg", "ref"}
    inner = {f"{key}.{field.alias or name}" for key, model in NESTED.items() for name, field in model.model_fields.items()}
    assert keys | inner | {"name", "address", "notation", "name.en", "name.zh", "null"} <= set(COLUMNS)


@pytest.mark.parametrize(
    "point",
    [
        'ref: "00001", type: bool',
        'pdu: "0x0BD3", table: holding, type: uint16',
        "reg: 7, table: input, type: float32, order: DCBA, unit: null, poll: null",
        "pdu: 1, table: coil, type: bool, access: rw, write: {}",
        'pdu: 1, table: holding, type: uint16, name: "=1+1", note: "\'quoted", description: {en: "-5", zh: "@x"}',
        'pdu: 1, table: holding, type: uint16, page: 4, section: 3.10, unit: "%", aliases: ["1", "a,b", "a: b"]',
        'pdu: 1, table: holding, type: uint16, enum: {0: "off", 1: {en: "on", zh: 开}}, source: "x; y, z"',
        "pdu: 1, table: holding, type: uint16, bits: \"15..8\", sim: {value: 3}, group: 'null'",
    ],
)
def test_point_comes_back_as_it_was(point: str) -> None:
    file = parse_yaml(f"{HEAD}defaults: {{unit: V}}\npoints:\n  p: {{{point}}}\n", "m.yaml")
    for name in ("csv", "xlsx"):
        found, again = inspect_yaml(file).map, back(file, name).map
        assert found is not None
        assert same(again) == same(found)


scalars = st.one_of(st.integers(-(2**63), 2**64), st.booleans(), st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), max_size=20))


@given(text=st.text(max_size=30))
def test_safe_text_begins_no_formula_and_comes_back(text: str) -> None:
    cell = safe(text)
    assert unsafe(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or cell.removeprefix("-").replace(".", "", 1).isdigit()


@given(
    keys=st.dictionaries(
        st.sampled_from(["enum", "flags", "invalid", "aliases", "sim", "poll", "base", "deadband", "scale"]),
        st.recursive(
            scalars,
            lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.integers(0, 9), inner, min_size=1, max_size=3)),
            max_leaves=6,
        ),
    )
)
def test_any_values_come_back_from_a_row(keys: dict[str | int, YamlValue]) -> None:
    kept = {key: value for key, value in keys.items() if value != ""}
    assert from_row(to_row("p", kept)) == ("p", kept)


def test_formula_is_text_in_the_map_and_a_text_cell_in_the_workbook() -> None:
    point = 'pdu: 1, table: holding, type: uint16, name: {en: "=cmd|\' /C calc\'!A0", zh: "+1"}'
    file = parse_yaml(f"{HEAD}points:\n  p: {{{point}}}\n", "m.yaml")
    text = exported(file, "csv").decode("utf-8-sig")
    cells = next(row for row in csv.reader(io.StringIO(text)) if row[:1] == ["p"])
    assert "'=cmd|' /C calc'!A0" in cells
    assert "'+1" in cells
    for sheet in load_workbook(io.BytesIO(exported(file, "xlsx"))).worksheets:
        for cell in [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]:
            assert (cell.data_type, cell.number_format) == ("s", "@")


Table = Callable[..., bytes]


def csv_of(points: Sequence[Sequence[str]], head: Sequence[Sequence[str]] = HEAD_ROWS, delimiter: str = ",") -> bytes:
    """A table as an engineer's program saves it."""
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows([["[map]", ""], *head, ["", ""], ["[points]", ""], *points])
    return stream.getvalue().encode()


ROW = ["speed", "40001", "ref", "", "uint16", "0.1", "Hz"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_any_delimiter_and_empty_rows_are_read(delimiter: str) -> None:
    found = imported("csv", csv_of([POINT_COLUMNS, ROW, [""] * 7], delimiter=delimiter)).map
    assert list(found.points) == ["speed"]
    assert (found.points["speed"].pdu, found.points["speed"].unit) == (0, "Hz")


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (["speed", "1", "ref", "", "uint16", "0.1", ""], "bad_digit_count"),
        (["speed", "40001", "ref", "", "uint16", "0,1", ""], "wrong_type"),
        (["speed", "40001", "ref", "", "word", "", ""], "bad_choice"),
        (["speed", "1", "modbus", "holding", "uint16", "", ""], "bad_notation"),
        (["speed", "40001", "", "", "uint16", "", ""], "option_needed"),
        (["speed", "010", "pdu", "holding", "uint16", "", ""], "wrong_type"),
        (["speed", "40001", "ref", "", "uint16", "[1, 2", ""], "bad_cell"),
        (["speed", "HR1", "ignition", "", "uint16", "", ""], "base_needed"),
    ],
    ids=["zeros-lost", "decimal-comma", "type", "notation", "no-notation", "leading-zero", "cell", "base"],
)
def test_wrong_row_is_one_error_with_its_line(row: list[str], code: str) -> None:
    with pytest.raises(MapError) as caught:
        imported("csv", csv_of([POINT_COLUMNS, ROW, ["b", *row[1:]]]))
    first = caught.value.findings[0]
    assert (first.code, first.fix != "") == (code, True)
    assert first.line == 15 or code == "option_needed"


@pytest.mark.parametrize(
    ("columns", "near"), [(["name", "address", "adress"], "address"), (["name", "type"], "name"), (["name", "address", "Name"], "keep one")]
)
def test_unknown_column_is_named(columns: list[str], near: str) -> None:
    with pytest.raises(MapError, match=near) as caught:
        imported("csv", csv_of([columns, ROW]))
    assert caught.value.findings[0].code == "unknown_column"


def test_one_name_twice_is_an_error() -> None:
    with pytest.raises(MapError, match=r"sample\.txt:15: "):
        imported("csv", csv_of([POINT_COLUMNS, ROW, ROW]))


@pytest.mark.parametrize(
    ("notation", "address", "base", "pdu"), [("modicon-x", "4x0003", None, 2), ("ignition", "HRF5", 1, 4), ("kepware", "43", 1, 2)]
)
def test_addresses_of_other_programs_are_read_where_the_column_says_so(notation: str, address: str, base: int | None, pdu: int) -> None:
    row = ["x", address, notation, "", "" if notation == "ignition" else "float32", "", ""]
    options = Options(base=1) if base else Options()
    point = imported("csv", csv_of([POINT_COLUMNS, row]), options).map.points["x"]
    assert (point.table, point.pdu, point.type) == ("holding", pdu, "float32")


def test_notation_can_be_said_for_the_whole_table() -> None:
    row = ["x", "3", "", "holding", "float32", "", ""]
    assert imported("csv", csv_of([POINT_COLUMNS, row]), Options(notation="reg")).map.points["x"].pdu == 2


def book(cells: dict[str, str | bool | date]) -> bytes:
    """A workbook as a spreadsheet program saves it, with some cells of the one point replaced."""
    made = Workbook()
    points = made.active
    assert points is not None
    points.title = "points"
    points.append(POINT_COLUMNS)
    points.append(["speed", 40001, "ref", None, "uint16", 0.1, "Hz"])
    for place, value in cells.items():
        points[place] = value
    head = made.create_sheet("map")
    for row in [["key", "value"], *HEAD_ROWS]:
        head.append(row)
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


def test_numbers_that_the_program_made_of_cells_are_read() -> None:
    point = imported("xlsx", book({})).map.points["speed"]
    assert (point.pdu, str(point.scale)) == (0, "0.1")


@pytest.mark.parametrize(
    ("cells", "code"),
    [({"F2": "=0.1*1"}, "formula"), ({"B2": date(2026, 1, 2)}, "date"), ({"E2": True}, "bad_choice")],
    ids=["formula", "date", "bool"],
)
def test_cells_that_a_program_has_changed_are_refused(cells: dict[str, str | bool | date], code: str) -> None:
    with pytest.raises(MapError) as caught:
        imported("xlsx", book(cells))
    assert caught.value.findings[0].code == code


def test_head_text_needs_no_quotes() -> None:
    head = [row if row[0] != "vendor" else ["vendor", "Pumps: & Co"] for row in HEAD_ROWS]
    assert imported("csv", csv_of([POINT_COLUMNS, ROW], head)).map.vendor == "Pumps: & Co"
