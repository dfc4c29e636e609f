"""Cases whose answer is given when the map is loaded (D10, D33, D40): an error or a warning with file and line."""

import pytest

from gateway.maps.inspect import inspect_yaml
from gateway.yamlfile import parse_yaml

HEAD = "regmap: 1\nid: m\nvendor: V\nmodel: M\nkind: k\ntitle: {en: T, zh: 题}\nmanual: {title: T, addressing: pdu}\npoints:\n"
CASES = {
    "D10-percent-above-100": ("type: uint16, scale: 0.01, unit: '%'", ("warning", "percent_above_100", "points.p.unit")),
    "D33-width-past-16": ("type: uint16, bits: '17..15'", ("error", "bits_beyond_width", "points.p.bits")),
    "D40-scale-0": ("type: uint16, scale: 0", ("error", "scale_zero", "points.p.scale")),
    "D40-scale-with-comma": ("type: uint16, scale: '0,1'", ("error", "wrong_type", "points.p.scale")),
    "D40-unknown-type": ("type: float33", ("error", "bad_choice", "points.p.type")),
}


@pytest.mark.parametrize(("keys", "finding"), CASES.values(), ids=CASES.keys())
def test_map_with_a_wrong_point_is_told_with_its_line(keys: str, finding: tuple[str, str, str]) -> None:
    text = f"{HEAD}  p: {{pdu: 0, table: holding, page: 1, name: {{en: P, zh: 点}}, {keys}}}\n"
    (found,) = inspect_yaml(parse_yaml(text, "m.yaml")).findings
    assert (found.file, found.line) == ("m.yaml", 9)
    assert (found.severity, found.code, found.path) == finding
    assert found.fix
