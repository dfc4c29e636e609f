"""How commands print: one JSON document or lines for people; failures as one line with the fix."""

import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

import simplejson

from gateway.errors import ConfigError, Finding, GatewayError

JsonValue = Mapping[str, object] | Sequence[object]


def print_json(document: JsonValue) -> None:
    """One JSON document on standard output; decimals exact, never NaN."""
    sys.stdout.write(simplejson.dumps(document, use_decimal=True, ensure_ascii=False, allow_nan=False) + "\n")


def fail(
    code: str, message: str, *, fix: str = "", as_json: bool = False, place: Mapping[str, object] | None = None, status: int = 1
) -> NoReturn:
    """End with `status`: `{"error", "message", "fix"}` on standard output with `as_json`, else one line on standard error."""
    if as_json:
        print_json({"error": code, "message": message, "fix": fix, **(place or {})})
    else:
        sys.stderr.write(f"{message}{': ' if fix and fix not in message else ''}{fix if fix not in message else ''}\n")
    raise SystemExit(status)


def fail_with(error: GatewayError, *, as_json: bool = False) -> NoReturn:
    """End with exit status 1 and the error's own words and place."""
    if isinstance(error, ConfigError):
        first = error.findings[0]
        place = {"file": first.file, "line": first.line, "path": first.path}
        if as_json:
            fail(first.code, first.message, fix=first.fix, as_json=True, place=place)
        fail(error.code, "\n".join(str(finding) for finding in error.findings))
    fail(error.code, error.message, fix=error.fix, as_json=as_json)


def finding_document(finding: Finding) -> dict[str, object]:
    """What `check` found, as JSON."""
    return {
        "file": finding.file,
        "line": finding.line,
        "path": finding.path,
        "code": finding.code,
        "message": finding.message,
        "fix": finding.fix,
    }


def finding_line(finding: Finding) -> str:
    """What `check` found, on one line."""
    place = f"{finding.file}:{finding.line}" if finding.line else finding.file
    kind = "warning" if finding.severity == "warning" else ""
    return ": ".join(part for part in (place, finding.path, finding.code, kind, finding.message, finding.fix) if part)
