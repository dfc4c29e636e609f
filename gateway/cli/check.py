"""`busmate check`: every error and warning of maps and configurations at once."""

import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.output import finding_document, finding_line, print_json
from gateway.errors import ConfigError, Finding
from gateway.maps.inspect import inspect_yaml
from gateway.maps.library import check_vectors, stray_vectors
from gateway.maps.sarif import to_sarif
from gateway.settings import inspect_settings
from gateway.yamlfile import YamlValue, read_yaml


def check(
    paths: Annotated[list[Path], typer.Argument(help="Maps, folders of maps, or configurations.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="One SARIF 2.1.0 document.")] = False,
) -> None:
    """Every error and warning at once; ends with 1 if there is an error."""
    findings = list(dict.fromkeys(finding for path in paths for finding in _check(path)))
    errors = [finding for finding in findings if finding.severity == "error"]
    warnings = [finding for finding in findings if finding.severity == "warning"]
    if sarif:
        print_json(to_sarif(findings, version("busmate")))
    elif as_json:
        print_json(
            {"errors": [finding_document(finding) for finding in errors], "warnings": [finding_document(finding) for finding in warnings]}
        )
    else:
        sys.stdout.writelines(f"{finding_line(finding)}\n" for finding in findings)
        sys.stdout.write(f"{_count(len(errors), 'error')}, {_count(len(warnings), 'warning')}\n")
    raise typer.Exit(1 if errors else 0)


def _check(path: Path) -> Iterator[Finding]:
    if not path.exists():
        yield Finding(code="unreadable", message="no such file or folder", fix="check the path", file=str(path))
    elif path.is_dir():
        files = sorted([*path.glob("*.yaml"), *path.glob("*.yml")])
        if not files:
            yield Finding(
                code="nothing_found",
                message="no .yaml file in this folder",
                fix="name a map, a configuration or their folder",
                file=str(path),
            )
        for file in files:
            yield from _check_file(file)
        yield from stray_vectors(path)
    else:
        yield from _check_file(path)


def _check_file(path: Path) -> Sequence[Finding]:
    try:
        yaml = read_yaml(path)
    except ConfigError as exc:
        return exc.findings
    if _is_configuration(yaml.root):
        return inspect_settings(path)[1]
    inspected = inspect_yaml(yaml)
    return inspected.findings if inspected.map is None else [*inspected.findings, *check_vectors(path, inspected.map)]


def _is_configuration(root: YamlValue) -> bool:
    """A configuration has links, devices or a site, and no points."""
    return (
        isinstance(root, dict) and root.keys().isdisjoint(("regmap", "points")) and not root.keys().isdisjoint(("links", "devices", "site"))
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
