"""The files of maps as an engineer changes them: found, tried beside the real ones, written whole or not at all."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.errors import ConfigError, Finding, MapError
from gateway.maps.diff import Change, diff_maps
from gateway.maps.inspect import Inspected, inspect_yaml
from gateway.maps.library import check_vectors
from gateway.maps.load import find_map, shipped_maps
from gateway.maps.versions import replace_file
from gateway.yamlfile import parse_yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class MapText:
    """A map's file as it stands. `digest` names this state, `is_shipped` says that it is one that ships."""

    id: str
    text: str
    file: str
    digest: str
    is_shipped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A wanted text of a map. `base` is the digest of the text it was made from, empty for a new map."""

    map: str
    text: str
    base: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A draft that is right by itself: what it changes, and the folder in which the whole plant can be tried with it."""

    changes: tuple[Change, ...]
    warnings: tuple[Finding, ...]
    folder: Path
    is_same: bool


class MapFiles:
    """Maps of the configuration's own folders (asked for anew, for a reload may change them) and those that ship."""

    def __init__(self, folders: Callable[[], Sequence[Path]], drafts: Path) -> None:
        self._folders = folders
        self._drafts = drafts
        self._undo: dict[str, str | None] = {}

    def ids(self) -> list[tuple[str, bool]]:
        """All maps by id, and whether each ships."""
        own = {path.stem for folder in self._folders() for path in folder.glob("*.yaml")}
        shipped = {path.stem for path in shipped_maps().glob("*.yaml")}
        return [(name, name not in own) for name in sorted(own | shipped)]

    def read(self, map_id: str) -> MapText:
        """The text of a map; raises MapError."""
        path = find_map(map_id, self._folders())
        text = _text(path)
        shipped = path.parent == shipped_maps()
        return MapText(id=map_id, text=text, file=str(path), digest=digest_of(text), is_shipped=shipped)

    def check(self, text: str) -> tuple[Finding, ...]:
        """Every error and warning of a text."""
        named = re.search(r"^id:\s*([a-z][a-z0-9_-]*)", text, re.MULTILINE)
        return _inspected(text, f"{named[1] if named else 'map'}.yaml").findings

    def tried(self, draft: Draft) -> Tried:
        """A draft held against itself, its vectors and the map it replaces; raises MapError with everything that is wrong."""
        target = self._target(draft.map)
        old = self._old(draft.map)
        if draft.base != (old.digest if old else ""):
            finding = Finding(code="changed_meanwhile", message=f"map {draft.map} is not the one this was made from", fix="read it again")
            raise MapError([finding])
        inspected = _inspected(draft.text, str(target))
        errors = [finding for finding in inspected.findings if finding.severity == "error"]
        new = inspected.map
        if new is None or errors:
            raise MapError(errors)
        wrong = [finding for finding in check_vectors(target, new) if finding.severity == "error"]
        if wrong:
            raise MapError(wrong)
        before = _inspected(old.text, old.file).map if old else None
        self._drafts.mkdir(parents=True, exist_ok=True)
        folder = self._drafts / draft.map
        folder.mkdir(exist_ok=True)
        replace_file(folder / f"{draft.map}.yaml", draft.text)
        warnings = tuple(finding for finding in inspected.findings if finding.severity != "error")
        return Tried(
            changes=diff_maps(before, new) if before is not None else (),
            warnings=warnings,
            folder=folder,
            is_same=old is not None and old.text == draft.text,
        )

    def old_text(self, map_id: str) -> str | None:
        """The text as it stands; None for a map that is new."""
        old = self._old(map_id)
        return old.text if old else None

    def write(self, draft: Draft) -> None:
        """Put the draft in the place of the map, in the configuration's own folder; raises MapError."""
        target = self._target(draft.map)
        self._undo[draft.map] = _text(target) if target.is_file() else None
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(target, draft.text)
        except OSError as exc:
            finding = Finding(code="unwritable", message=f"{target}: {exc.strerror}", fix="check the folder's rights and space")
            raise MapError([finding]) from exc

    def undo(self, draft: Draft) -> None:
        """Take the last write of the map back."""
        target, text = self._target(draft.map), self._undo.pop(draft.map)
        if text is None:
            target.unlink()
        else:
            replace_file(target, text)

    def _target(self, map_id: str) -> Path:
        folders = self._folders()
        if not folders:
            fix = "add `maps: [./maps]` to the configuration; maps that ship are never changed in place"
            raise MapError([Finding(code="no_map_folder", message="the configuration has no folder of its own for maps", fix=fix)])
        return next(
            (folder / f"{map_id}.yaml" for folder in folders if (folder / f"{map_id}.yaml").is_file()), folders[0] / f"{map_id}.yaml"
        )

    def _old(self, map_id: str) -> MapText | None:
        return self.read(map_id) if (map_id, True) in (known := self.ids()) or (map_id, False) in known else None


def digest_of(text: str) -> str:
    """Names a state of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _inspected(text: str, file: str) -> Inspected:
    try:
        return inspect_yaml(parse_yaml(text, file))
    except ConfigError as exc:
        return Inspected(map=None, findings=exc.findings)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        raise MapError([Finding(code="unreadable", message=str(exc), fix="check the file", file=str(path))]) from exc
