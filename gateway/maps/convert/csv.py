"""Our own table as CSV: a section `[map]` with the head, a section `[points]` with one row a point."""

import csv
import io

from gateway.maps.convert.draft.base import Converter, Exported, Options
from gateway.maps.convert.draft.draft import Draft
from gateway.maps.convert.draft.source import Source
from gateway.maps.convert.draft.table import draft_of, tables
from gateway.model.point import RegisterMap
from gateway.yamlfile import YamlFile

_HEAD, _POINTS = "[map]", "[points]"


def read(source: Source, options: Options) -> Draft:
    """The map, as its table says it."""
    rows = source.rows()
    marks = {row[0].strip().lower(): place for place, (_, row) in enumerate(rows) if row[0].strip().lower() in (_HEAD, _POINTS)}
    if marks.get(_HEAD) != 0 or _POINTS not in marks:
        source.refuse("not_our_table", f"no sections {_HEAD} and {_POINTS}", "export a map with --to csv to see the form", line=1)
    return draft_of(source, options, rows[1 : marks[_POINTS]], rows[marks[_POINTS] + 1 :])


def write(file: YamlFile, _map: RegisterMap) -> Exported:
    """The table, with a byte order mark so that spreadsheets read it as UTF-8."""
    made = tables(file)
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\r\n").writerows([[_HEAD], *made.head, [], [_POINTS], *made.points])
    return Exported(content=stream.getvalue().encode("utf-8-sig"))


converter = Converter(name="csv", title="our own table as CSV", read=read, write=write)
