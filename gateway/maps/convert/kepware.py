"""Kepware tags (CSV) of the Modbus drivers.

The file has no byte order, no base and no bit numbering: they are switches of the device's settings page and asked for as far as
the tags depend on them. Linear scaling becomes a range, a negated value turns it round; square roots have no equal.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from gateway.maps.convert.draft.base import Converter, Options, switch
from gateway.maps.convert.draft.dialects import kepware as read_address
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.orders import by_swaps, is_wide, width
from gateway.maps.convert.draft.source import Source, number, whole
from gateway.model.address import AddressError

SETTINGS = {
    "zero_based_addressing": "whether addresses go out less one (zero-based addressing)",
    "zero_based_bits": "whether bits count from 0 (zero-based bit addressing)",
    "modbus_byte_order": "whether the high byte comes first (Modbus byte order)",
    "first_word_low": "whether the low word of 32 bits comes first",
    "first_dword_low": "whether the low half of 64 bits comes first",
    "modicon_bit_order": "whether bit 1 is the most significant (Modicon bit order)",
    "longs_as_decimals": "whether longs hold decimal groups (treat longs as decimals)",
}
_TYPES = {
    "short": "int16", "word": "uint16", "long": "int32", "dword": "uint32", "float": "float32", "double": "float64", "llong": "int64",
    "qword": "uint64", "bcd": "bcd16", "lbcd": "bcd32",
}  # fmt: skip
_WIDE_ORDERS = {(False, False): "ABCD", (True, True): "CDAB", (False, True): "EFGHABCD", (True, False): "CDABGHEF"}
_TEXT = re.compile(r"([34]\d{1,5})\.(\d{1,3})([HL])")

Row = Mapping[str, str]


def read(source: Source, options: Options) -> Draft:
    """The points of the file."""
    rows = _rows(source)
    draft = Draft(format=source.format, file=source.name)
    if options.unit_id is not None:
        draft.head["device"] = {"unit_id": options.unit_id}
    on = switch(source, options, {name: SETTINGS[name] for name in _needed(row for _, row in rows)})
    for line, row in rows:
        _point(draft, row, on, line)
    return draft


def _rows(source: Source) -> list[tuple[int, Row]]:
    rows = source.rows()
    place = next((place for place, (_, row) in enumerate(rows) if row[0].strip().lower() == "tag name"), None)
    if place is None:
        source.refuse("no_header", "no row that begins with Tag Name", "export the tags of one device as CSV")
    names = [cell.strip().lower() for cell in rows[place][1]]
    empty = dict.fromkeys(
        ("address", "data type", "client access", "scan rate", "scaling", "raw low", "raw high", "scaled low", "scaled high", "clamp low",
         "clamp high", "eng units", "description", "negate value"), ""
    )  # fmt: skip
    return [(line, {**empty, **dict(zip(names, (cell.strip() for cell in row), strict=False))}) for line, row in rows[place + 1 :]]


def _needed(rows: Iterable[Row]) -> list[str]:
    """The switches that these tags depend on."""
    found = {"zero_based_addressing"}
    for row in rows:
        kind = _TYPES.get(row["data type"].lower())
        if row["address"][:1] not in ("3", "4"):
            continue
        if kind is None and "." in row["address"] and not _TEXT.fullmatch(row["address"].upper()):
            found |= {"zero_based_bits", "modicon_bit_order"}
        if kind is not None:
            found |= {"modbus_byte_order"}
        if kind is not None and is_wide(kind):
            found |= {"first_word_low"} | ({"first_dword_low"} if width(kind) == 4 else set())
        if kind in ("int32", "uint32"):
            found |= {"longs_as_decimals"}
    return [name for name in SETTINGS if name in found]


def _point(draft: Draft, row: Row, on: Mapping[str, bool], line: int) -> None:
    name, text, scaling = row["tag name"], row["address"].upper(), row["scaling"].lower()
    string = _TEXT.fullmatch(text)
    try:
        address = read_address(string[1] if string else text, 1 if on["zero_based_addressing"] else 0)
    except AddressError as exc:
        draft.drop(name, f"{exc.message}: {exc.fix}", line=line)
        return
    if address.table is None:
        raise AssertionError(text)
    shape = _string(string) if string else _shape(row["data type"].lower(), address.table.value, address.keys.get("bit"), on)
    if not isinstance(shape, str) and scaling not in ("", "none", "linear"):
        shape = f"{row['scaling']} scaling has no equal here"
    scale = _range(row, str(shape.get("type"))) if not isinstance(shape, str) else {}
    if isinstance(shape, str) or isinstance(scale, str):
        draft.drop(name, shape if isinstance(shape, str) else str(scale), line=line)
        return
    if "1" in (row["clamp low"], row["clamp high"]) and "range" in scale:
        draft.drop(f"{name}: clamp", "values are shown as they are", line=line)
    rate = whole(row["scan rate"])
    keys: Keys = {
        **({"reg": address.pdu + 1} if on["zero_based_addressing"] else {"pdu": address.pdu}),
        "table": address.table.value,
        **shape,
        **scale,
        "unit": row["eng units"],
        "description": {"en": row["description"]} if row["description"] else None,
        "poll": draft.every(f"{rate}ms") if rate else None,
    }
    rights = row["client access"].upper().replace("/", "")
    if rights in ("RW", "WO", "READWRITE", "WRITE ONLY") and address.table.value in ("coil", "holding"):
        keys |= {"access": "wo" if rights in ("WO", "WRITE ONLY") else "rw", "write": {}}
    assumed = ['two groups of four decimals, as the driver\'s "treat longs as decimals" is understood'] if shape["type"] == "mod10" else []
    draft.add(name, keys, line=line, assumed=assumed)


def _string(match: re.Match[str]) -> Keys:
    length = int(match[2])
    return {"type": "string", "words": (length + 1) // 2, "length": length, "order": "BADC" if match[3] == "L" else None}


def _shape(kind: str, table: str, bit: object, on: Mapping[str, bool]) -> Keys | str:
    if table in ("coil", "discrete"):
        return {"type": "bool"} if kind in ("boolean", "default", "") else f"{kind} over {table}"
    if isinstance(bit, int):
        if kind not in ("boolean", "default", ""):
            return f"a bit of a {kind}"
        place = bit if on["zero_based_bits"] else bit - 1
        return {"type": "bool", "bit": 15 - place if on["modicon_bit_order"] else place} if 0 <= place <= 15 else f"no bit {bit}"
    if kind not in _TYPES:
        return f"type {kind or 'missing'} over registers has no plain meaning"
    name = _TYPES[kind]
    if name in ("int32", "uint32") and on["longs_as_decimals"]:
        group: Keys = {"type": "mod10", "words": 2, "signed": name == "int32" or None, "order": "CDAB" if on["first_word_low"] else None}
        return group if on["modbus_byte_order"] else "decimal groups with swapped bytes"
    order = by_swaps(bytes_swapped=not on["modbus_byte_order"], words_swapped=is_wide(name) and on["first_word_low"])
    if width(name) == 4:
        order = _WIDE_ORDERS[on["first_word_low"], on["first_dword_low"]]
        if not on["modbus_byte_order"]:
            order = {"ABCD": "BADC", "CDAB": "DCBA"}.get(order, "")
        if not order:
            return "64 bits with swapped bytes and one of the two word orders have no name"
    return {"type": name, "order": None if order == "ABCD" else order}


def _range(row: Row, kind: str) -> Keys | str:
    is_negated = row["negate value"] in ("1", "true", "yes")
    if row["scaling"].lower() != "linear":
        return {"scale": Decimal(-1) if is_negated and kind not in ("bool", "string") else None}
    ends: Sequence[int | Decimal | None] = [number(row[key]) for key in ("raw low", "raw high", "scaled low", "scaled high")]
    raw_low, raw_high, low, high = ends
    if raw_low is None or raw_high is None or low is None or high is None:
        return "linear scaling without its four ends"
    if kind in ("bool", "string"):
        return f"linear scaling of a {kind}"
    return {"range": {"raw": [raw_low, raw_high], "eng": [-low, -high] if is_negated else [low, high]}}


converter = Converter(name="kepware", title="Kepware tags (CSV)", read=read, settings=frozenset(SETTINGS))
