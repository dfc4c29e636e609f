"""Names of byte and word order in other programs as ours (MAPS 5)."""

from gateway.model.codec import TYPES
from gateway.model.point import DataType

_BY_SWAPS = {(False, False): "ABCD", (False, True): "CDAB", (True, False): "BADC", (True, True): "DCBA"}
_LETTERS = {
    "AB": "ABCD", "BA": "BADC", "ABCD": "ABCD", "CDAB": "CDAB", "BADC": "BADC", "DCBA": "DCBA",
    "ABCDEFGH": "ABCD", "GHEFCDAB": "CDAB", "BADCFEHG": "BADC", "HGFEDCBA": "DCBA", "EFGHABCD": "EFGHABCD", "CDABGHEF": "CDABGHEF",
}  # fmt: skip
ORDERS = ("ABCD", "CDAB", "BADC", "DCBA", "EFGHABCD", "CDABGHEF")


def by_swaps(*, bytes_swapped: bool, words_swapped: bool) -> str:
    """The order of a value whose bytes are swapped in each register, whose registers come low first, both or neither."""
    return _BY_SWAPS[bytes_swapped, words_swapped]


def by_letters(letters: str) -> str | None:
    """The order that two, four or eight letters spell; None for other text.

    >>> by_letters("GHEFCDAB"), by_letters("BA"), by_letters("LE")
    ('CDAB', 'BADC', None)
    """
    return _LETTERS.get(letters.strip().upper())


def is_wide(type_name: str) -> bool:
    """True for numbers of more than one register, to which the order of words matters."""
    return (TYPES[DataType(type_name)].words or 1) > 1 if type_name not in ("bool", "string", "bytes") else False


def width(type_name: str) -> int | None:
    """The registers of a type; None if it has no fixed number."""
    return 1 if type_name == "bool" else TYPES[DataType(type_name)].words
