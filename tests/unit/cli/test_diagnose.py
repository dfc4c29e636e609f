"""`busmate diagnose`: what is asked for wrongly, and advice from counters; reading is tested over the simulated plant."""

import json
import sys
from pathlib import Path

import pytest

from gateway.cli import main
from gateway.link.options import LinkOptions
from gateway.link.status import LinkStatus
from gateway.service.diagnose import LinkFindings, at_most_ms
from gateway.service.health import dropped_advice

CONFIG = str(Path(__file__).parents[3] / "configs/demo.yaml")


def diagnose(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["busmate", "diagnose", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def test_unknown_name_offers_links_and_devices(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert diagnose(monkeypatch, CONFIG, "line9", "--json") == 1
    one = json.loads(capsys.readouterr().out)
    assert (one["error"], one["message"]) == ("UNKNOWN_NAME", "no link or device is called line9")
    assert "line1" in one["fix"]
    assert "vfd1" in one["fix"]


def test_link_without_devices_points_to_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "site.yaml"
    config.write_text(
        "site: {name: T, timezone: UTC, languages: [en]}\nlinks:\n  - {id: lan1, transport: tcp, host: 127.0.0.1}\n"
        "  - {id: lan2, transport: tcp, host: 127.0.0.1, port: 503}\ndevices:\n"
        "  - {id: lt1, link: lan1, unit_id: 1, map: demo_lt50, title: {en: L, zh: L}}\n",
        encoding="utf-8",
    )
    assert diagnose(monkeypatch, str(config), "lan2", "--json") == 1
    one = json.loads(capsys.readouterr().out)
    assert (one["error"], one["fix"]) == ("NO_DEVICES", "see who answers with `busmate scan`")


@pytest.mark.parametrize(
    ("dropped", "words"),
    [
        ({}, []),
        ({"length_mismatch": 3}, []),
        ({"echo_seen": 3, "unasked_bytes": 20}, ["local_echo: true"]),
        ({"unasked_bytes": 20}, ["a second master"]),
        ({"unasked_bytes": 20, "rejected_late": 1}, ["raise timeout_s"]),
        ({"crc_error": 2, "foreign_unit": 1}, ["unit_reply: any", "termination"]),
    ],
    ids=["nothing", "no-word-for-it", "echo", "unasked", "late", "two-troubles"],
)
def test_what_was_dropped_is_advised(dropped: dict[str, int], words: list[str]) -> None:
    found = dropped_advice(dropped)
    assert len(found) == len(words)
    assert all(word in text.en and text.zh for word, text in zip(words, found, strict=True))


@pytest.mark.parametrize(
    ("load", "dials", "own", "words"),
    [(0.9, 1, False, []), (1.2, 1, False, ["poll slower"]), (0.1, 9, False, ["ends again and again"]), (0.1, 9, True, [])],
    ids=["sound", "overload", "restless", "closed-by-us"],
)
def test_load_and_dials_are_advised(load: float, dials: int, own: bool, words: list[str]) -> None:
    status = LinkStatus(
        id="l",
        place="p",
        state="open",
        cause="",
        queued=0,
        exchanges=9,
        timeouts=0,
        dials=dials,
        failed_dials=0,
        load=0.5,
        dropped={},
        frames=(),
    )
    options = LinkOptions(id="l", transport="tcp", close_after_poll=own)
    link = LinkFindings(options=options, status=status, heard_bytes=9, planned_load=None, measured_load=load, units=())
    assert [any(word in text.en for word in words) for text in link.advice] == [True] * len(words)


@pytest.mark.parametrize(
    ("counts", "share", "bound"),
    [([0] * 13, 0.5, None), ([1] + [0] * 12, 0.5, 1), ([9, 1] + [0] * 11, 0.95, 2), ([0] * 12 + [1], 0.5, None)],
    ids=["none", "one", "p95", "above-all"],
)
def test_share_of_replies_stays_within_a_bound(counts: list[int], share: float, bound: int | None) -> None:
    assert at_most_ms(counts, share) == bound
