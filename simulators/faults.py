"""The faults devices and lines are known for, one function each; its parameters are those of `--fault NAME=ARGS`.

Every function of this module that returns a `Fault` is offered by its name (see `catalogue`).
"""

from collections.abc import Callable
from dataclasses import replace

from gateway.model.address import Table
from simulators import pdu
from simulators.fault import Devices, Exchange, Fault, Piece
from simulators.frames import Adu

# Silence and connections


def mute() -> Fault:
    """Requests are not heard: nothing is done and nothing answered."""
    return Fault(before=_silence)


def mute_unit(unit: int) -> Fault:
    """One unit of several is off; the others of its link go on."""
    return Fault(before=lambda exchange: exchange.request.unit_id == unit)


def black_hole() -> Fault:
    """Connections are accepted and never answered nor closed."""
    return Fault(before=_silence)


def drop() -> Fault:
    """The request is carried out, its reply is lost."""
    return Fault(reply=lambda _adu, _exchange: None)


def close_after_reply() -> Fault:
    """The connection ends after each reply."""
    return Fault(wire=_hang_up)


def close_before_reply() -> Fault:
    """The connection ends instead of a reply; the request was carried out."""
    return Fault(wire=lambda _pieces, exchange: _hang_up([], exchange))


def unplugged() -> Fault:
    """Power is off: new connections are reset, those that are open end at the next request."""

    def before(exchange: Exchange) -> bool:
        exchange.is_last = True
        return True

    return Fault(admit=lambda _open: False, before=before)


def one_connection(most: int = 1) -> Fault:
    """Further connections are reset while `most` are open."""
    return Fault(admit=lambda open_: open_ < most)


def connect_delay(delay_s: float = 2.0) -> Fault:
    """A new connection is deaf for `delay_s`."""
    return Fault(before=lambda exchange: exchange.connected_s < delay_s)


def idle_close(after_s: float = 30.0) -> Fault:
    """The device closes a connection that was silent for `after_s`."""
    return Fault(idle_close_s=after_s)


# Time and order of replies


def late(delay_s: float = 1.0, jitter_s: float = 0.0) -> Fault:
    """Each reply leaves `delay_s` (and up to `jitter_s` more) too late."""
    return Fault(wire=lambda pieces, exchange: _shift(pieces, delay_s + jitter_s * exchange.random.random()))


def duplicate(gap_s: float = 0.0) -> Fault:
    """Each reply comes twice."""
    return Fault(wire=lambda pieces, _exchange: pieces + _shift(pieces, gap_s))


def swap() -> Fault:
    """Replies come in pairs, in wrong order: the first is held back until the second has left."""
    held: list[Piece] = []

    def wire(pieces: list[Piece], _exchange: Exchange) -> list[Piece]:
        if held:
            both = pieces + held
            held.clear()
            return both
        held.extend(pieces)
        return []

    return Fault(wire=wire)


def stale_first() -> Fault:
    """Before the right reply, in one segment, comes one to an older request: previous transaction id, data 0x11."""

    def wire(pieces: list[Piece], exchange: Exchange) -> list[Piece]:
        right = exchange.reply
        if right is None:
            return pieces
        head = right.pdu[:2]
        stale = replace(right, transaction_id=right.transaction_id - 1 & 0xFFFF, pdu=head + b"\x11" * (len(right.pdu) - 2))
        return _before(exchange.framing.build(stale), pieces)

    return Fault(wire=wire)


def foreign_first(unit: int = 99) -> Fault:
    """Before the right reply, in one chunk, comes the same reply of another unit."""

    def wire(pieces: list[Piece], exchange: Exchange) -> list[Piece]:
        return _before(exchange.framing.build(replace(exchange.reply, unit_id=unit)), pieces) if exchange.reply else pieces

    return Fault(wire=wire)


def byte_by_byte(gap_s: float = 0.005) -> Fault:
    """Replies come one byte at a time."""
    return Fault(
        wire=lambda pieces, _exchange: [Piece(data=bytes((byte,)), delay_s=place * gap_s) for place, byte in enumerate(_joined(pieces))]
    )


def split(at: int = 4, gap_s: float = 0.02) -> Fault:
    """Replies come in two segments, the first `at` bytes long."""

    def wire(pieces: list[Piece], _exchange: Exchange) -> list[Piece]:
        data = _joined(pieces)
        return [Piece(data=data[:at]), Piece(data=data[at:], delay_s=gap_s)]

    return Fault(wire=wire)


# Spoiled frames


def truncate(missing: int = 1) -> Fault:
    """The last `missing` bytes of each reply are lost."""
    return Fault(wire=lambda pieces, _exchange: [Piece(data=_joined(pieces)[:-missing])])


def noise_before(data: str = "00") -> Fault:
    """Line noise (hexadecimal) right before each reply."""
    noise = bytes.fromhex(data)
    return Fault(wire=lambda pieces, _exchange: _before(noise, pieces))


