"""From what pydantic says to findings: one a place, with the line, a stable code and what to write instead."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gateway.errors import Finding
from gateway.maps.codes import CODES
from gateway.maps.schema_types import Strict
from gateway.yamlfile import YamlFile, YamlPath, YamlValue

_CODES = {
    "missing": "missing_key",
    "extra_forbidden": "unknown_key",
    "literal_error": "bad_choice",
    "enum": "bad_choice",
    "string_pattern_mismatch": "bad_name",
    "too_short": "wrong_count",
    "too_long": "wrong_count",
    "string_too_long": "too_long",
    "greater_than": "out_of_range",
    "greater_than_equal": "out_of_range",
    "less_than": "out_of_range",
    "less_than_equal": "out_of_range",
}
_WRITE = {
    "int_type": "write a whole number without quotes",
    "bool_type": "write true or false",
    "string_type": "write text",
    "list_type": "write a list: [first, second]",
    "dict_type": "write keys and values: {key: value}",
    "model_type": "write keys and values: {key: value}",
    "too_short": "add what is missing",
    "too_long": "shorten it",
    "string_too_long": "shorten it",
}


def invalid(exc: ValidationError, yaml: YamlFile, path: YamlPath, raw: YamlValue) -> list[Finding]:
    """The findings of a failed validation of `raw`, which stands at `path` in the file."""
    found: dict[YamlPath, Finding] = {}
    for error in exc.errors(include_url=False):
        inner, value = _place(error["loc"], raw, is_missing=error["type"] == "missing")
        full = (*path, *inner)
        found.setdefault(full, place(yaml, full, _code(error, value), _message(error, value), _fix(error, value)))
    deeper = {full[:length] for full in found for length in range(len(full))}
    return [finding for full, finding in found.items() if finding.code != "wrong_type" or full not in deeper]


def place(yaml: YamlFile, path: Sequence[str | int], code: str, message: str, fix: str) -> Finding:
    """A finding at `path` of the file; its severity is that of its code."""
    severity, _ = CODES[code]
    dotted = ".".join(map(str, path))
    return Finding(code=code, message=message, fix=fix, file=yaml.file, line=yaml.line_of(path), path=dotted, severity=severity)


def _place(location: Iterable[str | int], raw: YamlValue, *, is_missing: bool) -> tuple[YamlPath, YamlValue]:
    """The part of pydantic's location that exists in the file (union branches do not), and the value there."""
    path: list[str | int] = []
    value = raw
    parts = list(location)
    for number, part in enumerate(parts):
        children = _children(value)
        if part in children:
            value = children[part]
            path.append(part)
        elif is_missing and number == len(parts) - 1:
            return (*path, part), None
    return tuple(path), value


def _children(value: YamlValue) -> Mapping[str | int, YamlValue]:
    if isinstance(value, list):
        return dict(enumerate(value))
    return value if isinstance(value, dict) else {}


def _code(error: ErrorDetails, value: YamlValue) -> str:
    """Our own codes come through; where a union took none of its branches, the deeper fault speaks."""
    if "fix" in error.get("ctx", {}):
        return error["type"]
    return "empty" if value == "" and error["type"] == "too_short" else _CODES.get(error["type"], "wrong_type")


def _message(error: ErrorDetails, value: YamlValue) -> str:
    context: Mapping[str, object] = error.get("ctx", {})
    match error["type"]:
        case "missing":
            return f"{error['loc'][-1]} is missing"
        case "extra_forbidden":
            return f"unknown key {error['loc'][-1]!r}"
        case "literal_error" | "enum":
            return f"{_shown(value)} is not allowed here"
        case "too_short" if value == "":
            return "nothing between the quotes"
        case "string_pattern_mismatch":
            return f"{_shown(value)} is not a name"
        case _ if "fix" in context:
            return str(context["words"])
        case _:
            return f"{_shown(value)}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _fix(error: ErrorDetails, value: YamlValue) -> str:
    context: Mapping[str, object] = error.get("ctx", {})
    match error["type"]:
        case "missing":
            return f"add `{error['loc'][-1]}:`"
        case "extra_forbidden":
            if error["loc"][-1] in _known_keys(Strict):
                return "it belongs elsewhere; remove it here"
            near = get_close_matches(str(error["loc"][-1]).replace("-", "_").lower(), _known_keys(Strict), n=1)
            return f"did you mean {near[0]}?" if near else "remove it"
        case "literal_error" | "enum":
            return f"write {context.get('expected', '')}"
        case "string_type" if isinstance(value, int | Decimal):
            return "put it in quotes if it is text"
        case "too_short" if value == "":
            return "write something, or remove it"
        case "string_pattern_mismatch":
            return "use small letters, digits and _, a letter first"
        case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
            return "write a number in that range"
        case kind:
            return str(context.get("fix", _WRITE.get(kind, "compare with registermaps/README.md")))


def _known_keys(model: type[Strict]) -> list[str]:
    keys = {field.alias or name for name, field in model.model_fields.items()}
    for child in model.__subclasses__():
        keys.update(_known_keys(child))
    return sorted(keys)


def _shown(value: YamlValue) -> str:
    text = repr(str(value)) if not isinstance(value, bool | None) else {True: "true", False: "false", None: "nothing"}[value]
    return text if len(text) <= 60 else f"{text[:57]}...'"
