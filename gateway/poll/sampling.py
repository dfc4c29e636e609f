"""One value of a block as people see it."""

from gateway.model.describe import label_of, label_text
from gateway.model.point import Point, Text
from gateway.model.sample import BlockSamples, Sample, Scalar, Tag
from gateway.model.scaling import unit_of


def tag_of(device_id: str, point: Point) -> Tag:
    """The plant-wide name of a point."""
    return Tag(f"{device_id}.{point.name}")


def sample_at(device_id: str, samples: BlockSamples, index: int, now_mono: float) -> Sample:
    """Value `index` of a block, its age counted to `now_mono`."""
    point = samples.block.points[index]
    value = samples.values[index]
    return Sample(
        tag=tag_of(device_id, point),
        value=value,
        label=None if value is None else label_of(point, value),
        label_text=Text() if value is None else label_text(point, value),
        unit=unit_of(point, _source(point, samples)),
        decimals=point.decimals,
        reason=samples.reasons[index],
        read_at=samples.read_at,
        age_s=max(0.0, now_mono - samples.read_mono),
        words=words_at(samples, point),
    )


def words_at(samples: BlockSamples, point: Point) -> tuple[int, ...]:
    """The words of one point; empty if the exchange failed."""
    start = point.pdu - samples.block.address
    return tuple(samples.words[start : start + point.words])


def _source(point: Point, samples: BlockSamples) -> Scalar | None:
    """The value in the same block that holds the point's range."""
    if point.range_from is None:
        return None
    names = [other.name for other in samples.block.points]
    return samples.values[names.index(point.range_from.point)] if point.range_from.point in names else None
