"""Register maps from files: one by its path, one by its id, or a folder of them."""

import re
from collections.abc import Sequence
from pathlib import Path

from gateway.errors import Finding, MapError
from gateway.maps.inspect import inspect_map
from gateway.maps.schema_types import ID
from gateway.model.point import RegisterMap


def load_map(path: Path) -> RegisterMap:
    """The map of a file; raises MapError with everything that is wrong with it."""
    inspected = inspect_map(path)
    if inspected.map is None:
        raise MapError([finding for finding in inspected.findings if finding.severity == "error"])
    return inspected.map


def shipped_maps() -> Path:
    """The folder of the maps that come with Busmate."""
    return Path(__file__).resolve().parents[2] / "registermaps"


def find_map(map_id: str, folders: Sequence[Path] = ()) -> Path:
    """The file of map `map_id`, looked for in `folders` and then among the shipped maps; raises MapError."""
    for folder in (*folders, shipped_maps()) if re.fullmatch(ID, map_id) else ():
        path = folder / f"{map_id}.yaml"
        if path.is_file():
            return path
    searched = ", ".join(str(folder) for folder in (*folders, shipped_maps()))
    raise MapError([Finding(code="unknown_map", message=f"no map {map_id}", fix=f"put {map_id}.yaml into one of: {searched}")])


def load_maps(folder: Path) -> dict[str, RegisterMap]:
    """All maps of a folder by id; raises MapError with the findings of all files."""
    findings: list[Finding] = []
    maps: dict[str, RegisterMap] = {}
    for path in sorted(folder.glob("*.yaml")):
        inspected = inspect_map(path)
        if inspected.map is None:
            findings.extend(finding for finding in inspected.findings if finding.severity == "error")
        else:
            maps[inspected.map.id] = inspected.map
    if findings:
        raise MapError(findings)
    return maps
