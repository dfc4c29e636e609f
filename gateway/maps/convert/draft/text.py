"""A map as YAML text: one line a key, comments at what was assumed, nothing that reads differently elsewhere."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal

from gateway.maps.convert.draft.draft import Draft, DraftPoint, Keys
from gateway.yamlfile import YamlValue, parse_yaml

_PLAIN = re.compile(r"[^\W\d_][\w ./%()-]*(?<! )|[0-9]+(\.[0-9]+)?(ms|s|m|h|d)")
_BLOCK = ("device", "bases", "poll", "enums", "procedures", "defaults")


def map_text(draft: Draft, head: Keys, comment: str) -> str:
    """The whole file; `comment` is its first line."""
    lines = [f"# {part}" for part in comment.split("\n") if part]
    for key, value in head.items():
        if key in _BLOCK and isinstance(value, dict) and len(value) > 1:
            lines.append(f"{key}:")
            lines += [f"  {scalar(child)}: {flow(inner)}" for child, inner in value.items()]
        else:
            lines.append(f"{key}: {flow(value)}")
    lines.append("points:")
    for point in draft.points:
        lines += _point(point)
    return "\n".join(lines) + "\n"


def flow(value: YamlValue) -> str:
    """A value on one line.

    >>> flow({"en": "on", 1: [5, "40001"]})
    '{en: "on", 1: [5, "40001"]}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {flow(child)}" for key, child in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(child) for child in value) + "]"
    return scalar(value)


def scalar(value: YamlValue) -> str:
    """One scalar; text is quoted unless every YAML program reads it as that text."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case Decimal():
            return format(value, "f")
        case _:
            text = str(value)
            if _PLAIN.fullmatch(text) and text.lower() not in _WORDS and parse_yaml(text, "").root == text:
                return text
            return _quoted(text)


_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})


def _point(point: DraftPoint) -> Iterator[str]:
    yield f"  {point.name}:"
    for why in point.assumed:
        yield f"    # assumed: {why}"
    for key, value in point.keys.items():
        is_bits = key == "invalid" and isinstance(value, list)
        yield f"    {key}: {_patterns(value) if is_bits else flow(value)}"


def _patterns(value: YamlValue) -> str:
    """Raw bits in hex, as manuals print them."""
    patterns = value if isinstance(value, list) else []
    return "[" + ", ".join(f"0x{item:04X}" if isinstance(item, int) else flow(item) for item in patterns) + "]"


def _quoted(text: str) -> str:
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else f"\\U{ord(sign):08X}" for sign in escaped)
