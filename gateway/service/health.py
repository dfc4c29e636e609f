"""How a unit does, with advice in words for the people who stand before it."""

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
    "echo_mismatch": Text("the device confirmed another write than was sent", "设备回应的写入与发送不一致"),
    "exception_1": Text(
        "the device does not know the function: see device.functions of its map", "设备不支持该功能码：请查点表 device.functions"
    ),
    "exception_2": Text("the device refuses an address: see the map, or what was learnt", "设备拒绝该地址：请检查点表"),
    "exception_10": Text("the gateway before it has no path to the unit", "前端网关没有到该站号的路径"),
    "exception_11": Text("the unit behind the gateway does not answer", "网关后的设备无应答"),
}
_OK = Text()


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
        advice=_ADVICE.get(status.reason, _OK) if status.state in ("degraded", "down") else _OK,
    )
