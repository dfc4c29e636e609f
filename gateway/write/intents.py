"""From ordered writes to what a device is asked for, if its map is still the one that the card was made from."""

from collections.abc import Sequence

from gateway.model.encode import Encoded, EncodeError, encode_point, keep_of
from gateway.model.point import Point
from gateway.poll.written import Intent
from gateway.write.order import OrderedWrite
from gateway.write.readable import Readable


def intents_of(device: Readable, writes: Sequence[OrderedWrite]) -> list[Intent] | None:
    """What the device is asked for; None if a point, its words or the map itself are others now."""
    intents = []
    for write in writes:
        point = device.map.points.get(write.point)
        encoded = None if point is None or device.map.version != write.map_version else _encoded(point, write)
        if point is None or encoded is None:
            return None
        intents.append(Intent(point=point, encoded=encoded, old=write.old))
    return intents


def _encoded(point: Point, write: OrderedWrite) -> Encoded | None:
    """The words that were confirmed, with the mask of their neighbours' bits; None if the value has other words now.

    Where another point holds the scale, the words are held against it when it is read, just before they are sent.
    """
    if point.held_by is not None:
        return Encoded(value=write.new, words=write.words, keep=keep_of(point))
    try:
        encoded = encode_point(point, write.new)
    except EncodeError:
        return None
    words = encoded.words if encoded.coil is None else (int(encoded.coil),)
    return encoded if words == write.words else None
