"""list_devices: what is connected."""

from typing import ClassVar

from assistant.language.shown import device_text
from assistant.tools.base import Args, Turn
from gateway.model.point import Role


class ListDevicesArgs(Args):
    """Nothing to say."""


class ListDevices:
    """The configured devices, one a line."""

    name: ClassVar[str] = "list_devices"
    description: ClassVar[str] = "All devices: id, title (English / Chinese), model, other names, number of points."
    args: ClassVar[type[Args]] = ListDevicesArgs
    least_role: ClassVar[Role] = Role.VIEWER
    ends_turn: ClassVar[bool] = False

    async def run(self, args: ListDevicesArgs, turn: Turn) -> str:
        """One line a device."""
        del args
        lines = [
            f"{device.id} | {device_text(device)} | {device.vendor} {device.model} | also {', '.join(device.aliases) or '-'}"
            f" | {device.points} points"
            for device in turn.read.devices()
        ]
        return "\n".join(lines) or "no devices are configured"


tool = ListDevices()
