"""One tokenizer for English and Chinese: codes whole, English words by stem, Chinese by pairs of characters."""

import re
import unicodedata
from pathlib import Path

_TOKEN = re.compile(
    r"0x[0-9a-f]+"
    r"|[a-z]{1,5}\d{0,3}(?:[-.]\d+)+(?![a-z0-9-])"  # P1-07, P1.07
    r"|[a-z]+\d+[a-z0-9]*(?:-[a-z0-9]+)*"  # F07, VX200, VX200-4-15K
    r"|[a-z]+(?:'[a-z]+)?"
    r"|\d+(?:[.,]\d+)*"
    r"|[\u4e00-\u9fff]+"
)
_CODE = re.compile(r"^(?:0x[0-9a-f]+|[a-z]{1,5}\d{0,3}[-.]\d+|[a-z]{1,4}\d{1,4}[a-z]?|\d{4,6})$")
STOP_WORDS = frozenset(Path(__file__).with_name("stopwords.txt").read_text("utf-8").split())
"""English words, and Chinese ones, that say nothing of what is asked about."""

_STOP_SIGNS = re.compile("[的了吗呢吧啊和与及或在是有被把对从到就也都还很]")


def tokens(text: str) -> list[str]:
    """The words of `text` in order, with repeats; what the index holds and what a query asks for are made alike."""
    found: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).lower()):
        word = match[0]
        if is_chinese(word):
            found += _pairs(word)
        elif word[0].isdigit() or is_code(word):
            found.append(word.replace(",", ""))
        elif word not in STOP_WORDS:
            found.append(_stem(word))
    return found


def is_code(token: str) -> bool:
    """True for what names one thing exactly: P1-07, F07, 0x2001, 40021, VX200."""
    return bool(_CODE.match(token))


def is_chinese(token: str) -> bool:
    """True for a token of Chinese characters."""
    return "\u4e00" <= token[0] <= "\u9fff"


def codes(text: str) -> frozenset[str]:
    """The codes in `text`."""
    return frozenset(token for token in tokens(text) if is_code(token))


def _pairs(run: str) -> list[str]:
    pairs: list[str] = []
    for part in _STOP_SIGNS.split(run):
        if len(part) == 1:
            pairs.append(part)
        pairs += [part[at : at + 2] for at in range(len(part) - 1)]
    return pairs


def _stem(word: str) -> str:
    """English words without plural, -ing and -ed, so that `registers` finds `register`."""
    word = word.removesuffix("'s")
    for suffix, left in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith(("ss", "us", "is")):
            return (word.removesuffix(suffix) + left).removesuffix("e")
    return word.removesuffix("e") if len(word) > 4 else word
