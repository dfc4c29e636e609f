"""Changes single keys of a map's text and leaves the rest, comments and all, as it was written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from pydantic import JsonValue
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError

from gateway.errors import Finding, MapError

_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")

EditValue = JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Put `value` at `path` (keys, and numbers of list items), or take away what is there."""

    path: tuple[str | int, ...]
    value: EditValue = None
    remove: bool = False


def edited(text: str, edits: Sequence[Edit], file: str = "") -> str:
    """`text` with the edits; raises MapError if it isn't YAML or a path leads nowhere. What it means is checked by the loader."""
    yaml = YAML()
    yaml.version = None
    yaml.preserve_quotes = True
    yaml.width = 10_000
    yaml.indent(mapping=2, sequence=4, offset=2)
    try:
        root = yaml.load(text)
    except YAMLError as exc:
        raise MapError([Finding(code="yaml_syntax", message=str(exc).split("\n", maxsplit=1)[0], fix="mend the YAML", file=file)]) from exc
    for edit in edits:
        _apply(root, edit, file)
    out = StringIO()
    yaml.dump(root, out)
    return out.getvalue()


def _apply(root: object, edit: Edit, file: str) -> None:
    if not edit.path:
        raise _nowhere(edit, file)
    at = root
    for key in edit.path[:-1]:
        at = _child(at, key, edit, file)
    last = edit.path[-1]
    match at:
        case CommentedMap() if edit.remove and last in at:
            del at[last]
        case CommentedMap() if not edit.remove:
            at[last] = _keyed(edit.value)
        case CommentedSeq() if isinstance(last, int) and 0 <= last < len(at):
            if edit.remove:
                del at[last]
            else:
                at[last] = _keyed(edit.value)
        case CommentedSeq() if last == len(at) and not edit.remove:
            at.append(_keyed(edit.value))
        case _:
            raise _nowhere(edit, file)


def _child(at: object, key: str | int, edit: Edit, file: str) -> object:
    match at:
        case CommentedMap() if key in at:
            found: object = at[key]
            return found
        case CommentedMap() if not edit.remove:
            at[key] = CommentedMap()
            made: object = at[key]
            return made
        case CommentedSeq() if isinstance(key, int) and 0 <= key < len(at):
            item: object = at[key]
            return item
        case _:
            raise _nowhere(edit, file)


def _keyed(value: EditValue) -> object:
    """JSON has only text for keys; those that are whole numbers (codes, bits) are written as numbers."""
    match value:
        case dict():
            return {int(key) if _WHOLE.fullmatch(key) else key: _keyed(inner) for key, inner in value.items()}
        case list():
            return [_keyed(inner) for inner in value]
        case _:
            return value


def _nowhere(edit: Edit, file: str) -> MapError:
    path = ".".join(map(str, edit.path))
    fix = "name keys that are in the file, from the top: points.speed.scale"
    return MapError([Finding(code="no_such_path", message=f"nothing can be put at {path or 'the top'}", fix=fix, file=file, path=path)])
