"""The documents are true: links lead somewhere, commands and make targets exist, decisions are numbered."""

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from gateway.cli import COMMANDS
from gateway.settings import load_settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("registermaps/*.md")])
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")


def _ids(pages: list[Path]) -> list[str]:
    return [str(page.relative_to(ROOT)) for page in pages]


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_links_lead_to_files(page: Path) -> None:
    assert [target for target in LINK.findall(page.read_text()) if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_commands_exist(page: Path) -> None:
    known = {*COMMANDS, *(entry.name for entry in entry_points(group="busmate.commands"))}
    named = set(re.findall(r"(?:^|[`\s])busmate ([a-z]+)", page.read_text(), re.MULTILINE))
    assert named - known == set()


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_points_of_shipped_configurations_exist(page: Path) -> None:
    for config, tag in re.findall(r"busmate (?:read|write|explain) (configs/\S+\.yaml) (\w+\.\w+)", page.read_text()):
        device, _, name = tag.partition(".")
        points = {one.id: one.map.points for one in load_settings(ROOT / config).devices}
        assert name in points.get(device, {}), f"{config} has no {tag}"


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_make_targets_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)`", page.read_text())) - targets == set()


def test_every_page_is_linked_from_another() -> None:
    linked = {(page.parent / target).resolve() for page in PAGES for target in LINK.findall(page.read_text())}
    reachable = linked | {folder_page for folder in linked if folder.is_dir() for folder_page in folder.glob("*.md")}
    roots = {ROOT / "README.md", ROOT / "CHANGELOG.md"}
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in reachable | roots] == []


def test_decisions_are_numbered_without_gaps_or_twins() -> None:
    numbers = [int(page.name[:4]) for page in sorted((ROOT / "docs/adr").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


def test_nothing_names_a_package_index_or_an_absolute_home() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert not re.search(r"https?://|--index-url|--find-links|file://", lock)
