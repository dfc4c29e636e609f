"""device_health: does it answer, since when, how well."""

from typing import ClassVar

from pydantic import Field

from assistant.errors import ToolInputError
from assistant.language.shown import moment_text, reason_words
from assistant.tools.base import Args, Turn
from gateway.model.point import Role, Text
from gateway.service.base import UnitHealth

_STATES = {
    "ok": Text("online", "在线"),
    "degraded": Text("online with errors", "在线但有错误"),
    "down": Text("offline", "离线"),
    "waiting": Text("not read yet", "尚未读到"),
}


class DeviceHealthArgs(Args):
    """Which device."""

    device: str | None = Field(default=None, max_length=60, description="a device id; without it all devices")


class DeviceHealth:
    """Communication state of devices."""

    name: ClassVar[str] = "device_health"
    description: ClassVar[str] = "Communication state of one or all devices: online or offline, why, since when, errors, advice."
    args: ClassVar[type[Args]] = DeviceHealthArgs
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: DeviceHealthArgs, turn: Turn) -> str:
        """One line a device."""
        devices = {device.id: device for device in turn.read.devices()}
        if args.device is not None and args.device not in devices:
            raise ToolInputError(f"no device is called {args.device}; there are {', '.join(devices)}")
        return "\n".join(_line(unit, devices[unit.device].title, turn) for unit in turn.read.health(args.device)) or "no devices"


tool = DeviceHealth()


def _line(unit: UnitHealth, title: Text, turn: Turn) -> str:
    now, zone = turn.clock.utc(), turn.timezone
    words = _STATES[unit.state]
    parts = [f"{unit.device} {unit.state}: {words.en} / {words.zh}"]
    if unit.reason:
        why = reason_words(unit.reason)
        parts.append(f"{why.en} / {why.zh}")
    if unit.state != "ok" and unit.since is not None:
        parts.append(f"since {moment_text(unit.since, now, zone)}")
    if unit.last_good is not None:
        parts.append(f"last good reply {moment_text(unit.last_good, now, zone)}")
    if unit.errors:
        parts.append("errors " + ", ".join(f"{name} {count}" for name, count in unit.errors.items()))
    if unit.latency_ms is not None:
        parts.append(f"replies in {unit.latency_ms:.0f} ms")
    if unit.advice.en:
        parts.append(f"{unit.advice.en} / {unit.advice.zh}")
    return f"{', '.join(parts)} | {title.en} / {title.in_('zh')}"
