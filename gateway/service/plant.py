"""The plant as configured: devices, their maps, and every point under its tag."""

import difflib
from collections.abc import Mapping, Sequence

from gateway.errors import UnknownTagError
from gateway.model.point import Point, RegisterMap, WriteRule
from gateway.model.sample import Tag
from gateway.service.base import DeviceInfo, PointInfo


class Plant:
    """Devices in the order of the configuration, with `points` by tag and the maps they come from.

    There is one of it: a reload puts other devices into it, and all who hold it see them at once.
    """

    def __init__(self, devices: Sequence[tuple[DeviceInfo, RegisterMap]]) -> None:
        self.put(devices)

    def put(self, devices: Sequence[tuple[DeviceInfo, RegisterMap]]) -> None:
        """From now on these are the plant's devices."""
        self.devices = tuple(info for info, _ in devices)
        self.maps: Mapping[str, RegisterMap] = {info.id: register_map for info, register_map in devices}
        self.points: Mapping[Tag, Point] = {
            tag_of(info.id, point.name): point for info, register_map in devices for point in register_map.points.values()
        }
        self.infos: Mapping[Tag, PointInfo] = {
            tag_of(info.id, point.name): _info(info, point) for info, register_map in devices for point in register_map.points.values()
        }

    def point(self, tag: str) -> Point:
        """The point of a tag; raises UnknownTagError with near names."""
        return self.points[self.tag(tag)]

    def tag(self, text: str) -> Tag:
        """`text` as a tag that exists; raises UnknownTagError with near names."""
        tag = Tag(text)
        if tag not in self.points:
            raise UnknownTagError(text, near=difflib.get_close_matches(text, self.points, n=3, cutoff=0.5))
        return tag

    def device_of(self, tag: str) -> DeviceInfo:
        """The device a tag belongs to."""
        name = self.infos[self.tag(tag)].device
        return next(info for info in self.devices if info.id == name)


def tag_of(device: str, point: str) -> Tag:
    """The plant-wide name of a point."""
    return Tag(f"{device}.{point}")


def _info(device: DeviceInfo, point: Point) -> PointInfo:
    rule = point.write or WriteRule()
    return PointInfo(
        tag=tag_of(device.id, point.name),
        device=device.id,
        device_title=device.title,
        title=point.title,
        description=point.description,
        aliases=point.aliases,
        unit=point.unit,
        decimals=point.decimals if point.decimals is not None else _decimals(point),
        type=point.type,
        access=point.access,
        enum=point.enum,
        flags={bit: flag.text for bit, flag in point.flags.items()},
        min=rule.min,
        max=rule.max,
        step=rule.step,
        max_step=rule.max_step,
        cooldown_s=rule.cooldown_s,
        role=rule.role,
        confirm=rule.confirm,
        approvals=rule.approvals,
        interlocks=tuple(condition for lock in rule.interlock for condition in lock.conditions),
        pulse=rule.pulse,
    )


def _decimals(point: Point) -> int | None:
    """The decimals that a scale implies: 0.01 shows two; none for floats, whose digits are shown as they are."""
    if point.type.startswith("float") or point.scale_from is not None or point.range is not None or point.range_from is not None:
        return None
    places = [-exponent for number in (point.scale, point.offset) if isinstance(exponent := number.normalize().as_tuple().exponent, int)]
    return max(0, *places)
