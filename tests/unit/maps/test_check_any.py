"""Whatever a map file holds, checking it gives findings and never fails."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.maps.codes import CODES
from gateway.maps.inspect import inspect_yaml
from gateway.maps.load import shipped_maps
from gateway.maps.schema_point import PointIn
from gateway.yamlfile import YamlFile, YamlPath, YamlValue, read_yaml
from tests.seeded import GOLDEN

MAPS = [
    read_yaml(path) for path in (shipped_maps() / "schneider-atv320.yaml", shipped_maps() / "demo_vx200.yaml", GOLDEN / "hard_cases.yaml")
]
KEYS = sorted(field.alias or name for name, field in PointIn.model_fields.items())
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**65), 2**65),
    st.sampled_from([0, 1, -1, 65535, 65536, 4, 16]),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**6), max_value=10**6),
    st.text(max_size=12),
    st.sampled_from(
        [
            "holding",
            "coil",
            "bool",
            "float32",
            "uint16",
            "string",
            "mod10",
            "CDABGHEF",
            "15..8",
            "ro",
            "wo",
            "never",
            "1s",
            "run",
            "status.state",
        ]
    ),
)
VALUES: st.SearchStrategy[YamlValue] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*KEYS, 0, 1, "point", "as", "min"]), inner, max_size=3),
    max_leaves=6,
)


def paths(value: YamlValue, path: YamlPath = ()) -> list[YamlPath]:
    """Every place in a file."""
    children = list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    return [path, *(found for key, child in children for found in paths(child, (*path, key)))]


def replaced(value: YamlValue, path: YamlPath, new: YamlValue) -> YamlValue:
    """The values with one place changed."""
    if not path:
        return new
    if isinstance(value, list):
        return [replaced(child, path[1:], new) if number == path[0] else child for number, child in enumerate(value)]
    assert isinstance(value, dict)
    return {**value, path[0]: replaced(value.get(path[0]), path[1:], new)}


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_change_of_a_map_is_checked_without_failing(data: st.DataObject) -> None:
    yaml = MAPS[data.draw(st.integers(0, len(MAPS) - 1))]
    path = data.draw(st.sampled_from(paths(yaml.root)))
    if len(path) >= 2 and path[0] == "points" and data.draw(st.booleans()):
        path = (*path[:2], data.draw(st.sampled_from(KEYS)))
    root = replaced(yaml.root, path, data.draw(VALUES))
    inspected = inspect_yaml(YamlFile(file=yaml.file, text=yaml.text, root=root, lines=yaml.lines))
    assert all(finding.code in CODES and finding.fix for finding in inspected.findings)
    assert (inspected.map is None) == any(finding.severity == "error" for finding in inspected.findings)
    if inspected.map is not None:
        assert Path(inspected.map.file).stem
