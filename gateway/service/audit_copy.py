"""Audit records as rows that spreadsheets read, and as JSON."""

import csv
import io
import re
from collections.abc import Sequence

import simplejson

from gateway.store.base import AuditRecord

COLUMNS = ("user", "confirmed_by", "tag", "old", "new", "read_back", "unit", "outcome", "code", "reason", "via", "proposal", "meaning")
HEADER = ("seq", "utc", "kind", "subject", *COLUMNS, "record", "mac")

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_line(cells: Sequence[object]) -> str:
    """One line of CSV; what a spreadsheet would take for a formula is text."""
    line = io.StringIO()
    csv.writer(line).writerow([_cell(cell) for cell in cells])
    return line.getvalue()


def csv_row(record: AuditRecord) -> str:
    """One record as a line under HEADER."""
    whole = simplejson.dumps(record.body, use_decimal=True, sort_keys=True, ensure_ascii=False)
    named = [record.body.get(name) for name in COLUMNS]
    return csv_line([record.seq, record.at.isoformat(), record.kind, record.subject, *named, whole, record.mac])


def json_row(record: AuditRecord) -> dict[str, object]:
    """One record with all that stands in the chain."""
    return {
        "seq": record.seq,
        "at": record.at.isoformat(),
        "mono": record.mono,
        "kind": record.kind,
        "subject": record.subject,
        "body": dict(record.body),
        "mac": record.mac,
    }


def _cell(value: object) -> str:
    text = "" if value is None else ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text
