"""The samples of `tests/golden/convert` with the options a person gives for them, and short ways to convert text."""

import csv
from dataclasses import dataclass, field
from pathlib import Path

from gateway.maps.convert import discover
from gateway.maps.convert.draft.base import Options
from gateway.maps.convert.draft.result import Identity, Imported, finished
from gateway.maps.convert.draft.sheet import workbook
from gateway.maps.convert.draft.source import Source
from gateway.yamlfile import YamlValue, parse_yaml

FOLDER = Path(__file__).parents[3] / "golden" / "convert"
FORMATS = discover()
KEPWARE = {
    "zero_based_addressing": "on",
    "zero_based_bits": "on",
    "modbus_byte_order": "on",
    "first_word_low": "on",
    "first_dword_low": "on",
    "modicon_bit_order": "off",
    "longs_as_decimals": "off",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One file by hand in the style of its format."""

    format: str
    file: str
    options: Options = field(default_factory=Options)

    @property
    def expected(self) -> Path:
        """The map it becomes, and beside it the notes."""
        return FOLDER / "expected" / f"{Path(self.file).stem}.yaml"


SAMPLES = [
    Sample(format="modpoll", file="modpoll.csv", options=Options(notation="pdu")),
    Sample(format="telegraf", file="telegraf_register.toml"),
    Sample(format="telegraf", file="telegraf_request.toml"),
    Sample(format="telegraf", file="telegraf_metric.toml"),
    Sample(format="home_assistant", file="home_assistant.yaml"),
    Sample(format="thingsboard", file="thingsboard.json"),
    Sample(format="edgex", file="edgex.yaml", options=Options(settings={"devices": str(FOLDER / "edgex_devices.yaml")})),
    Sample(format="neuron", file="neuron.csv", options=Options(base=1, order="ABCD", settings={"plugin": "modbus"})),
    Sample(format="wb", file="wb.json"),
    Sample(format="kepware", file="kepware.csv", options=Options(settings=KEPWARE)),
    Sample(format="evcc", file="evcc.yaml"),
    Sample(format="sunspec", file="sunspec.json"),
]
BY_FORMAT = {sample.format: sample for sample in reversed(SAMPLES)}


def data_of(sample: Sample) -> bytes:
    """The file's bytes; Neuron's rows become the workbook that it exports."""
    path = FOLDER / sample.file
    if sample.format != "neuron":
        return path.read_bytes()
    with path.open(encoding="utf-8", newline="") as stream:
        return workbook({"tags": list(csv.reader(stream))})


def imported(format_name: str, content: str | bytes, options: Options | None = None, name: str = "sample.txt") -> Imported:
    """What a file of this content becomes."""
    read = FORMATS[format_name].read
    assert read is not None
    data = content.encode() if isinstance(content, str) else content
    return finished(read(Source(format_name, name, data), options or Options()), Identity())


def points_of(result: Imported) -> dict[str, dict[str | int, YamlValue]]:
    """The points as the text has them, without what proves them."""
    root = parse_yaml(result.text, "map.yaml").root
    assert isinstance(root, dict)
    points = root["points"]
    assert isinstance(points, dict)
    left_out = ("name", "source", "poll", "group")
    return {
        str(name): {key: value for key, value in keys.items() if key not in left_out}
        for name, keys in points.items()
        if isinstance(keys, dict)
    }


def dropped(result: Imported) -> dict[str, str]:
    """What was left out, and why."""
    return {note.what: note.why for note in result.notes if note.kind == "dropped"}
