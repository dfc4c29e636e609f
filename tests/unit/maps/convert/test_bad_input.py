"""Junk, huge, mangled and malicious files: one clear error or a map that loads; nothing else, and nothing executed."""

import io
import json
import random
import zipfile
from pathlib import Path

import pytest

from gateway.errors import MapError
from gateway.maps.convert.draft.base import Options
from gateway.maps.convert.draft.sheet import workbook
from gateway.maps.convert.draft.source import Source
from gateway.yamlfile import MAX_BYTES
from tests.unit.maps.convert.samples import BY_FORMAT, FORMATS, data_of, imported

READERS = [name for name, converter in FORMATS.items() if converter.read]
WORKBOOKS = ("neuron", "xlsx")
DEEP_JSON = "[" * 50 + "]" * 50
JUNK = {
    "empty": b"",
    "binary": bytes(range(256)) * 20,
    "utf-16": "device,a,1".encode("utf-16"),
    "prose": b"This is a letter, not a map.\nRegards\n",
    "html": b"<!DOCTYPE html><html><body>404</body></html>",
    "zip": b"PK\x03\x04" + b"\0" * 100,
    "null": b"null",
    "list": b"[1, 2, 3]",
    "deep": DEEP_JSON.encode(),
    "very-deep": (b"[" * 100_000),
    "nan": b'{"master": NaN, "id": Infinity}',
    "long-number": b'{"id": ' + b"9" * 5000 + b"}",
    "huge-exponent": b'{"id": 1e999999999, "group": {"points": []}}',
    "wrong-types": b'{"id": [], "group": 5, "device": "x", "master": [], "slaves": {"a": 1}}',
    "yaml-bomb": b"a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\nmodbus: *b\n",
    "yaml-python": b'modbus: !!python/object/apply:os.system ["echo hi"]\n',
}


@pytest.mark.parametrize("junk", JUNK, ids=list(JUNK))
@pytest.mark.parametrize("name", READERS)
def test_junk_is_one_clear_error(name: str, junk: str) -> None:
    with pytest.raises(MapError) as caught:
        imported(name, JUNK[junk], BY_FORMAT[name].options if name in BY_FORMAT else None)
    first = caught.value.findings[0]
    assert first.fix
    assert first.file == "sample.txt"
    assert len(str(first)) < 600


def test_huge_file_is_refused_before_it_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as stream:
        stream.truncate(50 * MAX_BYTES)
    with pytest.raises(MapError, match="larger than"):
        Source.open("csv", path)


def test_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(MapError, match="check the path"):
        Source.open("csv", tmp_path / "none.csv")


def packed(files: dict[str, bytes]) -> bytes:
    """A zip of these files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize("name", WORKBOOKS)
def test_workbook_that_unpacks_to_very_much_is_refused(name: str) -> None:
    with pytest.raises(MapError, match="unpacks to more"):
        imported(name, packed({"xl/workbook.xml": b"\0" * 70_000_000}), BY_FORMAT["neuron"].options)


@pytest.mark.parametrize("name", WORKBOOKS)
def test_workbook_with_entities_is_refused(name: str) -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><workbook>&b;</workbook>'
    with pytest.raises(MapError, match="document type"):
        imported(name, packed({"xl/workbook.xml": bomb}), BY_FORMAT["neuron"].options)


def test_workbook_without_its_parts_is_refused() -> None:
    with pytest.raises(MapError, match="not a workbook"):
        imported("xlsx", packed({"[Content_Types].xml": b"<Types/>"}))


def mangled(data: bytes, seed: int) -> bytes:
    """The text with a piece cut out, doubled, or replaced by something else of the kind."""
    chance = random.Random(seed)  # noqa: S311 (not a secret)
    text = data.decode()
    first = chance.randrange(len(text))
    last = min(len(text), first + chance.randrange(1, 30))
    piece = text[first:last]
    new = chance.choice(["", piece * 2, "-1", "1e9", "null", "{}", "[]", '"', ",", "\n", "99999999", "=1+1", "{{ x }}", "\u202e", "0x"])
    return (text[:first] + new + text[last:]).encode()


@pytest.mark.parametrize("name", [name for name in BY_FORMAT if name != "neuron"])
def test_mangled_file_is_an_error_or_a_map_that_loads(name: str) -> None:
    sample = BY_FORMAT[name]
    good = data_of(sample)
    maps = 0
    for seed in range(60):
        try:
            result = imported(name, mangled(good, seed), sample.options)
        except MapError:
            continue
        maps += 1
        assert result.map.points
        assert all(point.write is None or point.write.confirm == "never" for point in result.map.points.values())
    assert maps > 4


def test_mangled_tags_of_neuron_are_left_out_one_by_one() -> None:
    header = ["name", "address", "attribute", "type", "decimal"]
    rows = [["a", "x!4", "Read", "INT16", ""], ["b", "1!400001", "", "INT16", "ten"], ["c", "1!400002", "7", "INT16", "2"], ["d"]]
    result = imported("neuron", workbook({"s": [header, *rows]}), Options(base=1))
    assert list(result.map.points) == ["c"]


def test_json_numbers_stay_exact() -> None:
    text = json.dumps({"device": {"channels": [{"name": "x", "reg_type": "input", "address": 1, "scale": "S"}]}})
    result = imported("wb", text.replace('"S"', "0.10000000000000000001"))
    assert str(result.map.points["x"].scale) == "0.10000000000000000001"


def test_line_breaks_in_a_cell_add_no_line_to_the_map() -> None:
    text = 'device,d,1\npoll,holding_register,0,9,"BE\nevil: 1"\nref,"a\nb: c",0,"string\nregmap: 2",r\n'
    result = imported("modpoll", text, Options(notation="pdu"), "a\nb.csv")
    assert list(result.map.points) == ["a_b_c"]
    assert not any(line.strip().startswith(("evil", "regmap: 2", "b: c")) for line in result.text.split("\n"))


@pytest.mark.parametrize(("unit", "kept"), [(255, None), (0, None), (247, 247)])
def test_unit_id_that_only_a_link_has_is_left_to_the_configuration(unit: int, kept: int | None) -> None:
    text = f"[[inputs.modbus]]\nslave_id = {unit}\ncoils = [ {{ name = 'x', address = [1] }} ]\n"
    assert imported("telegraf", text).map.device.unit_id == kept


@pytest.mark.parametrize("period", ["1e99", "0", "x", "-5"])
def test_odd_period_never_stops_an_import(period: str) -> None:
    text = f"modbus:\n  - sensors:\n      - {{name: X, slave: 1, address: 1, data_type: int16, scan_interval: {period}}}\n"
    assert imported("home_assistant", text).map.points["x"].poll == "normal"
