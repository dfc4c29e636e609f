"""Cleaning of text that comes out of a file: nothing invisible, nothing that only a printer wants."""

import re
import unicodedata

_CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f"
_SPACE_IN_CJK = re.compile(rf"(?<=[{_CJK}])\s+(?=[{_CJK}])")
_UNMAPPED = re.compile(r"\(cid:\d+\)")
_DROPPED = {"Cf", "Co", "Cs", "Cn", "Cc"}


def visible(text: str) -> str:
    """`text` without characters that are not seen: format, private use, control (line feed and tab stay).

    A sign that the PDF's font does not name stays as U+FFFD, so that nobody takes the rest of a number for the number.
    """
    named = _UNMAPPED.sub("\ufffd", text).replace("\u2028", "\n").replace("\u2029", "\n")
    return "".join(sign for sign in named if sign in "\n\t" or unicodedata.category(sign) not in _DROPPED)


def one_line(text: str) -> str:
    """`text` on one line: runs of white space become one space, between Chinese characters none."""
    return _SPACE_IN_CJK.sub("", " ".join(visible(text).split()))


def language(text: str) -> str:
    """`zh` if Chinese characters carry the text, else `en`."""
    chinese = sum("\u4e00" <= sign <= "\u9fff" for sign in text)
    latin_words = len(re.findall(r"[A-Za-z]{3,}", text))
    return "zh" if chinese > latin_words else "en"
