"""A map as two tables, its head and its points, and back without loss of a key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from gateway.maps.convert.draft.base import Options, ask
from gateway.maps.convert.draft.columns import COLUMNS, CORE, CellError, flat_head, from_row, head_of, safe, to_row, unsafe
from gateway.maps.convert.draft.dialects import DIALECTS, read_address
from gateway.maps.convert.draft.draft import Draft, DraftPoint, Keys
from gateway.maps.convert.draft.source import Source
from gateway.model.address import AddressError
from gateway.yamlfile import YamlFile, YamlValue

Rows = Sequence[tuple[int, list[str]]]
"""Line number and cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Rows of text: `head` has two columns, `points` begins with the names of its columns."""

    head: list[list[str]]
    points: list[list[str]]


def tables(file: YamlFile) -> Tables:
    """The tables of a map that loads."""
    root = file.root if isinstance(file.root, dict) else {}
    points = root.get("points")
    rows = [to_row(str(name), keys) for name, keys in points.items() if isinstance(keys, dict)] if isinstance(points, dict) else []
    used = [column for column in COLUMNS if column in CORE or any(column in row for row in rows)]
    head = [[key, safe(value)] for key, value in flat_head({key: value for key, value in root.items() if key != "points"})]
    return Tables(head=head, points=[used, *([safe(row.get(column, "")) for column in used] for row in rows)])


def draft_of(source: Source, options: Options, head: Rows, points: Rows) -> Draft:
    """The draft of a map from its two tables; raises MapError naming the row."""
    draft = Draft(format=source.format, file=source.name, is_own=True)
    try:
        draft.head = head_of([(line, row[0].strip(), unsafe(row[1])) for line, row in head if len(row) > 1 and row[0].strip()])
    except CellError as exc:
        source.refuse("bad_cell", f"{exc.column}: {exc.message}", "write one value")
    if not points:
        source.refuse("nothing_found", "no points", "write the names of the columns, and a row for each point")
    columns = _columns(source, points[0])
    for line, cells in points[1:]:
        row = {column: unsafe(cell) for column, cell in zip(columns, cells, strict=False) if column}
        try:
            name, keys = from_row(row)
        except CellError as exc:
            source.refuse(
                "bad_cell", f"{exc.column}: {exc.message}", "write a value as in a map, such as 0.1 or {0: off, 1: on}", line=line
            )
        if any(point.name == name for point in draft.points):
            source.refuse("duplicate_name", f"{name!r} is there already", "give each point a name of its own", line=line)
        address = _address(source, options, row, keys, line)
        draft.points.append(DraftPoint(name=name, keys={**address, **keys}, line=line))
    return draft


def _columns(source: Source, header: tuple[int, list[str]]) -> list[str]:
    line, cells = header
    columns = [cell.strip().lower() for cell in cells]
    for column in filter(None, columns):
        if column not in COLUMNS:
            near = get_close_matches(column, COLUMNS, n=1)
            fix = f"did you mean {near[0]}?" if near else "remove it; docs/engineers/converting.md lists the columns"
            source.refuse("unknown_column", f"no column {column!r}", fix, line=line)
        if columns.count(column) > 1:
            source.refuse("unknown_column", f"column {column!r} stands twice", "keep one of them", line=line)
    if "name" not in columns or "address" not in columns:
        source.refuse("unknown_column", "no columns `name` and `address`", "write the names of the columns first", line=line)
    return columns


def _address(source: Source, options: Options, row: Mapping[str, str], keys: Keys, line: int) -> Keys:
    text, notation = row["address"].strip(), (row.get("notation", "").strip().lower() or options.notation or "")
    if not text:
        return {}
    if not notation:
        ask(source, f"how the addresses are written (line {line})", "fill the column `notation` with pdu, reg or ref, or give --notation")
    if notation == "ref":
        return {"ref": text}
    if notation in ("pdu", "reg"):
        return {notation: int(text) if text.isascii() and text.isdigit() and text == str(int(text)) else text}
    if notation not in DIALECTS:
        known = ", ".join(("pdu", "reg", "ref", *DIALECTS))
        source.refuse("bad_notation", f"notation {notation!r} is unknown", f"write one of {known}", line=line)
    try:
        found = read_address(notation, text, options.base)
    except AddressError as exc:
        source.refuse(exc.code, exc.message, exc.fix, line=line)
    given: dict[str | int, YamlValue] = {"pdu": found.pdu, **found.keys}
    if found.table is not None:
        given["table"] = found.table.value
    return {key: value for key, value in given.items() if key not in keys}