def trailing_bytes(data: str = "DEAD") -> Fault:
    """Junk (hexadecimal) right after each reply."""
    junk = bytes.fromhex(data)
    return Fault(wire=lambda pieces, _exchange: [Piece(data=_joined(pieces) + junk)] if pieces else [])


def echo() -> Fault:
    """A two-wire converter gives the request back before the reply."""
    return Fault(wire=lambda pieces, exchange: [Piece(data=exchange.sent), *pieces])


def crc_error() -> Fault:
    """CRC or LRC of each reply is wrong (serial lines and RTU over TCP)."""
    return Fault(reply=lambda adu, _exchange: replace(adu, is_check_right=False))


def bad_length(length: int = 0) -> Fault:
    """The length in the TCP header is a lie."""
    return Fault(reply=lambda adu, _exchange: replace(adu, length=length))


def protocol_id(number: int = 1) -> Fault:
    """The protocol id in the TCP header is not 0."""
    return Fault(reply=lambda adu, _exchange: replace(adu, protocol_id=number))


# Replies that belong to no request


def wrong_unit(unit: int = 99) -> Fault:
    """Replies carry another unit id."""
    return Fault(reply=lambda adu, _exchange: replace(adu, unit_id=unit))


def wrong_function(other: int = 0) -> Fault:
    """Replies (and exceptions) carry function `other`; 0: the sister function, 3 for 4 and so on."""

    def reply(adu: Adu, _exchange: Exchange) -> Adu:
        own = adu.pdu[0] & 0x7F
        named = other or {1: 2, 2: 1, 3: 4, 4: 3, 5: 6, 6: 5, 15: 16, 16: 15}.get(own, own ^ 1)
        return replace(adu, pdu=bytes((adu.pdu[0] & 0x80 | named,)) + adu.pdu[1:])

    return Fault(reply=reply)


def wrong_tid(offset: int = -1) -> Fault:
    """Transaction ids of replies are off by `offset`."""
    return Fault(reply=lambda adu, _exchange: replace(adu, transaction_id=adu.transaction_id + offset & 0xFFFF))


def tid_plus_one() -> Fault:
    """A gateway on the way adds 1 to every transaction id."""
    return wrong_tid(1)


def tid_zero() -> Fault:
    """Transaction ids of replies are always 0."""
    return Fault(reply=lambda adu, _exchange: replace(adu, transaction_id=0))


def short_bytes(count: int = 2) -> Fault:
    """Read replies hold `count` data bytes, whatever was asked for; more than asked for are padded with 0."""

    def reply(adu: Adu, _exchange: Exchange) -> Adu:
        if adu.pdu[0] not in pdu.READS:
            return adu
        return replace(adu, pdu=bytes((adu.pdu[0], count)) + adu.pdu[2:].ljust(count, b"\0")[:count])

    return Fault(reply=reply)


def wrong_byte_count(count: int = 2) -> Fault:
    """The byte count of read replies is a lie; their data is right."""

    def reply(adu: Adu, _exchange: Exchange) -> Adu:
        return replace(adu, pdu=bytes((adu.pdu[0], count)) + adu.pdu[2:]) if adu.pdu[0] in pdu.READS else adu

    return Fault(reply=reply)


def wrong_echo(word: int = 0x63) -> Fault:
    """Write replies name another value (functions 5, 6, 22) or quantity (15, 16)."""

    def reply(adu: Adu, _exchange: Exchange) -> Adu:
        if adu.pdu[0] not in pdu.WRITES or adu.pdu[0] == 23:
            return adu
        return replace(adu, pdu=adu.pdu[:3] + word.to_bytes(2, "big") + adu.pdu[5:])

    return Fault(reply=reply)


# Refusals


def exception(code: int = 4) -> Fault:
    """Requests are refused with this exception code and not carried out."""
    return Fault(before=lambda exchange: _refuse(exchange, code))


def busy_n(count: int = 3, code: int = 6) -> Fault:
    """The next `count` requests are refused as busy."""
    return Fault(before=lambda exchange: _refuse(exchange, code), times=count)


def hole(addresses: str, table: str = "holding", code: int = 2) -> Fault:
    """Reads that touch these PDU addresses ("50..59" or "57") are refused."""
    low, _, high = addresses.partition("..")
    first, last, holed = int(low), int(high or low), Table(table)

    def before(exchange: Exchange) -> bool:
        touched = pdu.span(exchange.request.pdu)
        is_hit = touched is not None and touched[0] is holed and touched[1] <= last and touched[1] + touched[2] > first
        return is_hit and exchange.request.pdu[0] in pdu.READS and _refuse(exchange, code)

    return Fault(before=before)


def refuse_point(tag: str, code: int = 2) -> Fault:
    """Reads that touch the point are refused."""
    return Fault(before=lambda exchange: _reads(exchange, tag) and _refuse(exchange, code), install=_needs(tag))


