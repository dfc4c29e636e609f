"""What a device answers to a request PDU: functions 1 to 6, 15, 16, 22, 23 and 43/14 (Modbus V1.1b3)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from gateway.model.address import Table
from gateway.model.point import DeviceFacts, RegisterMap

ILLEGAL_FUNCTION, ILLEGAL_ADDRESS, ILLEGAL_VALUE = 1, 2, 3
READS: Mapping[int, Table] = {1: Table.COIL, 2: Table.DISCRETE, 3: Table.HOLDING, 4: Table.INPUT}
WRITES: Mapping[int, Table] = {
    5: Table.COIL,
    6: Table.HOLDING,
    15: Table.COIL,
    16: Table.HOLDING,
    22: Table.HOLDING,
    23: Table.HOLDING,
}
_IDENTIFY = 43
_REQUEST_ROOM = {1: 2000, 2: 2000, 3: 125, 4: 125, 15: 1968, 16: 123}


class Memory(Protocol):
    """Registers and bits behind a PDU."""

    map: RegisterMap
    facts: DeviceFacts

    def read(self, table: Table, address: int, count: int, unit_id: int | None = None) -> tuple[int, ...] | None:
        """The registers or bits, None if one does not exist."""
        ...

    def write(self, table: Table, address: int, words: Sequence[int], unit_id: int | None = None) -> bool:
        """Store registers or bits, False if one cannot be written."""
        ...

    def is_silent_write(self, unit_id: int, table: Table, address: int) -> bool:
        """True if writes there get no reply."""
        ...


def serve(memory: Memory, unit_id: int, request: bytes) -> bytes | None:
    """The reply PDU, an exception included; None where the device keeps silent."""
    function = request[0]
    known = memory.facts.functions
    answer = _ANSWERS.get(function)
    if answer is None or (known and function not in known):
        return exception(function, ILLEGAL_FUNCTION)
    try:
        return answer(memory, unit_id, request)
    except (IndexError, ValueError):
        return exception(function, ILLEGAL_VALUE)


def exception(function: int, code: int) -> bytes:
    """An exception reply."""
    return bytes((function | 0x80, code))


def span(request: bytes) -> tuple[Table, int, int] | None:
    """Table, address and count that a request reads or writes (of function 23: writes); None for other functions."""
    function = request[0]
    table = READS.get(function) or WRITES.get(function)
    if table is None or len(request) < (9 if function == 23 else 5):
        return None
    if function == 23:
        return table, _number(request, 5), _number(request, 7)
    return table, _number(request, 1), 1 if function in (5, 6, 22) else _number(request, 3)


def echo(request: bytes) -> bytes:
    """The reply that says a write was done."""
    return request if request[0] in (5, 6, 22) else request[:5]


class _ShapeError(ValueError):
    """The request's length or quantity is wrong: exception 3."""


def _number(request: bytes, at: int) -> int:
    return request[at] << 8 | request[at + 1]


def _words(data: bytes) -> list[int]:
    return [high << 8 | low for high, low in zip(data[::2], data[1::2], strict=True)]


def _data(words: Sequence[int]) -> bytes:
    return b"".join(word.to_bytes(2, "big") for word in words)


def _need(holds: bool) -> None:
    if not holds:
        raise _ShapeError


def _quantity(memory: Memory, function: int, count: int) -> None:
    """Counts above the specification's or the device's limit are refused with exception 3; a limit the map states holds for bits, too."""
    usual = DeviceFacts()
    stated, default = (memory.facts.max_read, usual.max_read) if function in READS else (memory.facts.max_write, usual.max_write)
    _need(1 <= count <= (_REQUEST_ROOM[function] if stated == default else min(stated, _REQUEST_ROOM[function])))


