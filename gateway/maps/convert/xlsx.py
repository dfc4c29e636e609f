"""Our own table as a workbook: sheet `points` with one row a point, sheet `map` with the head."""

from gateway.maps.convert.draft.base import Converter, Exported, Options
from gateway.maps.convert.draft.draft import Draft
from gateway.maps.convert.draft.sheet import workbook
from gateway.maps.convert.draft.source import Source
from gateway.maps.convert.draft.table import draft_of, tables
from gateway.model.point import RegisterMap
from gateway.yamlfile import YamlFile


def read(source: Source, options: Options) -> Draft:
    """The map, as its sheets say it."""
    sheets = source.sheets()
    if not {"points", "map"} <= sheets.keys():
        source.refuse("not_our_table", "no sheets `points` and `map`", "export a map with --to xlsx to see the form")
    return draft_of(source, options, sheets["map"][1:], sheets["points"])


def write(file: YamlFile, _map: RegisterMap) -> Exported:
    """The workbook; every cell is text."""
    made = tables(file)
    return Exported(content=workbook({"points": made.points, "map": [["key", "value"], *made.head]}))


converter = Converter(name="xlsx", title="our own table as a workbook", read=read, write=write)
