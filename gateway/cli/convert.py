"""`busmate convert`: register maps from and to other formats."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from gateway.cli.output import fail, fail_with, print_json
from gateway.errors import ConfigError, Finding, MapError
from gateway.maps.convert import discover
from gateway.maps.convert.draft.base import Converter, Options
from gateway.maps.convert.draft.draft import Note
from gateway.maps.convert.draft.orders import ORDERS
from gateway.maps.convert.draft.result import Identity, Imported, finished
from gateway.maps.convert.draft.source import Source
from gateway.maps.inspect import inspect_yaml
from gateway.yamlfile import YamlFile, parse_yaml, read_yaml


def convert(
    what: Annotated[list[str], typer.Argument(metavar="FORMAT FILE", help="Format and file; a map's file alone with --to.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write; absent: standard output.")] = None,
    to: Annotated[str | None, typer.Option("--to", help="Format to write; absent: a register map.")] = None,
    notation: Annotated[
        Literal["pdu", "reg", "ref"] | None, typer.Option(help="How the file writes addresses, where it does not say.")
    ] = None,
    base: Annotated[int | None, typer.Option(min=0, max=1, help="From what its addresses count, where it does not say.")] = None,
    order: Annotated[str | None, typer.Option(help="Byte and word order, where it does not say: ABCD, CDAB, BADC, DCBA, ...")] = None,
    unit: Annotated[int | None, typer.Option(min=0, max=255, help="Unit id of the device to take, of a file that has several.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="What only the other program's pages say.")
    ] = None,
    map_id: Annotated[str, typer.Option("--id", help="The map's id; absent: from the file's name.")] = "",
    vendor: Annotated[str, typer.Option(help="Who makes the device.")] = "",
    model: Annotated[str, typer.Option(help="Its model.")] = "",
    kind: Annotated[str, typer.Option(help="What it is: drive, energy_meter, ...")] = "",
    force: Annotated[bool, typer.Option("--force", help="Write over a file that exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Register maps from and to other formats; what a format leaves open is asked for, never guessed."""
    formats = discover()
    if order is not None and order not in ORDERS:
        raise typer.BadParameter(f"--order is one of {', '.join(ORDERS)}")
    writer = _format(formats, to, "write") if to is not None else None
    try:
        _may_write(out, force=force)
        if len(what) == 1 and writer is not None:
            file, imported = read_yaml(Path(what[0])), None
        elif len(what) == 2:
            reader = _format(formats, what[0], "read")
            options = Options(
                notation=notation,
                base=1 if base == 1 else 0 if base == 0 else None,
                order=order,
                unit_id=unit,
                settings=_settings(reader, setting or []),
            )
            identity = Identity(id=map_id or (out.stem if out and to is None else ""), vendor=vendor, model=model, kind=kind)
            imported = read_map(reader, Path(what[1]), options, identity)
            file = parse_yaml(imported.text, f"{imported.map.id}.yaml")
        else:
            raise typer.BadParameter(f"give FORMAT FILE, or --to FORMAT FILE; formats: {', '.join(formats)}")
        notes = imported.notes if imported is not None else ()
        content = imported.text.encode() if imported is not None else b""
        if writer is not None:
            content, more = _exported(writer, file)
            notes = (*notes, *more)
        _put(content, out, notes, imported, as_json=as_json)
    except ConfigError as exc:
        fail_with(exc, as_json=as_json)


def read_map(converter: Converter, path: Path, options: Options, identity: Identity) -> Imported:
    """The register map of a file in another format; raises MapError."""
    if converter.read is None:
        raise AssertionError(converter.name)
    return finished(converter.read(Source.open(converter.name, path), options), identity)


def _exported(converter: Converter, file: YamlFile) -> tuple[bytes, tuple[Note, ...]]:
    inspected = inspect_yaml(file)
    if inspected.map is None:
        raise MapError([finding for finding in inspected.findings if finding.severity == "error"])
    if converter.write is None:
        raise AssertionError(converter.name)
    exported = converter.write(file, inspected.map)
    return exported.content, exported.notes


def _format(formats: Mapping[str, Converter], name: str, direction: Literal["read", "write"]) -> Converter:
    able = [known for known, converter in formats.items() if (converter.read if direction == "read" else converter.write)]
    if name not in able:
        raise typer.BadParameter(f"can't {direction} the format {name!r}; it can {direction} {', '.join(able)}")
    return formats[name]


def _settings(converter: Converter, given: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or name not in converter.settings:
            known = ", ".join(sorted(converter.settings)) or "it has none"
            raise typer.BadParameter(f"--set {text}: {converter.name} has the settings {known}")
        found[name] = value
    return found


def _may_write(out: Path | None, *, force: bool) -> None:
    if out is not None and out.exists() and not force:
        raise MapError(
            [Finding(code="exists", message="the file is there already", fix="choose another name, or add --force", file=str(out))]
        )


def _put(content: bytes, out: Path | None, notes: tuple[Note, ...], imported: Imported | None, *, as_json: bool) -> None:
    is_text = not content.startswith(b"PK")
    if out is not None:
        try:
            out.write_bytes(content)
        except OSError as exc:
            fail("unwritable", f"{out}: {exc.strerror}", fix="check the folder and its rights", as_json=as_json)
    elif not is_text:
        fail("binary", "a workbook can't be printed", fix="give -o FILE.xlsx", as_json=as_json)
    if as_json:
        rows = [{"kind": note.kind, "line": note.line, "what": note.what, "why": note.why} for note in notes]
        warnings = len(imported.warnings) if imported else 0
        print_json(
            {
                "id": imported.map.id if imported else None,
                "points": len(imported.map.points) if imported else None,
                "file": str(out) if out else None,
                "text": content.decode() if out is None else None,
                "notes": rows,
                "warnings": warnings,
            }
        )
        return
    if out is None:
        sys.stdout.write(content.decode())
    sys.stderr.writelines(f"{note}\n" for note in notes)
    if imported is not None:
        sys.stderr.write(f"{len(imported.map.points)} points, {len(imported.warnings)} warnings; `busmate check` lists them\n")
