"""What rules are given and what they give back."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.maps.schema_point import PointIn
from gateway.model.address import Notation
from gateway.model.codec import TYPES, Shape, shape_of
from gateway.model.point import DataType, DeviceFacts, Point
from gateway.yamlfile import YamlPath

TEXTS = frozenset({DataType.STRING, DataType.BYTES})
WHOLE = frozenset(DataType(f"{sign}int{width}") for sign in ("", "u") for width in (8, 16, 32, 64))


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a point; `keys` lead to it from the point (or from the file, for rules of a whole map)."""

    keys: YamlPath
    code: str
    message: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A point with the file's own words for it; `own` are the keys written at the point, not inherited."""

    point: Point
    model: PointIn
    own: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapView:
    """The map around a point."""

    points: Mapping[str, Point]
    facts: DeviceFacts
    addressing: Notation | None = None
    periods: Mapping[str, float | None] | None = None
    bases: frozenset[str] = frozenset()
    level: str = ""
    broken: frozenset[str] = frozenset()
    """Names in the file that no point could be made of: they are reported once, not again where they are named."""

    def lacks(self, name: str) -> bool:
        """True if the file has no point of that name."""
        return name not in self.points and name not in self.broken


def is_number(point: Point) -> bool:
    """True if the value is a number people measure or set: no text, bool, format or enum."""
    is_plain = point.type not in TEXTS and point.type is not DataType.BOOL and not point.table.is_bits
    return is_plain and point.format is None and point.bit is None and not (point.enum or point.flags or point.fields)


def is_scaled(point: Point) -> bool:
    """True if value and raw number differ."""
    return point.scale != 1 or point.offset != 0 or point.range is not None or point.held_by is not None


def shape(point: Point) -> Shape | None:
    """Where the value lies, or None for coils, discrete inputs and shapes that can't be."""
    is_part = point.bit is not None or point.bits is not None
    if point.table.is_bits or (is_part and point.type not in {*WHOLE, DataType.BOOL}):
        return None
    try:
        found = shape_of(point)
    except ValueError:
        return None
    return found if found.low + found.width <= found.words * 16 else None


def is_encodable(point: Point) -> bool:
    """True if a value of the point can be turned into words without another point and without dividing by zero."""
    is_flat = point.range is not None and (point.range.raw_low == point.range.raw_high or point.range.low == point.range.high)
    fits_words = point.table.is_bits or shape(point) is not None
    return fits_words and point.held_by is None and point.scale != 0 and not is_flat


def raw_limits(point: Point) -> tuple[float, float] | None:
    """The smallest and largest raw number, None where the type has none."""
    found = shape(point)
    return TYPES[point.type].limits(found) if found else None
