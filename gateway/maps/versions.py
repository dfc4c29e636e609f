"""Every state of a map that was ever active, kept beside the data: what to go back to, and who made it."""

import json
import os
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gateway.errors import Finding, MapError
from gateway.maps.schema_types import ID


@dataclass(frozen=True, slots=True, kw_only=True)
class MapVersion:
    """One kept state. `by` is who made it, and who confirmed it where that was another person."""

    number: int
    at: datetime
    by: str
    note: str


class MapVersions:
    """The kept states of all maps in one folder: `<id>/0001.yaml` and what is known of it in `0001.json`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, map_id: str, text: str, *, at: datetime, by: str, note: str) -> MapVersion:
        """Keep `text` as the newest state; the same text as the newest is kept once. Raises MapError if it cannot be written."""
        known = self.all(map_id)
        if known and self.text(map_id, known[-1].number) == text:
            return known[-1]
        number = known[-1].number + 1 if known else 1
        version = MapVersion(number=number, at=at, by=by, note=note)
        try:
            self._place(map_id, number, "yaml").parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._place(map_id, number, "yaml"), text)
            replace_file(
                self._place(map_id, number, "json"), json.dumps({"at": at.isoformat(), "by": by, "note": note}, ensure_ascii=False)
            )
        except OSError as exc:
            raise MapError([_unwritable(self._folder, exc)]) from exc
        return version

    def all(self, map_id: str) -> list[MapVersion]:
        """The kept states, oldest first; none for a map that was never changed here."""
        found = []
        for path in sorted(self._folder_of(map_id).glob("[0-9]*.json")):
            body = json.loads(path.read_text("utf-8"))
            found.append(MapVersion(number=int(path.stem), at=datetime.fromisoformat(body["at"]), by=body["by"], note=body["note"]))
        return sorted(found, key=lambda version: version.number)

    def text(self, map_id: str, number: int) -> str:
        """The text of one state; raises MapError if there is none of this number."""
        try:
            return self._place(map_id, number, "yaml").read_text("utf-8")
        except OSError as exc:
            known = ", ".join(str(version.number) for version in self.all(map_id)) or "none"
            finding = Finding(code="unknown_version", message=f"map {map_id} has no version {number}", fix=f"there are: {known}")
            raise MapError([finding]) from exc

    def _place(self, map_id: str, number: int, ending: str) -> Path:
        return self._folder_of(map_id) / f"{number:04d}.{ending}"

    def _folder_of(self, map_id: str) -> Path:
        if not re.fullmatch(ID, map_id):
            raise MapError([Finding(code="unknown_map", message=f"no map {map_id!r}", fix="an id has small letters, digits, _ and -")])
        return self._folder / map_id


def replace_file(path: Path, text: str) -> None:
    """Write a file whole or not at all; raises OSError."""
    beside = path.with_name(f".{path.name}.new")
    with beside.open("w", encoding="utf-8", newline="") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(path)


def _unwritable(folder: Path, exc: OSError) -> Finding:
    return Finding(code="unwritable", message=f"{folder} cannot be written: {exc.strerror}", fix="check the folder's rights and space")
