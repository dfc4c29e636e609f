"""Words for a value: the label of an enum, the flags that are set, the fields of a word."""

from collections.abc import Callable, Mapping

from gateway.model.codec import TYPES
from gateway.model.point import FieldOf, Flag, Point, Text
from gateway.model.sample import Label, Scalar

Words = Callable[[Text], str]


def label_of(point: Point, value: Scalar | None) -> Label:
    """The label programs get: English words, a list of flags, an object of fields; None if the point has none.

    A word with both fields and flags gives the object, with the list under `flags`.
    """
    return _label(point, value, lambda text: text.in_("en"))


def label_text(point: Point, value: Scalar | None) -> Text:
    """The label people get, in both languages; empty if the point has none."""
    return Text(
        en=_joined(_label(point, value, lambda text: text.in_("en"))), zh=_joined(_label(point, value, lambda text: text.in_("zh")))
    )


def field_value(field: FieldOf, word: int) -> int:
    """The number of one field of `word`: by bits shifted down, by mask not shifted."""
    if field.bits is not None:
        high, low = max(field.bits), min(field.bits)
        return word >> low & (1 << high - low + 1) - 1
    return word & (field.mask or 0)


def _label(point: Point, value: Scalar | None, words: Words) -> Label:
    if value is None or isinstance(value, str):
        return None
    if point.fields:
        word = _word(point, value)
        parts: dict[str, object] = {field.name: _field(field, word, words) for field in point.fields}
        if point.flags:
            parts["flags"] = _set_flags(point.flags, word & ~_owned(point), words)
        return parts
    if point.flags:
        return _set_flags(point.flags, _word(point, value), words)
    return _enum(point.enum, value, words) if point.enum else None


def _owned(point: Point) -> int:
    """The bits that fields explain and no flag names: set, they are no unknown flags."""
    owned = 0
    for field in point.fields:
        if field.bits is not None:
            owned |= (1 << max(field.bits) + 1) - (1 << min(field.bits))
        owned |= field.mask or 0
    return owned & ~sum(1 << bit for bit in point.flags)


def _field(field: FieldOf, word: int, words: Words) -> str | list[str] | int:
    number = field_value(field, word)
    if field.flags:
        return _set_flags(field.flags, number, words)
    return _enum(field.enum, number, words) if field.enum else number


def _enum(enum: Mapping[int, Text], value: Scalar, words: Words) -> str:
    for code, text in enum.items():
        if code == value:
            return words(text)
    return f"unknown({int(value) if isinstance(value, bool) else value})"


def _set_flags(flags: Mapping[int, Flag], word: int, words: Words) -> list[str]:
    return [words(flags[bit].text) if bit in flags else f"bit{bit}" for bit in range(word.bit_length()) if word >> bit & 1]


def _word(point: Point, value: bool | float | int | Scalar) -> int:
    """The bits of `value` without sign."""
    width = TYPES[point.type].bits or point.words * 16
    return int(value) & (1 << width) - 1


def _joined(label: Label) -> str:
    match label:
        case None:
            return ""
        case str():
            return label
        case list():
            return ", ".join(label)
        case dict():
            return ", ".join(f"{name}: {', '.join(part) if isinstance(part, list) else part}" for name, part in label.items())
