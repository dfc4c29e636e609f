"""modpoll CSV: `device`, `poll` and `ref` rows (modpoll 1.x).

`scale` is a factor. An order text that modpoll does not know means CDAB to it. On coils a `bool8` is eight coils, and each address
after the first of the poll steps over eight of them. Other programs' templates hold references such as 40001, which modpoll
sends as they are, so the notation must be said. Texts are never swapped.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.maps.convert.draft.base import Converter, Options, ask, one_unit
from gateway.maps.convert.draft.draft import Draft, Keys
from gateway.maps.convert.draft.orders import by_swaps, width
from gateway.maps.convert.draft.source import Source, not_numbers, number, whole

_TABLES = {"coil": "coil", "discrete_input": "discrete", "holding_register": "holding", "input_register": "input"}
_NUMBERS = ("uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64")
_ORDERS = {"BE_BE": "ABCD", "LE_BE": "BADC", "LE_LE": "DCBA", "BE_LE": by_swaps(bytes_swapped=False, words_swapped=True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Poll:
    """One read of modpoll; `address` is its first as the file writes it."""

    unit_id: int
    table: str
    address: int
    size: int
    order: str
    order_text: str


def read(source: Source, options: Options) -> Draft:
    """The points of one device of the file."""
    rows = source.rows()
    draft = Draft(format=source.format, file=source.name)
    found = [(line, unit, poll, row) for line, unit, poll, row in _refs(source, draft, rows)]
    if found and options.notation is None:
        ask(source, "whether its addresses are those on the wire", "give --notation pdu (as modpoll sends them), reg or ref")
    unit_id = one_unit(source, options, {unit for _, unit, _, _ in found})
    draft.head["device"] = {"unit_id": unit_id}
    for line, unit, poll, row in found:
        if unit == unit_id:
            _point(draft, poll, row, line, options.notation or "pdu")
    return draft


def _refs(source: Source, draft: Draft, rows: Sequence[tuple[int, list[str]]]) -> list[tuple[int, int, _Poll, list[str]]]:
    found: list[tuple[int, int, _Poll, list[str]]] = []
    unit: int | None = None
    poll: _Poll | None = None
    for line, cells in rows:
        row = [cell.strip() for cell in cells] + [""] * 7
        kind = row[0].lower()
        if kind.startswith("#"):
            continue
        if "device" in kind:
            unit, poll = whole(row[2]), None
            if unit is None or not 0 <= unit <= 255:
                source.refuse("bad_unit_id", f"device {row[1]!r} has no unit id", "write device,NAME,UNIT_ID", line=line)
        elif "poll" in kind:
            poll = _poll(source, row, unit, line)
        elif "ref" in kind and poll is not None:
            found.append((line, poll.unit_id, poll, row))
        else:
            draft.drop(row[0] or "row", "not a device, poll or ref row after a poll", line=line)
    return found


def _poll(source: Source, row: Sequence[str], unit: int | None, line: int) -> _Poll:
    table, address, size = _TABLES.get(row[1].lower()), whole(row[2]), whole(row[3])
    if table is None or address is None or size is None or unit is None:
        fix = "write poll,coil|discrete_input|holding_register|input_register,START,COUNT,ORDER below a device row"
        source.refuse("bad_row", f"{','.join(row).strip(',')} is no poll row", fix, line=line)
    order = _ORDERS.get(row[4].upper())
    return _Poll(unit_id=unit, table=table, address=address, size=size, order=order or "CDAB", order_text="" if order else row[4])


def _point(draft: Draft, poll: _Poll, row: Sequence[str], line: int, notation: str) -> None:
    name, address, dtype, rights = row[1], whole(row[2]), row[3].lower(), (row[4] or "r").lower()
    if address is None:
        draft.drop(name, f"{row[2]!r} is no address", line=line)
        return
    is_bits = poll.table in ("coil", "discrete")
    assumed = [f"modpoll takes the unknown order {poll.order_text!r} as CDAB"] if poll.order_text and not is_bits else []
    if is_bits:
        assumed.append("numbered from the first coil on; modpoll's own list may run the other way")
    wrong = not_numbers({"scale": row[6]}, "scale")
    shape = wrong or (_coils(poll, address, dtype) if is_bits else _registers(dtype, assumed))
    if isinstance(shape, str):
        draft.drop(name, shape, line=line)
        return
    first = shape.pop("first", address)
    words = shape.get("words") or width(str(shape["type"])) or 1
    if not is_bits and not poll.address <= address <= address + int(str(words)) - 1 < poll.address + poll.size:
        draft.note("check", line, name, "outside its poll row, so modpoll itself never read it")
    scale = number(row[6])
    keys: Keys = {
        notation: f"{first:05}" if notation == "ref" else first,
        "table": poll.table,
        **shape,
        "order": None if is_bits or shape["type"] == "string" or poll.order == "ABCD" else poll.order,
        "scale": None if is_bits or not scale or scale == 1 else scale,
        "unit": row[5],
    }
    if not set(rights) <= set("rw"):
        draft.note("check", line, name, f"rights {rights!r} are not r, w or rw; taken as read only")
    elif "w" in rights and poll.table in ("coil", "holding"):
        keys |= {"access": "rw" if "r" in rights else "wo", "write": {}}
    draft.add(name, keys, line=line, assumed=assumed)


def _coils(poll: _Poll, address: int, dtype: str) -> Keys | str:
    if dtype not in ("bool", "bool8", "bool16"):
        return f"{dtype} over coils"
    first = poll.address + 8 * (address - poll.address)
    count = min(16 if dtype == "bool16" else 8, poll.address + poll.size - first)
    if count < 1:
        return "lies behind the coils that its poll row reads"
    return {"first": first, "type": "bool", "repeat": {"count": count, "stride": 1} if count > 1 else None}


def _registers(dtype: str, assumed: list[str]) -> Keys | str:
    if dtype in _NUMBERS:
        return {"type": dtype}
    if dtype.startswith("string"):
        words = whole(dtype.removeprefix("string")) or 2
        assumed.append(f"{dtype} is {words} registers of ASCII text")
        return {"type": "string", "words": words}
    if dtype == "bool16":
        assumed.append("bool16 is the register's bits, shown as hex")
        return {"type": "uint16", "format": "hex"}
    return f"type {dtype!r} over registers has no plain meaning in modpoll"


converter = Converter(name="modpoll", title="modpoll CSV", read=read)
