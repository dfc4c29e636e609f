"""Workbooks (xlsx): rows of text in and out. Formulas are refused on the way in and never written."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import NoReturn

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import Cell
from openpyxl.styles import Font
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from gateway.errors import Finding, MapError

Sheets = Mapping[str, Sequence[tuple[int, list[str]]]]
"""Sheet name -> (row number, cells)."""

_MAX_UNPACKED = 60_000_000
_MAX_CELLS = 500_000


def read_workbook(data: bytes) -> Sheets:
    """All sheets as text; raises MapError for what is no workbook, is too large, or holds formulas or dates."""
    _unpackable(data)
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=False, keep_links=False)
    except (InvalidFileException, KeyError, ValueError, SyntaxError, zipfile.BadZipFile, OSError, TypeError, IndexError) as exc:
        raise MapError([_finding("not_a_workbook", "not a workbook", "save it as .xlsx")]) from exc
    count = 0
    sheets: dict[str, list[tuple[int, list[str]]]] = {}
    try:
        for sheet in book.worksheets:
            rows = sheets.setdefault(sheet.title, [])
            for number, row in enumerate(sheet.iter_rows(), start=1):
                count += len(row)
                if count > _MAX_CELLS:
                    _refuse("too_large", f"more than {_MAX_CELLS} cells", "a map of one device is smaller")
                cells = [_text(cell.value, cell.data_type, f"{sheet.title} row {number}") for cell in row]
                if any(cell.strip() for cell in cells):
                    rows.append((number, cells))
    finally:
        book.close()
    return sheets


def workbook(sheets: Mapping[str, Sequence[Sequence[str]]]) -> bytes:
    """An xlsx file; every cell is text, so that no program turns 00001 or =1+1 into something else."""
    book = Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet: WriteOnlyWorksheet = book.create_sheet(title)
        sheet.freeze_panes = "B2"
        for number, row in enumerate(rows):
            sheet.append([_cell(sheet, text, is_head=number == 0) for text in row])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _cell(sheet: WriteOnlyWorksheet, text: str, *, is_head: bool) -> Cell | None:
    if not text:
        return None
    cell: Cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"
    cell.number_format = "@"
    if is_head:
        cell.font = Font(bold=True)
    return cell


def _unpackable(data: bytes) -> None:
    """A workbook is a zip of XML: looked at before anything parses it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > _MAX_UNPACKED:
                _refuse("too_large", "a workbook that unpacks to more than a map can need", "save only the sheet with the points")
            for part in archive.infolist():
                if part.filename.endswith((".xml", ".rels")) and b"<!DOCTYPE" in archive.read(part):
                    _refuse("not_a_workbook", "a workbook with document type declarations", "save it as .xlsx again")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as exc:
        raise MapError([_finding("not_a_workbook", "not a workbook", "save it as .xlsx")]) from exc


def _text(value: object, data_type: str, place: str) -> str:
    if data_type == "f":
        _refuse("formula", f"{place} holds a formula", "paste the values instead of the formulas")
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < 2**53 else format(Decimal(repr(value)), "f")
        case date() | datetime() | time() | timedelta():
            _refuse("date", f"{place} holds a date", "format the cell as text and type it again: the program has changed what was typed")
        case _:
            return str(value)
    raise AssertionError(place)


def _refuse(code: str, message: str, fix: str) -> NoReturn:
    raise MapError([_finding(code, message, fix)])


def _finding(code: str, message: str, fix: str) -> Finding:
    return Finding(code=code, message=message, fix=fix)
