"""`busmate plan`: the read blocks of a map or configuration with what they cost."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gateway.cli import main
from gateway.maps.load import shipped_maps

MAP = """
regmap: 1
id: test_meter
vendor: Test
model: T1
kind: meter
title: {en: Meter, zh: 仪表}
manual: {title: none, addressing: pdu}
evidence: {level: bench}
device: {unit_id: 7, serial: {baud: 9600, parity: even}, max_read: 10, gap_ms: 20}
defaults: {table: holding, access: ro, poll: fast}
poll: {fast: 1s, once: once}
points:
  energy: {pdu: 0, type: uint32, page: 1, unit: kWh, name: {en: Energy, zh: 电能}, scale_from: {point: sf, as: exponent}}
  power: {pdu: 2, type: int16, page: 1, unit: W, name: {en: Power, zh: 功率}}
  sf: {pdu: 5, type: int16, page: 1, poll: once, name: {en: Scale, zh: 比例}}
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs `busmate plan ...` in this process: exit status, standard output, standard error."""

    def _run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["busmate", "plan", *arguments])
        status = 0
        try:
            main()
        except SystemExit as exc:
            status = exc.code if isinstance(exc.code, int) else 1
        out, err = capsys.readouterr()
        return status, out, err

    return _run


@pytest.fixture
def meter(tmp_path: Path) -> Path:
    path = tmp_path / "test_meter.yaml"
    path.write_text(MAP, "utf-8")
    return path


def _config(folder: Path, transport: str) -> Path:
    path = folder / "plant.yaml"
    lines = [
        "site: {name: Test, timezone: UTC, languages: [en]}",
        "data_dir: ./data",
        "maps: [.]",
        "links:",
        f"  - {{id: line1, {transport}, gap_s: 0.05}}",
        "  - {id: spare, transport: tcp, host: 127.0.0.1, port: 503}",
        "devices:",
        *(f"  - {{id: m{unit}, link: line1, unit_id: {unit}, map: test_meter, title: {{en: M, zh: M}}}}" for unit in (1, 2)),
    ]
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_map_alone_is_one_link_at_the_speed_it_states(run: Any, meter: Path) -> None:
    status, out, err = run(str(meter), "--json")
    (link,) = json.loads(out)["links"]
    first, second = link.pop("blocks")
    silence, size = 3.5 * 11 / 9600, 13 + 2 * 3
    fast_s = size * 11 / 9600 + silence + 0.02
    assert (status, err) == (0, "")
    assert link == {"id": None, "load": round(fast_s, 4), "bus_ms_per_s": round(fast_s * 1000, 1)}
    assert first == {
        "device": None,
        "devices": [],
        "unit_id": 7,
        "table": "holding",
        "address": 0,
        "count": 3,
        "group": "fast",
        "bytes": size,
        "bus_ms": round(fast_s * 1000, 2),
        "atomic": False,
        "points": ["energy", "power"],
    }
    assert (second["group"], second["points"], second["atomic"]) == ("once", ["sf"], True)


@pytest.mark.parametrize(
    ("transport", "size", "bus_ms"),
    [
        pytest.param("transport: rtu, port: /dev/ttyS9, baud: 19200", 19, 19 * 10 / 19.2 + 35 / 19.2 + 50, id="rtu"),
        pytest.param("transport: ascii, port: /dev/ttyS9, baud: 19200", 40, 40 * 9 / 19.2 + 31.5 / 19.2 + 50, id="ascii-7-bits"),
        pytest.param("transport: rtu_over_tcp, host: 127.0.0.1, port: 502", 19, 60, id="rtu-over-tcp"),
        pytest.param("transport: tcp, host: 127.0.0.1, port: 502", 27, 60, id="tcp"),
    ],
)
def test_configuration_adds_up_the_devices_of_each_link(run: Any, meter: Path, transport: str, size: int, bus_ms: float) -> None:
    status, out, _ = run(str(_config(meter.parent, transport)), "--json")
    line1, spare = json.loads(out)["links"]
    fast = [block for block in line1["blocks"] if block["group"] == "fast"]
    assert (status, [(block["device"], block["unit_id"], block["bytes"]) for block in fast]) == (0, [("m1", 1, size), ("m2", 2, size)])
    assert fast[0]["bus_ms"] == pytest.approx(bus_ms, abs=0.01)
    assert line1["load"] == pytest.approx(2 * bus_ms / 1000, abs=0.0001)
    assert spare == {"id": "spare", "load": 0.0, "bus_ms_per_s": 0.0, "blocks": []}


def test_one_device_is_shown_alone(run: Any, meter: Path) -> None:
    config = _config(meter.parent, "transport: tcp, host: 127.0.0.1, port: 502")
    (link,) = json.loads(run(str(config), "--device", "m2", "--json")[1])["links"]
    assert {block["device"] for block in link["blocks"]} == {"m2"}
    status, out, _ = run(str(config), "--device", "m3", "--json")
    assert (status, json.loads(out)["error"], json.loads(out)["fix"]) == (1, "unknown_device", "use one of: m1, m2")


def test_people_see_load_blocks_and_points(run: Any, meter: Path) -> None:
    status, out, _ = run(str(meter))
    assert status == 0
    assert "map alone: load 4.6%, 45.8 ms of bus time a second, 2 blocks" in out
    assert "holding 0 x 3, 19 bytes, 45.78 ms  (scale register read apart): energy, power" in out


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("", "unreadable", id="no-file"),
        pytest.param(MAP.replace("pdu: 2", "pdu: 70000"), "", id="wrong-map"),
        pytest.param("links: []\nhello: 1\n", "", id="wrong-configuration"),
    ],
)
def test_wrong_file_is_one_document_with_its_place(run: Any, tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "test_meter.yaml"
    if text:
        path.write_text(text, "utf-8")
    status, out, _ = run(str(path), "--json")
    document = json.loads(out)
    assert (status, document["file"]) == (1, str(path))
    assert document["error"] == (code or document["error"])


def test_a_link_that_is_asked_too_much_is_named_with_its_line(run: Any, meter: Path) -> None:
    config = _config(meter.parent, "transport: rtu, port: /dev/ttyS9, baud: 300")
    status, out, _ = run(str(config), "--json")
    document = json.loads(out)
    (warning,) = document["warnings"]
    assert document["links"][0]["load"] > 1
    assert (status, warning["code"], warning["file"], warning["line"], warning["path"]) == (0, "link_overloaded", str(config), 5, "links.0")
    assert f"{document['links'][0]['load']:.0%}" in warning["message"]
    assert f"plant.yaml:5: links.0: link_overloaded: warning: {warning['message']}" in run(str(config))[1]


def test_a_link_that_is_asked_just_enough_is_not(run: Any, meter: Path) -> None:
    meter.write_text(MAP.replace("fast: 1s", "fast: 120ms"), "utf-8")
    document = json.loads(run(str(_config(meter.parent, "transport: tcp, host: 127.0.0.1")), "--json")[1])
    assert (document["links"][0]["load"], document["warnings"]) == (1.0, [])


def test_a_map_alone_is_judged_by_the_line_it_states(run: Any, meter: Path) -> None:
    meter.write_text(MAP.replace("baud: 9600", "baud: 300").replace("fast: 1s", "fast: 900ms"), "utf-8")
    (warning,) = json.loads(run(str(meter), "--json")[1])["warnings"]
    assert (warning["code"], warning["path"]) == ("link_overloaded", "poll")
    meter.write_text(MAP.replace("serial: {baud: 9600, parity: even}, ", "").replace("fast: 1s", "fast: 9ms"), "utf-8")
    assert json.loads(run(str(meter), "--json")[1])["warnings"] == []


def test_every_shipped_map_can_be_planned(run: Any) -> None:
    for path in sorted(shipped_maps().glob("*.yaml")):
        status, out, err = run(str(path), "--json")
        assert (status, err) == (0, ""), path
        assert json.loads(out)["links"][0]["blocks"], path
