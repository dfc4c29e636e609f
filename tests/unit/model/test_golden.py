"""The golden vectors: what words mean, computed without our codec."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gateway.model.address import AddressError, PduAddress, Table, check_span, from_pdu, from_ref, from_reg, looks_like_modicon
from gateway.model.decode import decode_point
from gateway.model.describe import field_value, label_of
from gateway.model.encode import EncodeError, access_fault, encode_point, limit_faults
from gateway.model.point import Access, DataType, FieldOf, Flag, Order, Point, ScaleFrom, Text, TextFormat, WriteRule
from gateway.model.quality import BAD_BCD_DIGIT, BAD_MOD10_GROUP, BAD_SCALE_FACTOR, BAD_TEXT, NOT_AVAILABLE, NOT_FINITE

GOLDEN = Path(__file__).parents[2] / "golden"
Vector = Mapping[str, Any]


def _vectors(name: str) -> list[Vector]:
    vectors: list[Vector] = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    return vectors


def _order(vector: Vector) -> Order:
    name = vector.get("order", "")
    if name in ("EFGHABCD", "CDABGHEF"):
        return Order(name)
    letters = {("big", "big"): "ABCD", ("little", "big"): "CDAB", ("big", "little"): "BADC", ("little", "little"): "DCBA"}
    return Order(letters[vector.get("word_order") or "big", vector.get("byte_order") or "big"])


_SIZES = {"16": 1, "32": 2, "48": 3, "64": 4}


def _point(vector: Vector) -> Point:
    name = vector["type"].replace("flags", "uint")
    words = vector.get("words") or len(vector.get("registers", ())) or _SIZES.get(name[-2:], 1)
    bits = vector.get("bits")
    high, _, low = (bits or "").partition("..")
    scale_from = vector.get("scale_from")
    table = scale_from["as"] if scale_from and isinstance(scale_from["as"], dict) else {}
    fields = tuple(
        FieldOf(name=key, bits=tuple(int(part) for part in span.split("..")))  # type: ignore[arg-type]  # two numbers by construction
        for key, span in vector.get("fields", {}).items()
    )
    function = vector.get("function")
    limits = {key: Decimal(str(vector[key])) for key in ("min", "max", "step") if key in vector}
    return Point(
        name=vector["id"],
        table=Table(vector.get("table", "holding")),
        pdu=PduAddress(0),
        words=words,
        type=DataType(name),
        order=_order(vector),
        bit=vector.get("bit"),
        bits=(int(high), int(low)) if bits else None,
        signed=vector.get("signed", False),
        text=TextFormat(encoding=vector.get("encoding", "ascii"), chars=vector.get("chars", "packed"), pad=vector.get("pad", "nul")),
        scale=Decimal(str(vector.get("scale", 1))),
        offset=Decimal(str(vector.get("offset", 0))),
        invalid={int(pattern, 16): NOT_AVAILABLE for pattern in vector.get("invalid", ())},
        enum={int(code, 0): Text(en=label) for code, label in vector.get("enum", {}).items()},
        flags={int(bit): Flag(text=Text(en=label)) for bit, label in vector.get("flags", {}).items()},
        fields=fields,
        format=vector.get("format"),
        scale_from=ScaleFrom(
            point="sf",
            rule="table" if table else scale_from["as"],
            table={int(code): Decimal(factor) for code, factor in table.items()},
        )
        if scale_from
        else None,
        access=Access.RW,
        write=WriteRule(function=function, min=limits.get("min"), max=limits.get("max"), step=limits.get("step")),
    )


def _source(vector: Vector) -> int | None:
    held = vector.get("scale_from", {})
    source: int | None = next((value for key, value in held.items() if key.startswith("raw_")), None)
    return source


def _words(vector: Vector) -> list[int]:
    return [int(word, 16) for word in vector["registers"]]


DECODE = [vector for vector in _vectors("codec") if vector["type"] != "coils"]
REASONS = {"NaN": NOT_AVAILABLE, "+Inf": NOT_FINITE, "-Inf": NOT_FINITE}


@pytest.mark.parametrize("vector", DECODE, ids=lambda vector: vector["id"])
def test_words_decode_to_the_expected_value(vector: Vector) -> None:
    point = _point(vector)
    value, reason = decode_point(point, _words(vector), _source(vector))
    expected = vector["expected"]
    if vector.get("status") in ("invalid", "error"):
        assert value is None
        scale_reason = BAD_SCALE_FACTOR if point.scale_from else NOT_AVAILABLE
        assert reason == vector.get("error", REASONS.get(str(expected), scale_reason))
        assert reason in {NOT_AVAILABLE, NOT_FINITE, BAD_BCD_DIGIT, BAD_MOD10_GROUP, BAD_TEXT, BAD_SCALE_FACTOR}
        return
    assert reason is None
    if "enum" in vector or "flags" in vector:
        assert label_of(point, value) == expected
    elif "fields" in vector:
        assert isinstance(value, int)
        assert {field.name: field_value(field, value) for field in point.fields} == expected == label_of(point, value)
    elif "expected_decimal" in vector:
        assert Decimal(str(value)) == Decimal(vector["expected_decimal"])
    else:
        assert value == (int(vector["expected_str"]) if "expected_str" in vector else expected)
        assert type(value) is type(expected) or isinstance(expected, float)


@pytest.mark.parametrize("vector", [vector for vector in DECODE if vector.get("roundtrip")], ids=lambda vector: vector["id"])
def test_expected_value_encodes_to_the_words(vector: Vector) -> None:
    value = Decimal(vector["expected_decimal"]) if "expected_decimal" in vector else vector["expected"]
    assert list(encode_point(_point(vector), value, scale=_source(vector)).words) == _words(vector)


def _wanted(vector: Vector) -> object:
    return (
        {"NaN": math.nan, "+Inf": math.inf}.get(vector["value"], vector["value"]) if isinstance(vector["value"], str) else vector["value"]
    )


@pytest.mark.parametrize("vector", _vectors("encode"), ids=lambda vector: vector["id"])
def test_value_encodes_or_is_refused(vector: Vector) -> None:
    point = replace(_point(vector), words=vector.get("words") or _SIZES.get(vector["type"][-2:], 1))
    if "error" in vector:
        assert _refusal(point, _wanted(vector)) == vector["error"]
        return
    encoded = encode_point(point, _wanted(vector))
    assert access_fault(point, vector.get("function")) is None
    if "wire" in vector:
        assert encoded.coil is (vector["wire"] == "FF00")
    elif "and_mask" in vector:
        assert (encoded.keep, encoded.words) == ((int(vector["and_mask"], 16),), (int(vector["or_mask"], 16),))
    else:
        assert list(encoded.words) == _words(vector)


def _refusal(point: Point, value: Any) -> str:
    """The first refusal, in the order in which a write is checked."""
    try:
        encode_point(point, value)
    except EncodeError as error:
        return error.code
    fault = access_fault(point, point.write.function if point.write else None)
    return fault.code if fault else limit_faults(point, value)[0].code


READERS: Mapping[str, Any] = {"ref": from_ref, "reg": from_reg, "pdu": from_pdu}


@pytest.mark.parametrize("vector", _vectors("address"), ids=lambda vector: f"{vector['key']}-{vector['notation']}")
def test_written_address_means_the_pdu_address(vector: Vector) -> None:
    table = Table(vector["table"]) if "table" in vector else None
    read = READERS[vector["key"]]
    if "error" in vector:
        if vector["error"] not in ("table_required", "table_mismatch") and vector["key"] != "ref":
            table = Table.HOLDING
        with pytest.raises(AddressError) as caught:
            read(vector["notation"], table)
        assert caught.value.code == vector["error"]
        return
    named, pdu = read(vector["notation"], table)
    assert (named, pdu) == (Table(vector["table"]), vector["pdu_address"])
    check_span(pdu, vector.get("words", 1))
    if vector["key"] == "pdu":
        assert looks_like_modicon(pdu) is (vector.get("warning") == "looks_like_modicon" or vector["notation"] == 30775)
