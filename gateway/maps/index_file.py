"""Writes the index of the maps into their README: `python -m gateway.maps.index_file registermaps`."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from gateway.maps.inspect import inspect_yaml
from gateway.maps.source import read_source
from gateway.model.point import Access
from gateway.yamlfile import read_yaml

_INDEX = re.compile(
    r"(?<=<!-- index: written by `python -m gateway.maps.index_file registermaps` -->\n).*?(?=<!-- end of index -->)", re.DOTALL
)


def readme_text(folder: Path) -> str:
    """The README of a folder of maps with its index as the maps say it; raises ValueError if it has no place for one."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    if not _INDEX.search(text):
        raise ValueError(f"{folder}/README.md has no place for an index")
    return _INDEX.sub(lambda _: index_text(folder), text)


def index_text(folder: Path) -> str:
    """One row for each map without an error."""
    head = "| id | vendor | model | kind | points | writable | evidence | manual |\n|---|---|---|---|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(row)} |\n" for path in sorted(folder.glob("*.yaml")) for row in _rows(path))


def _rows(path: Path) -> Iterator[tuple[str, ...]]:
    yaml = read_yaml(path)
    found, head = inspect_yaml(yaml).map, read_source(yaml).head
    if found is None or head is None:
        return
    writable = sum(
        point.access is not Access.RO and point.write is not None and point.write.confirm != "never" for point in found.points.values()
    )
    manual = ", ".join(part for part in (head.manual.title, head.manual.revision, head.manual.date) if part)
    level = head.evidence.level if head.evidence else ""
    link = f"[{found.id}]({path.name})"
    yield link, found.vendor, found.model, found.kind, str(len(found.points)), str(writable), level, manual


if __name__ == "__main__":
    maps = Path(sys.argv[1])
    (maps / "README.md").write_text(readme_text(maps), encoding="utf-8")