def refuse_above(most: int, code: int = 3) -> Fault:
    """Reads of more than `most` registers or bits are refused; with code 0 by silence."""

    def before(exchange: Exchange) -> bool:
        touched = pdu.span(exchange.request.pdu)
        is_hit = touched is not None and exchange.request.pdu[0] in pdu.READS and touched[2] > most
        return is_hit and (code == 0 or _refuse(exchange, code))

    return Fault(before=before)


# Writes that are not what they seem


def ignore_write() -> Fault:
    """Writes are answered as done and not done."""

    def before(exchange: Exchange) -> bool:
        if not _is_write(exchange):
            return False
        exchange.reply = replace(exchange.request, pdu=pdu.echo(exchange.request.pdu))
        return True

    return Fault(before=before)


def delay_write(delay_s: float = 1.0) -> Fault:
    """Writes are answered at once and take effect `delay_s` later."""

    def before(exchange: Exchange) -> bool:
        if not _is_write(exchange):
            return False
        exchange.devices.serve_later(exchange.link, exchange.request, delay_s)
        exchange.reply = replace(exchange.request, pdu=pdu.echo(exchange.request.pdu))
        return True

    return Fault(before=before)


def die_after_write() -> Fault:
    """The next write is carried out; its reply never comes, the connection ends and the device is off from then on."""
    dead: list[bool] = []

    def reply(adu: Adu, exchange: Exchange) -> Adu | None:
        if not _is_write(exchange):
            return adu
        dead.append(True)
        exchange.is_last = True
        return None

    return Fault(before=lambda _exchange: bool(dead), reply=reply)


def clamp(tag: str, low: float = float("-inf"), high: float = float("inf")) -> Fault:
    """The device takes any value of the point and holds it inside `low..high`."""

    def reply(adu: Adu, exchange: Exchange) -> Adu:
        value = exchange.devices.get(tag)
        if _is_write(exchange) and not isinstance(value, str) and not low <= value <= high:
            exchange.devices.set(tag, min(max(float(value), low), high))
        return adu

    return Fault(reply=reply, install=_needs(tag))


# Values


def nan(tag: str) -> Fault:
    """The point reads as "no value": its sentinel, NaN, or FF text."""

    def install(devices: Devices) -> Callable[[], None]:
        bank, name = devices.find(tag)
        return bank.mask(name)

    return Fault(install=install)


def stale(tag: str) -> Fault:
    """Reads that touch the point get no reply, so its last value grows old."""
    return Fault(before=lambda exchange: _reads(exchange, tag), install=_needs(tag))


def freeze(tag: str) -> Fault:
    """The point keeps its value while the process goes on; reads are answered."""
    return Fault(install=lambda devices: devices.freeze(tag))


def restart_zero() -> Fault:
    """The device restarts: all values of one read reply are 0."""

    def reply(adu: Adu, _exchange: Exchange) -> Adu:
        return replace(adu, pdu=adu.pdu[:2] + bytes(len(adu.pdu) - 2)) if adu.pdu[0] in pdu.READS else adu

    return Fault(reply=reply, times=1)


def _needs(tag: str) -> Callable[[Devices], Callable[[], None]]:
    """Refuses a tag that does not exist as the fault begins."""

    def install(devices: Devices) -> Callable[[], None]:
        devices.find(tag)
        return lambda: None

    return install


def _reads(exchange: Exchange, tag: str) -> bool:
    """True if the request reads a register of the point."""
    bank, name = exchange.devices.find(tag)
    touched = pdu.span(exchange.request.pdu)
    if touched is None or exchange.request.pdu[0] not in pdu.READS or exchange.link != exchange.devices.link_of(tag):
        return False
    table, first, count = touched
    return not {(exchange.request.unit_id, table, first + place) for place in range(count)}.isdisjoint(bank.cells(name))


def _silence(_exchange: Exchange) -> bool:
    return True


def _hang_up(pieces: list[Piece], exchange: Exchange) -> list[Piece]:
    exchange.is_last = True
    return pieces


def _refuse(exchange: Exchange, code: int) -> bool:
    exchange.reply = replace(exchange.request, pdu=pdu.exception(exchange.request.pdu[0], code))
    return True


def _is_write(exchange: Exchange) -> bool:
    return exchange.request.pdu[0] in pdu.WRITES


def _joined(pieces: list[Piece]) -> bytes:
    return b"".join(piece.data for piece in pieces)


def _before(data: bytes, pieces: list[Piece]) -> list[Piece]:
    return [replace(pieces[0], data=data + pieces[0].data), *pieces[1:]] if pieces else []


def _shift(pieces: list[Piece], delay_s: float) -> list[Piece]:
    return [replace(piece, delay_s=piece.delay_s + delay_s) for piece in pieces]
