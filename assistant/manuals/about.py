"""What a manual says of itself on its first pages: title, revision, device models, language."""

import re
from collections.abc import Iterable
from pathlib import Path

from assistant.manuals.blocks import ParsedFile
from assistant.manuals.passage import Lang
from assistant.manuals.plaintext import language

_REVISION = re.compile(r"(?:revision|version|rev\.?|版本号?|版次|修订)\s*[:：]\s*((?:rev\.?\s*|第)?[\w.\-]{1,20})", re.IGNORECASE)
_MODEL = re.compile(r"(?:model|type|型号|产品型号)\s*[:：]\s*([A-Za-z][\w\-/]{1,30})", re.IGNORECASE)
_FIRST_PAGES = 2


def doc_id(file_name: str) -> str:
    """The name a manual goes by: its file's name without the ending, free of what would need quoting."""
    return re.sub(r"[^\w.\-]+", "-", Path(file_name).stem).strip("-.")[:100] or "manual"


def title_of(parsed: ParsedFile, file_name: str) -> str:
    """The title in the file's properties, else its first heading, else its name."""
    return (parsed.title or doc_id(file_name))[:200]


def revision_of(parsed: ParsedFile) -> str:
    """The revision on the first pages; empty if none is printed."""
    found = _REVISION.search(_first_text(parsed))
    return found[1] if found else ""


def models_of(parsed: ParsedFile, file_name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The device models the manual is for: those of the plant that its first page or name mentions, else what it calls its model.

    Empty means that the manual names no model; it then counts for every device.
    """
    text = f"{parsed.title} {parsed.keywords} {doc_id(file_name)} {_first_text(parsed)}".casefold()
    named = tuple(sorted({model for model in known if _mentions(text, model.casefold())}))
    if named:
        return named
    found = _MODEL.search(_first_text(parsed))
    return (found[1],) if found else ()


def language_of(parsed: ParsedFile) -> Lang:
    """The language most of the text is in."""
    text = " ".join(block.text or " ".join(" ".join(row) for row in block.rows) for page in parsed.pages[:40] for block in page.blocks)
    return "zh" if language(text) == "zh" else "en"


def _mentions(text: str, model: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(model)}(?![a-z0-9])", text) is not None


def _first_text(parsed: ParsedFile) -> str:
    return "\n".join(block.text for page in parsed.pages[:_FIRST_PAGES] for block in page.blocks)
