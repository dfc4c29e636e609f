"""How a unit does, with advice in words for the people who stand before it."""

from collections.abc import Mapping

from gateway.model.point import Text
from gateway.poll.health import UnitStatus
from gateway.service.base import UnitHealth

_ADVICE = {
    "timeout": Text("no answer: check power, wiring, unit id and baud rate", "无应答：请检查电源、接线、站号和波特率"),
    "link_down": Text("the link is down: check cable, address and port", "链路断开：请检查网线、地址和端口"),
    "crc_error": Text("damaged frames: check termination, shielding and baud rate", "报文损坏：请检查终端电阻、屏蔽和波特率"),
    "length_mismatch": Text("replies of the wrong length: another device or a foreign map", "应答长度不符：可能是其他设备或点表不对"),
    "function_mismatch": Text("replies with another function: check the gateway before the device", "应答功能码不符：请检查前端网关"),
    "unit_mismatch": Text(
        "another unit answers: two devices share a unit id, or set unit_reply: any", "应答站号不符：站号冲突，或设置 unit_reply: any"
    ),
    "transaction_mismatch": Text(
        "the gateway before it rewrites transaction ids: set tid: ignore", "前端网关改写事务号：请设置 tid: ignore"
    ),
    "echo_mismatch": Text(
        "the line gives back what we send, or does not although it should: set local_echo: true, or false",
        "线路回送了所发数据，或应回送而未回送：请设置 local_echo: true 或 false",
    ),
    "protocol_error": Text(
        "what answers does not speak Modbus/TCP: check host, port and transport", "应答不是 Modbus/TCP：请检查地址、端口和传输方式"
    ),
    "link_busy": Text("more is asked of the link than it can carry: poll slower", "链路请求过多：请降低轮询频率"),
    "exception_1": Text(
        "the device does not know the function: see device.functions of its map", "设备不支持该功能码：请查点表 device.functions"
    ),
    "exception_2": Text("the device refuses an address: see the map, or what was learnt", "设备拒绝该地址：请检查点表"),
    "exception_3": Text(
        "the device refuses the size of a read: set device.max_read of its map", "设备拒绝读取长度：请设置点表 device.max_read"
    ),
    "exception_4": Text("the device reports a failure of its own: look at the device", "设备报告自身故障：请检查设备"),
    "exception_5": Text("the device works on something long: poll slower", "设备正在处理耗时操作：请降低轮询频率"),
    "exception_6": Text("the device is busy: poll slower, or another master asks it, too", "设备忙：请降低轮询频率，或有其他主站"),
    "exception_10": Text("the gateway before it has no path to the unit", "前端网关没有到该站号的路径"),
    "exception_11": Text("the unit behind the gateway does not answer", "网关后的设备无应答"),
}
_OK = Text()

_DROPPED = {
    "echo_seen": Text(
        "the line gives back what we send: set local_echo: true for this link", "线路回送所发数据：请为该链路设置 local_echo: true"
    ),
    "transaction_mismatch": Text(
        "the gateway on this link rewrites transaction ids: set tid: ignore for this link", "该链路的网关改写事务号：请设置 tid: ignore"
    ),
    "foreign_unit": Text(
        "replies carry another unit id than was asked: two masters, a shared unit id, or a gateway that rewrites it (unit_reply: any)",
        "应答站号与请求不同：可能有两个主站、站号冲突，或网关改写站号（unit_reply: any）",
    ),
    "rejected_late": Text("replies come after the time-out: raise timeout_s", "应答晚于超时：请增大 timeout_s"),
    "crc_error": Text(
        "frames arrive damaged: check termination, shielding, baud rate and parity", "报文损坏：请检查终端电阻、屏蔽、波特率和校验位"
    ),
    "unasked_bytes": Text(
        "bytes come that nobody asked for: a second master on the line, or noise", "收到未请求的数据：线路上可能有第二个主站或干扰"
    ),
}
"""What a link dropped, the most telling first; an echo also leaves unasked bytes behind, so that those count only alone."""


def advice_of(reason: str) -> Text:
    """What to do about a reason of BAD; empty if there is nothing to say."""
    return _ADVICE.get(reason, _OK)


def dropped_advice(dropped: Mapping[str, int]) -> list[Text]:
    """What to do about what a link dropped."""
    seen = [kind for kind in _DROPPED if dropped.get(kind)]
    return [_DROPPED[kind] for kind in seen if kind != "unasked_bytes" or len(seen) == 1]


def unit_health(status: UnitStatus) -> UnitHealth:
    """The status of a unit as services hand it out."""
    return UnitHealth(
        device=status.device,
        link=status.link,
        unit_id=status.unit_id,
        state=status.state,
        reason=status.reason,
        since=status.since,
        last_good=status.last_good,
        reads=status.reads,
        errors=status.errors,
        latency_ms=round(status.latency_ms, 1) if status.latency_ms is not None else None,
        advice=advice_of(status.reason) if status.state in ("degraded", "down") else _OK,
    )
