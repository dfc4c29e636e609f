"""Words of other files as names, texts and units of a map."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

_LONGEST_NAME = 60
_LONGEST_TEXT = 300
_SIGNS = {
    "°C": "degC", "\u2103": "degC", "°F": "degF", "\u2109": "degF", "°": "deg", "\u03a9": "Ohm", "\u2126": "Ohm",
    "\u00b5": "u", "\u03bc": "u", "³": "3", "²": "2", "％": "%", "·": ".",
}  # fmt: skip


def clean(text: str) -> str:
    r"""One line of visible text: no control or format signs, single spaces, not too long.

    >>> clean(" Flow\u200b \n rate ")
    'Flow rate'
    """
    spaced = " ".join(text.split())
    visible = "".join(sign for sign in spaced if unicodedata.category(sign) not in ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"))
    return visible[:_LONGEST_TEXT].strip()


def point_name(label: str, fallback: str, taken: set[str]) -> str:
    """A name of its own for a point, kept in `taken`; `fallback` where the label has no letters for one.

    >>> point_name("Flow Rate (m3/h)", "p1", {"flow_rate_m3_h"})
    'flow_rate_m3_h_2'
    >>> point_name("温度", "holding_3", set())
    'holding_3'
    """
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", label))
    word = re.sub(r"[^a-z0-9]+", "_", "".join(sign for sign in plain if sign.isascii()).lower()).strip("_")[:_LONGEST_NAME].rstrip("_")
    if not word or not re.search("[a-z0-9]", word):
        word = fallback
    if not word[0].isalpha():
        word = f"p_{word}"
    name, number = word, 1
    while name in taken:
        number += 1
        name = f"{word}_{number}"
    taken.add(name)
    return name


def map_id(text: str) -> str:
    """A map id from any words.

    >>> map_id("SDM 630 (v2).csv")
    'sdm-630-v2-csv'
    """
    word = re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")
    return word if word[:1].isalpha() else f"map-{word}".rstrip("-")


def ascii_unit(text: str) -> str | None:
    """The unit in ASCII, or None if it can't be one.

    >>> ascii_unit("m³/h"), ascii_unit("°C"), ascii_unit("кВт")
    ('m3/h', 'degC', None)
    """
    plain = re.sub("|".join(map(re.escape, _SIGNS)), lambda match: _SIGNS[match[0]], text)
    return plain if plain.isascii() and len(plain) <= 20 else None


def labels(pairs: Iterable[tuple[int, str]]) -> Mapping[str | int, str]:
    """An enum with a label of its own for each code.

    >>> labels([(0, "off"), (1, "reserved"), (2, "reserved")])
    {0: 'off', 1: 'reserved', 2: 'reserved (2)'}
    """
    found: dict[str | int, str] = {}
    for code, text in pairs:
        label = clean(text) or str(code)
        found[code] = f"{label} ({code})" if label in found.values() else label
    return found
