"""Faults by name."""

import inspect
from pathlib import Path

import pytest

from gateway.errors import ConfigError
from simulators.fault_args import Arg, catalogue, parse_fault

KNOWN = """bad_length black_hole busy_n byte_by_byte clamp close_after_reply close_before_reply connect_delay crc_error delay_write
die_after_write drop duplicate echo exception foreign_first freeze hole idle_close ignore_write late mute mute_unit nan noise_before
one_connection protocol_id refuse_above refuse_point restart_zero short_bytes split stale stale_first swap tid_plus_one tid_zero
trailing_bytes truncate unplugged wrong_byte_count wrong_echo wrong_function wrong_tid wrong_unit"""


def test_the_catalogue_is_complete() -> None:
    assert list(catalogue()) == KNOWN.split()


def test_every_fault_says_what_it_does() -> None:
    assert [name for name, made in catalogue().items() if not (made.__doc__ or "").strip()] == []


@pytest.mark.parametrize(
    ("text", "args", "aim"),
    [
        ("mute", {}, {}),
        ("mute,times=1", {}, {"times": 1}),
        ("late=0.5", {"delay_s": 0.5}, {}),
        ("late=0.5,0.1", {"delay_s": 0.5, "jitter_s": 0.1}, {}),
        ("late=0.5,device=vfd2,times=3", {"delay_s": 0.5}, {"device": "vfd2", "times": 3}),
        ("hole=50..59", {"addresses": "50..59"}, {}),
        ("hole=addresses=57,table=input,code=4", {"addresses": "57", "table": "input", "code": 4}, {}),
        ("clamp=vfd1.speed_sp,high=48", {"tag": "vfd1.speed_sp", "high": 48.0}, {}),
        ("exception=6,function=3,skip=1,chance=0.5,link=lan1", {"code": 6}, {"function": 3, "skip": 1, "chance": 0.5, "link": "lan1"}),
        ("wrong_function=4,function=3", {"other": 4}, {"function": 3}),
    ],
)
def test_text_gives_arguments_and_aim(text: str, args: dict[str, Arg], aim: dict[str, Arg]) -> None:
    spec = parse_fault(text)
    assert (spec.args, spec.aim) == (args, aim)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fly", "no fault is called 'fly': known are bad_length"),
        ("late=soon", "delay_s=soon is no float"),
        ("late=1,2,3", "one value too many"),
        ("late=1,colour=red", "no argument 'colour'"),
        ("hole", "needs addresses"),
        ("mute=1", "one value too many"),
    ],
)
def test_nonsense_is_refused_with_what_is_known(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse_fault(text)


def test_the_guide_names_every_fault_with_its_arguments() -> None:
    guide = (Path(__file__).parents[3] / "docs/engineers/simulators.md").read_text("utf-8")
    rows = [line.split("|") for line in guide.splitlines() if line.startswith("| `")]
    told = {row[1].strip(" `"): [part.split("=")[0].strip(" `") for part in row[2].split(",") if part.strip()] for row in rows}
    assert told == {name: list(inspect.signature(made).parameters) for name, made in catalogue().items()}
