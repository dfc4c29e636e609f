"""`busmate address`, `decode`, `encode`: what they print, how they end, how fast they start."""

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gateway.cli import main

Out = tuple[int, str, str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs one command line in this process: exit status, standard output, standard error."""

    def _run(line: str) -> Out:
        monkeypatch.setattr(sys, "argv", ["busmate", *line.split()])
        status = 0
        try:
            main()
        except SystemExit as exc:
            status = exc.code if isinstance(exc.code, int) else 1
        out, err = capsys.readouterr()
        return status, out, err

    return _run


HOLDING_0 = {"table": "holding", "pdu_address": 0, "reg": 1, "ref5": "40001", "ref6": "400001"}


@pytest.mark.parametrize(
    ("line", "document"),
    [
        ("address --ref 40001", HOLDING_0),
        ("address --ref 400001 --table holding", HOLDING_0),
        ("address --reg 1 --table holding", HOLDING_0),
        ("address --pdu 0 --table holding", HOLDING_0),
        (
            "address --pdu 0x0BD3 --table input",
            {"table": "input", "pdu_address": 3027, "reg": 3028, "ref5": "33028", "ref6": "303028"},
        ),
        ("address --ref 410001", {"table": "holding", "pdu_address": 10000, "reg": 10001, "ref5": None, "ref6": "410001"}),
        (
            "decode 0xE979 0x42F6 --type float32 --order CDAB",
            {"value": 123.45600128173828, "quality": "GOOD", "reason": None, "type": "float32", "order": "CDAB"},
        ),
        (
            "decode 0x8000 --type int16 --invalid 0x8000 --invalid 7FFF",
            {"value": None, "quality": "BAD", "reason": "not_available", "type": "int16", "order": "ABCD"},
        ),
        (
            "decode 0102 0304 0506 0708 --type uint64 --order ABCDEFGH",
            {"value": 72623859790382856, "quality": "GOOD", "reason": None, "type": "uint64", "order": "ABCD"},
        ),
        ("encode 0.29 --type uint16 --scale 0.01", {"words": ["0x001D"], "value": 0.29}),
        ("encode -12.3 --type int16 --scale 0.1", {"words": ["0xFF85"], "value": -12.3}),
        ("encode 12.3 --type float32 --order CDAB", {"words": ["0xCCCD", "0x4144"], "value": 12.300000190734863}),
        ("encode PUMP1 --type string --words 4", {"words": ["0x5055", "0x4D50", "0x3100", "0x0000"], "value": "PUMP1"}),
        ("encode on --type bool", {"words": ["0x0001"], "value": True}),
        ("encode -5 --type mod10 --words 1 --signed", {"words": ["0xFFFB"], "value": -5}),
        ("encode abcd --type bytes --words 1", {"words": ["0xABCD"], "value": "ABCD"}),
        ("encode 5 --type uint16 --words 1 --offset 2", {"words": ["0x0003"], "value": 5}),
    ],
)
def test_json_is_the_whole_of_standard_output(run: Any, line: str, document: dict[str, object]) -> None:
    status, out, err = run(f"{line} --json")
    assert (status, json.loads(out), err) == (0, document, "")
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("decode 2301 --type uint16 --scale 0.1", "896.1"),
        ("decode 001E --type uint16 --scale 0.01", "0.30"),
        ("decode FFFF FFFF FFFF FFFF --type uint64", "18446744073709551615"),
        ("decode 0020 0000 0000 0001 --type uint64 --scale 0.001", "9007199254740.993"),
        ("decode 1770 --type uint16 --scale 0.00625 --offset -25", "12.50000"),
    ],
)
def test_numbers_in_json_keep_all_their_digits(run: Any, line: str, value: str) -> None:
    assert f'"value": {value},' in run(f"{line} --json")[1]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("decode 8081 --type bool --bit 7", True),
        ("decode 070B --type uint16 --bits 4..3", 1),
        ("decode 070B --type uint8 --bits 15..8", 7),
        ("decode 05DF --type uint16 --format ddmm", "03-15"),
        ("decode 0041 0042 --type string --chars low", "AB"),
        ("decode E4B8 BBE6 B3B5 --type string --encoding utf-8", "主泵"),
        ("decode 4142 2020 --type string --pad space", "AB"),
        ("decode FFFF F6D7 --type mod10 --signed", -12345),
        ("decode 1234 --type uint16 --order ba", 13330),
    ],
)
def test_decode_options_say_where_and_what_the_value_is(run: Any, line: str, value: object) -> None:
    assert json.loads(run(f"{line} --json")[1])["value"] == value


@pytest.mark.parametrize(
    ("line", "orders"),
    [
        ("decode 42F6 E979 --type float32", ["ABCD", "CDAB", "BADC", "DCBA"]),
        ("decode 0102 0304 0506 0708 --type uint64", ["ABCD", "CDAB", "BADC", "DCBA", "EFGHABCD", "CDABGHEF"]),
    ],
)
def test_all_orders_gives_one_row_each(run: Any, line: str, orders: list[str]) -> None:
    status, out, _ = run(f"{line} --all-orders --json")
    rows = json.loads(out)
    assert (status, [row["order"] for row in rows]) == (0, orders)
    assert len({row["value"] for row in rows}) == len(orders)


@pytest.mark.parametrize(
    ("line", "status", "code"),
    [
        ("address --ref 41", 1, "bad_digit_count"),
        ("address --ref 10.1", 1, "ambiguous_bit"),
        ("address --reg 0 --table holding", 1, "register_zero"),
        ("address --reg -1 --table holding", 1, "out_of_range"),
        ("address --reg 1.5 --table holding", 1, "ambiguous_bit"),
        ("address --pdu 5", 1, "table_required"),
        ("address --ref 30001 --table holding", 1, "table_mismatch"),
        ("address", 2, "USAGE"),
        ("address --ref 40001 --reg 1", 2, "USAGE"),
        ("address --ref 40001 --table holdings", 2, "USAGE"),
        ("decode 42F6 --type float32", 1, "wrong_word_count"),
        ("decode 12345 --type uint16", 1, "bad_word"),
        ("decode 12G4 --type uint16", 1, "bad_word"),
        ("decode 1234", 2, "USAGE"),
        ("decode 1234 --type uint17", 2, "USAGE"),
        ("decode 1234 --type uint16 --order ACBD", 2, "USAGE"),
        ("decode 1234 5678 --type uint32 --order EFGHABCD", 2, "USAGE"),
        ("decode 1234 --type uint16 --scale 0,1", 2, "USAGE"),
        ("decode 1234 --type uint16 --scale 0", 2, "USAGE"),
        ("decode 1234 --type uint16 --offset inf", 2, "USAGE"),
        ("decode 1234 --type uint16 --bits 17..3", 2, "USAGE"),
        ("decode 1234 --type uint16 --bits 3", 2, "USAGE"),
        ("decode 1234 --type uint16 --bit -1", 2, "USAGE"),
        ("decode 1234 --type bool", 2, "USAGE"),
        ("decode 42F6 E979 --type float32 --bit 3", 2, "USAGE"),
        ("decode 1234 --type uint16 --format unix_s", 2, "USAGE"),
        ("decode 1234 --type uint16 --invalid nan", 2, "USAGE"),
        ("encode -0.1 --type uint16", 1, "out_of_range"),
        ("encode 12.34 --type uint16 --scale 0.1", 1, "not_representable"),
        ("encode nan --type float32", 1, "not_a_number"),
        ("encode -inf --type float32", 1, "not_a_number"),
        ("encode abc --type int16", 1, "wrong_type"),
        ("encode 2 --type bool", 1, "wrong_type"),
        ("encode -32768 --type int16 --invalid 8000", 1, "is_sentinel"),
        ("encode ABCDE --type string --words 2", 1, "too_long"),
        ("encode ä --type string --words 2", 1, "bad_text"),
        ("encode 5 --type string", 2, "USAGE"),
        ("encode 5 --type uint16 --words 2", 2, "USAGE"),
        ("encode 5 --tpye uint16", 2, "USAGE"),
        ("encode --type uint16", 2, "USAGE"),
    ],
)
def test_failure_is_one_line_or_one_document(run: Any, line: str, status: int, code: str) -> None:
    ended, out, err = run(f"{line} --json")
    document = json.loads(out)
    assert (ended, document["error"], err) == (status, code, "")
    assert document["message"]
    ended, out, err = run(line)
    assert (ended, out) == (status, "")
    assert err.count("\n") == 1
    assert document["message"] in err


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("address --ref 40001", "holding  pdu 0 (0x0000)  reg 1  ref 40001 / 400001\n"),
        ("address --ref 410001", "holding  pdu 10000 (0x2710)  reg 10001  ref - / 410001\n"),
        ("decode 42F6 E979 --type float32", "ABCD  float32  123.45600128173828  GOOD\n"),
        ("decode 8000 --type int16 --invalid 8000", "ABCD  int16  no value  BAD  not_available\n"),
        ("encode 12.3 --type uint16 --scale 0.1", "0x007B  reads back as 12.3\n"),
    ],
)
def test_people_get_one_line(run: Any, line: str, text: str) -> None:
    assert run(line) == (0, text, "")


@pytest.mark.parametrize(
    ("line", "hint"),
    [("encode 12.34 --type uint16 --scale 0.1", "write 12.3"), ("address --ref 41", "write five or six digits"), ("address", "--help")],
)
def test_refusal_says_what_to_do(run: Any, line: str, hint: str) -> None:
    assert hint in json.loads(run(f"{line} --json")[1])["fix"]


def test_suspicious_address_is_remarked_on_standard_error(run: Any) -> None:
    status, out, err = run("address --pdu 40001 --table holding --json")
    assert (status, json.loads(out)["pdu_address"]) == (0, 40001)
    assert err.startswith("looks_like_modicon: ")


@pytest.mark.parametrize("line", ["address --ref 40001", "decode 42F6 E979 --type float32", "encode 5 --type uint16"])
def test_command_starts_in_little_processor_time(line: str) -> None:
    """0.4 s on a quiet machine, half of it typer's; the limit leaves room for a busy one."""
    program = Path(sys.executable).with_name("busmate")
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, *line.split(), "--json"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 1.0


def test_values_load_neither_event_loop_nor_drivers() -> None:
    code = "import sys, gateway.cli.values; print(sorted({'asyncio', 'pymodbus', 'sqlalchemy', 'fastapi', 'pydantic'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
