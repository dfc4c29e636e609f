"""What the bytes on a link meant: each request with its reply, as hex and in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from gateway.errors import DeviceExceptionError, FrameError, LinkDownError
from gateway.link.base import Identify, Read
from gateway.link.frames.ascii import AsciiFramer
from gateway.link.frames.framer import Framer
from gateway.link.frames.mbap import MbapFramer
from gateway.link.frames.pdu import Payload, decode, describe
from gateway.link.frames.rtu import RtuFramer
from gateway.link.identify import NAMES
from gateway.link.trace import TracedFrame
from gateway.model.address import PduAddress, Table, UnitId
from gateway.model.bustime import Framing
from gateway.model.point import Text
from gateway.service.explain_frames import shown

_FRAMERS: dict[Framing, Callable[[], Framer]] = {"tcp": MbapFramer, "rtu": RtuFramer, "ascii": AsciiFramer}
_TABLES = {table.read_function: table for table in Table}
_TABLES_ZH = {Table.COIL: "线圈", Table.DISCRETE: "离散输入", Table.INPUT: "输入寄存器", Table.HOLDING: "保持寄存器"}
_IDENTIFY = 0x2B
_SHOWN = 8

_SILENT = Text("no reply", "无应答")
_ECHO = Text("our own request came back (echo)", "收到自己发出的请求（回波）")
_ANY = Text("a reply", "有应答")
_STRAY = Text("bytes that are no frame", "收到的字节不是报文")
_LEFT = {
    "nothing": _SILENT,
    "noise": _STRAY,
    "garbled": Text("a reply with a wrong check sum", "应答校验错误"),
    "spoilt": Text("a reply with a wrong check sum", "应答校验错误"),
    "broken": Text("a reply with a wrong check sum", "应答校验错误"),
    "short": Text("a reply that broke off", "应答不完整"),
}
_WRONG = {
    "function_mismatch": Text("a reply of another function", "应答的功能码不同"),
    "length_mismatch": Text("a reply of the wrong length", "应答长度不符"),
    "protocol_error": Text("a header that no Modbus/TCP frame has", "报文头不是 Modbus/TCP"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """One request and all that came until the next one; `reply` is empty if nothing did. `is_good`: the reply carries what was asked."""

    at: datetime
    unit_id: int
    request: str
    asked: Text
    reply: str
    said: Text
    is_good: bool


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request frame taken apart; `request` is None for functions that do not only read."""

    unit_id: int
    tid: int | None
    request: Read | Identify | None
    function: int


def exchanged(frames: Sequence[TracedFrame], framing: Framing) -> list[Exchanged]:
    """The exchanges in `frames`, oldest first; what came before the first request is left out."""
    found: list[tuple[TracedFrame, bytearray]] = []
    for frame in frames:
        if frame.direction == "out":
            found.append((frame, bytearray()))
        elif found:
            found[-1][1].extend(frame.data)
    return [_exchanged(out, bytes(came), framing) for out, came in found]


def _exchanged(out: TracedFrame, came: bytes, framing: Framing) -> Exchanged:
    sent = _taken_apart(out.data, framing)
    said, is_good = _said(sent, out.data, came, framing)
    return Exchanged(
        at=out.at,
        unit_id=sent.unit_id,
        request=_shown(out.data, framing),
        asked=_asked(sent),
        reply=_shown(came, framing),
        said=_joined(said),
        is_good=is_good,
    )


def _taken_apart(frame: bytes, framing: Framing) -> _Sent:
    tid: int | None = None
    match framing:
        case "tcp":
            tid, body = int.from_bytes(frame[:2], "big"), frame[6:]
        case "rtu":
            body = frame[:-2]
        case "ascii":
            body = bytes.fromhex(frame[1:-4].decode("ascii"))
    unit, pdu = UnitId(body[0]), body[1:]
    request: Read | Identify | None = None
    if pdu[0] in _TABLES:
        address, count = int.from_bytes(pdu[1:3], "big"), int.from_bytes(pdu[3:5], "big")
        request = Read(unit_id=unit, table=_TABLES[pdu[0]], address=PduAddress(address), count=count)
    elif pdu[0] == _IDENTIFY:
        request = Identify(unit_id=unit, code=pdu[2], object_id=pdu[3])
    return _Sent(unit, tid, request, pdu[0])


def _asked(sent: _Sent) -> Text:
    match sent.request:
        case Read(table=table, address=address, count=count) as read:
            return Text(describe(read), f"读{_TABLES_ZH[table]} {address} x{count}")
        case Identify():
            return Text("who are you (43/14)", "读设备标识 (43/14)")
        case None:
            return Text(f"function {sent.function}", f"功能码 {sent.function}")


def _said(sent: _Sent, out: bytes, came: bytes, framing: Framing) -> tuple[list[Text], bool]:
    if not came:
        return [_SILENT], False
    parts = [_ECHO] if came.startswith(out) else []
    rest = came[len(out) :] if parts else came
    if sent.request is None or not rest:
        return parts or [_ANY], False
    framer = _FRAMERS[framing]()
    framer.start(sent.request)
    framer.feed(rest)
    is_good, frames = False, 0
    try:
        while (frame := framer.cut()) is not None:
            frames += 1
            is_ours = frame.tid == sent.tid and frame.unit_id == sent.unit_id
            if frame.tid != sent.tid:
                parts.append(Text(f"transaction id {frame.tid} instead of {sent.tid}", f"事务号 {frame.tid}，应为 {sent.tid}"))
            if frame.unit_id != sent.unit_id:
                parts.append(Text(f"unit {frame.unit_id} answers", f"站号 {frame.unit_id} 应答"))
            said, has_values = _meaning(sent.request, frame.pdu)
            parts.append(said)
            is_good = is_good or (is_ours and has_values)
    except FrameError as error:
        return [*parts, _WRONG.get(error.kind, _STRAY)], False
    except LinkDownError:
        return [*parts, _LEFT["short"]], False
    return (parts, is_good) if frames else ([*parts, _LEFT[framer.leftover()]], False)


def _meaning(request: Read | Identify, pdu: bytes) -> tuple[Text, bool]:
    try:
        payload = decode(request, pdu)
    except DeviceExceptionError as error:
        return Text(f"exception {error.number} ({error.words})", f"异常码 {error.number}"), False
    except FrameError as error:
        return _WRONG.get(error.kind, _STRAY), False
    if isinstance(request, Identify):
        named = ", ".join(f"{NAMES.get(number, str(number))} {text.decode('utf-8', 'replace')}" for number, text in payload.objects)
        return Text(f"it is: {named}", f"设备标识：{named}"), True
    return _values(payload, is_bits=request.table.is_bits), True


def _values(payload: Payload, *, is_bits: bool) -> Text:
    count = len(payload.words)
    some = " ".join(str(word) if is_bits else f"{word:04X}" for word in payload.words[:_SHOWN]) + (" ..." if count > _SHOWN else "")
    if is_bits:
        return Text(f"{count} {'bit' if count == 1 else 'bits'}: {some}", f"{count} 位：{some}")
    return Text(f"{count} {'register' if count == 1 else 'registers'}: {some}", f"{count} 个寄存器：{some}")


def _joined(parts: Sequence[Text]) -> Text:
    return Text("; ".join(part.en for part in parts), "；".join(part.zh for part in parts))


def _shown(data: bytes, framing: Framing) -> str:
    """ASCII frames as their characters, if they are that."""
    return shown(data, framing) if data.isascii() or framing != "ascii" else data.hex(" ").upper()
