"""Text in registers: bytes in text order to a string, and back (MAPS 1b, `encoding`, `chars`, `pad`, `length`)."""

from gateway.model.point import TextFormat
from gateway.model.quality import BAD_TEXT, NOT_AVAILABLE

_SINGLE_BYTE = frozenset({"ascii", "latin-1"})


def to_text(data: bytes, form: TextFormat) -> tuple[str | None, str | None]:
    """The text that `data` holds, or None and a reason: all FF is `not_available`, undecodable bytes are `bad_text`."""
    chars = _picked(data, form)
    if chars.strip(b"\xff") == b"":
        return None, NOT_AVAILABLE
    if form.length is not None and form.encoding in _SINGLE_BYTE:
        chars = chars[: form.length]
    chars = chars.partition(b"\0")[0]
    try:
        text = chars.decode(form.encoding)
    except UnicodeDecodeError:
        return None, BAD_TEXT
    text = text[: form.length]
    return (text.rstrip(" ") if form.pad == "space" else text), None


def to_data(text: str, words: int, form: TextFormat) -> bytes | None:
    """`words` registers that hold `text`, padded; None if it is too long. Raises UnicodeEncodeError."""
    chars = text.encode(form.encoding)
    room = words * 2 if form.chars == "packed" else words
    if len(chars) > room or (form.length is not None and len(text) > form.length):
        return None
    chars = chars.ljust(room, b" " if form.pad == "space" else b"\0")
    if form.chars == "packed":
        return chars
    data = bytearray(words * 2)
    data[1 if form.chars == "low" else 0 :: 2] = chars
    return bytes(data)


def _picked(data: bytes, form: TextFormat) -> bytes:
    match form.chars:
        case "packed":
            return data
        case "low":
            return data[1::2]
        case "high":
            return data[0::2]
