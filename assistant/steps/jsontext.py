"""JSON as a model writes it, read without ever changing or dropping an argument.

Full-width punctuation outside strings is understood; anything else that is not strict JSON is a fault with a precise message.
"""

import json
import math
from decimal import Decimal

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

MAX_CHARS = 8000

_QUOTES = {'"': '"', "“": "”＂", "”": "”", "＂": "＂"}
_FIRST_FULL_WIDTH, _LAST_FULL_WIDTH = 0xFF01, 0xFF5E


class JsonFault(ValueError):
    """The text is not one strict JSON object; the message says what to mend."""


def half_width(text: str) -> str:
    """`text` with full-width ASCII forms and the ideographic space as plain ASCII; nothing else is touched.

    >>> half_width("Ａｃｔｉｏｎ：４５²")
    'Action:45²'
    """
    return "".join(
        chr(ord(sign) - 0xFEE0) if _FIRST_FULL_WIDTH <= ord(sign) <= _LAST_FULL_WIDTH else " " if sign == "\u3000" else sign
        for sign in text
    )


def read_object(text: str) -> dict[str, Json]:
    """The object that `text` is; raises JsonFault.

    >>> read_object('｛“point”：“sp”，“value”：45｝')
    {'point': 'sp', 'value': 45}
    """
    if len(text) > MAX_CHARS:
        raise JsonFault(f"the JSON is longer than {MAX_CHARS} characters")
    try:
        value = json.loads(
            _plain(text.strip()),
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_exact_float,
            parse_int=_bounded_int,
        )
    except json.JSONDecodeError as exc:
        raise JsonFault(f"not valid JSON ({exc.msg} near {exc.doc[max(0, exc.pos - 10) : exc.pos + 20]!r})") from exc
    except RecursionError as exc:
        raise JsonFault("the JSON is nested too deeply") from exc
    if not isinstance(value, dict):
        raise JsonFault("it must be one JSON object in braces")
    return value


def _plain(text: str) -> str:
    """Full-width punctuation outside strings made ASCII, curly quotes made straight; strings themselves stay as they are."""
    out: list[str] = []
    closing = ""
    escaped = False
    for sign in text:
        if not closing:
            closing = _QUOTES.get(sign, "")
            out.append('"' if closing else half_width(sign))
        elif escaped:
            escaped = False
            out.append(sign)
        elif sign == "\\":
            escaped = True
            out.append(sign)
        elif sign in closing:
            closing = ""
            out.append('"')
        else:
            out.append('\\"' if sign == '"' else sign)
    return "".join(out)


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise JsonFault(f"the key {twice[0]!r} is given twice")
    return dict(pairs)


def _refuse_constant(word: str) -> Json:
    raise JsonFault(f"{word} is not a number")


def _exact_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value) or Decimal(repr(value)) != Decimal(digits):
        raise JsonFault(f"the number {digits[:40]} cannot be held exactly; write at most 15 digits")
    return value


def _bounded_int(digits: str) -> int:
    if len(digits) > 20:
        raise JsonFault(f"the number {digits[:40]} is too long")
    return int(digits)
