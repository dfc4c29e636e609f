"""The maps that ship: test vectors of each, words and what they mean, held against the codec that runs.

`vectors/<id>.yaml` beside a map is a list of `{point, words, value|reason|label}` and `{point, write: {value, words}}`.
They were computed without our codec, so that a map which holds them has been checked twice.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from gateway.errors import ConfigError, Finding
from gateway.maps.codes import CODES
from gateway.maps.findings import invalid, place
from gateway.maps.schema_types import NAME, Strict
from gateway.model.address import UnitId
from gateway.model.decode import compile_block
from gateway.model.describe import label_of
from gateway.model.encode import EncodeError, access_fault, encode_point, limit_faults
from gateway.model.plan import ReadBlock
from gateway.model.point import Point, RegisterMap
from gateway.model.sample import Scalar
from gateway.yamlfile import YamlFile, read_yaml

FOLDER = "vectors"
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)

Word = Annotated[str, Field(pattern=r"^0x[0-9A-F]{4}$")]
Value = bool | int | Decimal | str


class WriteVectorIn(Strict):
    """A value and the words that write it (a coil: 0x0000 or 0x0001)."""

    value: Value
    words: list[Word] = Field(min_length=1)


class VectorIn(Strict):
    """What the words of a point mean; `with` gives the value of the point that holds its scale or range."""

    point: str = Field(pattern=NAME)
    words: list[Word] | None = None
    given: dict[str, int | Decimal] = Field(default_factory=dict, alias="with", max_length=1)
    value: Value | None = None
    reason: str | None = None
    label: str | list[str] | dict[str, int | str | list[str]] | None = None
    write: WriteVectorIn | None = None


def vectors_of(map_file: Path) -> Path:
    """Where the vectors of a map file stand."""
    return map_file.parent / FOLDER / f"{map_file.stem}.yaml"


def check_vectors(map_file: Path, register_map: RegisterMap) -> Sequence[Finding]:
    """What the vectors of a map say against it; a folder of maps without a folder of vectors has none to say."""
    path = vectors_of(map_file)
    if not path.parent.is_dir():
        return ()
    if not path.is_file():
        return (_without_vectors(map_file, path),)
    try:
        yaml = read_yaml(path)
    except ConfigError as exc:
        return exc.findings
    found = [*yaml.findings]
    for number, vector in _vectors(yaml, found):
        point = register_map.points.get(vector.point)
        if point is None:
            fix = f"write the name of a point of {register_map.id}"
            found.append(place(yaml, (number, "point"), "unknown_point", f"no point {vector.point}", fix))
            continue
        found += [place(yaml, (number,), "vector_fails", f"{point.name}: {fault}", _FIX) for fault in vector_faults(point, vector)]
    return found


def stray_vectors(folder: Path) -> Iterator[Finding]:
    """Vectors in a folder of maps whose map is not there."""
    for path in sorted((folder / FOLDER).glob("*.yaml")):
        if not (folder / path.name).is_file():
            yield Finding(
                code="unknown_map", message=f"no map {path.stem}", fix="rename the vectors after their map", file=str(path), line=1
            )


def vector_faults(point: Point, vector: VectorIn) -> Iterator[str]:
    """What the point does that its vector does not say."""
    held = vector.given.get(point.held_by or "")
    if vector.words is None and vector.write is None:
        yield "neither words to read nor a write"
    if vector.words is not None:
        yield from _read_faults(point, vector, vector.words, held)
    if vector.write is not None:
        yield from _write_faults(point, vector.write, held)


_FIX = "compare both with the manual and correct the one that is wrong"


def _vectors(yaml: YamlFile, found: list[Finding]) -> Iterator[tuple[int, VectorIn]]:
    if not isinstance(yaml.root, list) or not yaml.root:
        found.append(place(yaml, (), "wrong_type", "no list of vectors", "write `- {point: ..., words: [...], value: ...}` for each"))
        return
    for number, raw in enumerate(yaml.root):
        try:
            yield number, VectorIn.model_validate(raw)
        except ValidationError as exc:
            found.extend(invalid(exc, yaml, (number,), raw))


def _without_vectors(map_file: Path, path: Path) -> Finding:
    fix = f"add {FOLDER}/{path.name} with words from the manual or a device and what they mean"
    message = "the map has no test vectors"
    return Finding(code="vectors_missing", message=message, fix=fix, file=str(map_file), line=1, severity=CODES["vectors_missing"][0])


def _read_faults(point: Point, vector: VectorIn, texts: Sequence[str], held: Scalar | None) -> Iterator[str]:
    if vector.value is None and vector.reason is None and vector.label is None:
        yield "words without value, reason or label"
        return
    if len(texts) != point.words:
        yield f"has {point.words} registers, not {len(texts)}"
        return
    value, reason = _read(point, [int(text, 16) for text in texts], held)
    shown = f"{' '.join(texts)} is {_said(value)}"
    if reason != vector.reason:
        yield f"{shown} with reason {_said(reason)}, not {_said(vector.reason)}"
    if (vector.value is not None or vector.reason is not None) and not _same(value, vector.value):
        yield f"{shown}, not {_said(vector.value)}"
    label = label_of(point, value)
    if vector.label is not None and label != vector.label:
        yield f"{shown} and called {label}, not {vector.label}"


def _read(point: Point, words: Sequence[int], held: Scalar | None) -> tuple[Scalar | None, str | None]:
    """The value as a poll would give it."""
    block = ReadBlock(unit_id=UnitId(1), table=point.table, address=point.pdu, count=point.words, group=point.poll, points=(point,))
    samples = compile_block(block).decode(words, _ANY_TIME, 0.0, lambda _name: held)
    return samples.values[0], samples.reasons[0]


def _write_faults(point: Point, vector: WriteVectorIn, held: Scalar | None) -> Iterator[str]:
    try:
        refused = access_fault(point)
        if refused is not None:
            raise refused
        encoded = encode_point(point, vector.value, scale=held)
    except EncodeError as exc:
        yield f"{_said(vector.value)} can't be written: {exc.message}"
        return
    words = encoded.words if encoded.coil is None else (int(encoded.coil),)
    texts = [f"0x{word:04X}" for word in words]
    if texts != vector.words:
        yield f"{_said(vector.value)} is written as {' '.join(texts)}, not {' '.join(vector.words)}"
    wanted = encoded.value if isinstance(vector.value, str) else vector.value
    yield from (f"{_said(vector.value)} can't be written: {fault.message}" for fault in limit_faults(point, wanted))


def _same(value: Scalar | None, wanted: Value | None) -> bool:
    if isinstance(value, str | bool | None) or isinstance(wanted, str | bool | None):
        return type(value) is type(wanted) and value == wanted
    return _exact(value) == _exact(wanted)


def _exact(number: float | Decimal) -> Decimal:
    """A float counts by its shortest text, as the gateway shows it."""
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def _said(value: Scalar | None) -> str:
    return "no value" if value is None else str(value)