def _read_bits(memory: Memory, unit_id: int, request: bytes) -> bytes:
    address, count = _number(request, 1), _number(request, 3)
    _need(len(request) == 5)
    _quantity(memory, request[0], count)
    bits = memory.read(READS[request[0]], address, count, unit_id)
    if bits is None:
        return exception(request[0], ILLEGAL_ADDRESS)
    packed = sum(bit << place for place, bit in enumerate(bits)).to_bytes((count + 7) // 8, "little")
    return bytes((request[0], len(packed))) + packed


def _read_words(memory: Memory, unit_id: int, request: bytes) -> bytes:
    address, count = _number(request, 1), _number(request, 3)
    _need(len(request) == 5)
    _quantity(memory, request[0], count)
    words = memory.read(READS[request[0]], address, count, unit_id)
    return exception(request[0], ILLEGAL_ADDRESS) if words is None else bytes((request[0], 2 * count)) + _data(words)


def _write_one(memory: Memory, unit_id: int, request: bytes) -> bytes | None:
    address, word = _number(request, 1), _number(request, 3)
    _need(len(request) == 5 and (request[0] == 6 or word in (0, 0xFF00)))
    return _write(memory, unit_id, request, address, [word if request[0] == 6 else int(word != 0)])


def _write_bits(memory: Memory, unit_id: int, request: bytes) -> bytes | None:
    address, count = _number(request, 1), _number(request, 3)
    _quantity(memory, 15, count)
    _need(request[5] == (count + 7) // 8 == len(request) - 6)
    packed = int.from_bytes(request[6:], "little")
    return _write(memory, unit_id, request, address, [packed >> place & 1 for place in range(count)])


def _write_words(memory: Memory, unit_id: int, request: bytes) -> bytes | None:
    address, count = _number(request, 1), _number(request, 3)
    _quantity(memory, 16, count)
    _need(request[5] == 2 * count == len(request) - 6)
    return _write(memory, unit_id, request, address, _words(request[6:]))


def _mask_write(memory: Memory, unit_id: int, request: bytes) -> bytes | None:
    address, and_mask, or_mask = _number(request, 1), _number(request, 3), _number(request, 5)
    _need(len(request) == 7)
    old = memory.read(Table.HOLDING, address, 1, unit_id)
    if old is None:
        return exception(22, ILLEGAL_ADDRESS)
    return _write(memory, unit_id, request, address, [old[0] & and_mask | or_mask & ~and_mask & 0xFFFF])


def _read_write(memory: Memory, unit_id: int, request: bytes) -> bytes:
    address, count, to, amount = (_number(request, at) for at in (1, 3, 5, 7))
    _need(1 <= count <= 125 and 1 <= amount <= 121 and request[9] == 2 * amount == len(request) - 10)
    if memory.read(Table.HOLDING, address, count, unit_id) is None or not memory.write(Table.HOLDING, to, _words(request[10:]), unit_id):
        return exception(23, ILLEGAL_ADDRESS)
    return bytes((23, 2 * count)) + _data(memory.read(Table.HOLDING, address, count, unit_id) or ())


def _write(memory: Memory, unit_id: int, request: bytes, address: int, words: list[int]) -> bytes | None:
    table = WRITES[request[0]]
    if not memory.write(table, address, words, unit_id):
        return exception(request[0], ILLEGAL_ADDRESS)
    return None if memory.is_silent_write(unit_id, table, address) else echo(request)


def _identify(memory: Memory, _unit_id: int, request: bytes) -> bytes:
    """Function 43/14: vendor, product code and revision; model and the map's id in the regular category."""
    _need(len(request) == 4)
    if request[1] != 14:
        return exception(_IDENTIFY, ILLEGAL_FUNCTION)
    about = memory.map
    texts = {0: about.vendor, 1: about.model, 2: "1.0", 4: about.kind, 5: about.model}
    code, first = request[2], request[3]
    _need(code in (1, 2, 3, 4))
    wanted = [first] if code == 4 else [number for number in texts if number >= first and (number <= 2 or code > 1)]
    if code == 4 and first not in texts:
        return exception(_IDENTIFY, ILLEGAL_ADDRESS)
    objects = [(number, texts[number].encode()[:40]) for number in wanted]
    return bytes((_IDENTIFY, 14, code, 0x82, 0, 0, len(objects))) + b"".join(bytes((number, len(text))) + text for number, text in objects)


_Answer = Callable[[Memory, int, bytes], bytes | None]
_ANSWERS: Mapping[int, _Answer] = {
    1: _read_bits,
    2: _read_bits,
    3: _read_words,
    4: _read_words,
    5: _write_one,
    6: _write_one,
    15: _write_bits,
    16: _write_words,
    22: _mask_write,
    23: _read_write,
    _IDENTIFY: _identify,
}
