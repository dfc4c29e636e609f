"""Each sample becomes the map beside it, which loads, is locked, and says where each point came from."""

import pytest

from gateway.maps.convert.draft.result import Imported
from gateway.maps.load import load_map
from gateway.model.point import Access
from tests.unit.maps.convert.samples import FORMATS, SAMPLES, Sample, data_of, imported, points_of

IDS = [sample.file for sample in SAMPLES]


def converted(sample: Sample) -> Imported:
    """The sample's map."""
    return imported(sample.format, data_of(sample), sample.options, sample.file)


def test_formats_are_found_by_folder_scan() -> None:
    reads = [name for name, converter in FORMATS.items() if converter.read]
    writes = [name for name, converter in FORMATS.items() if converter.write]
    both = ["csv", "home_assistant", "telegraf", "xlsx"]
    assert reads == sorted([*both, "edgex", "evcc", "kepware", "modpoll", "neuron", "sunspec", "thingsboard", "wb"])
    assert writes == sorted([*both, "wot"])


@pytest.mark.parametrize("sample", SAMPLES, ids=IDS)
def test_sample_becomes_the_map_beside_it(sample: Sample) -> None:
    result = converted(sample)
    assert result.text == sample.expected.read_text(encoding="utf-8")
    notes = sample.expected.with_suffix(".notes.txt").read_text(encoding="utf-8")
    assert "".join(f"{note}\n" for note in result.notes) == notes


@pytest.mark.parametrize("sample", SAMPLES, ids=IDS)
def test_expected_map_loads_and_nothing_in_it_can_be_written(sample: Sample) -> None:
    loaded = load_map(sample.expected)
    assert loaded.points
    for point in loaded.points.values():
        assert (point.access is Access.RO) is (point.write is None)
        assert point.write is None or point.write.confirm == "never"
        assert sample.file in point.source
        assert " line " in point.source


@pytest.mark.parametrize("sample", SAMPLES, ids=IDS)
def test_every_assumption_lowers_confidence_and_stands_as_a_comment(sample: Sample) -> None:
    result = converted(sample)
    assumed = {note.what for note in result.notes if note.kind == "assumed"}
    assert {name for name, keys in points_of(result).items() if keys.get("confidence") == "low"} == assumed
    assert result.text.count("# assumed: ") == len([note for note in result.notes if note.kind == "assumed"])
    for note in result.notes:
        if note.kind == "dropped":
            assert f"# {note.kind}: " in result.text
