"""`busmate audit`: is the audit whole, and a copy of it for people."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

from gateway.cli.output import fail, fail_with, print_json
from gateway.clock import SystemClock
from gateway.errors import GatewayError, StoreError
from gateway.service.audit_copy import HEADER, csv_line, csv_row, json_row
from gateway.settings import Settings, load_settings
from gateway.store.audit import Audit
from gateway.store.base import Anchor, AuditCheck, AuditFiles, AuditRecord
from gateway.store.engine import Store


class Action(StrEnum):
    """What to do with the audit."""

    VERIFY = "verify"
    EXPORT = "export"


def audit(
    action: Annotated[Action, typer.Argument(help="verify: is every record as it was written? export: all records as CSV")],
    config: Annotated[Path, typer.Argument(help="a configuration")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="export into this file")] = None,
    anchor: Annotated[list[str] | None, typer.Option(help="a signed head kept elsewhere, SEQ:MAC:SIGNATURE, to verify against")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """The chain of the audit; exit status 1 if it is broken."""
    try:
        settings = load_settings(config)
        if action is Action.VERIFY:
            check = asyncio.run(_verify(settings, [_anchor(text) for text in anchor or ()]))
        else:
            asyncio.run(_export(settings, out, as_json=as_json))
            return
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    _print_check(check, as_json=as_json)
    raise typer.Exit(0 if check.ok else 1)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[tuple[Store, Audit]]:
    """The store and audit of a configuration, beside a gateway that may be running on them."""
    clock = SystemClock()
    async with await Store.open(settings.store_url) as store:
        yield (
            store,
            await Audit.open(store, AuditFiles(key=settings.data_dir / "audit.key", anchor=settings.data_dir / "audit.anchor"), clock),
        )


async def _verify(settings: Settings, anchors: list[Anchor]) -> AuditCheck:
    _must_exist(settings)
    async with opened(settings) as (_, chain):
        return await chain.verify(anchors)


async def _export(settings: Settings, out: Path | None, *, as_json: bool) -> None:
    _must_exist(settings)
    async with opened(settings) as (_, chain):
        records = [record async for record in chain.walk()]
        head = await chain.head()
    if as_json:
        rows = [json_row(record) for record in records]
        print_json({"records": rows, "head": {"seq": head.seq, "mac": head.mac, "signature": head.signature}})
        return
    if out is None:
        _write_csv(records, sys.stdout)
    else:
        with out.open("w", encoding="utf-8-sig", newline="") as file:
            _write_csv(records, file)
    sys.stderr.write(f"{len(records)} records; keep this signed head elsewhere: {head.seq}:{head.mac}:{head.signature}\n")


def _must_exist(settings: Settings) -> None:
    if not (settings.data_dir / "audit.key").exists() and not (settings.data_dir / "audit.anchor").exists():
        raise StoreError(
            f"there is no audit in {settings.data_dir}", fix="it begins with the first run of the gateway, or the first account"
        )


def _write_csv(records: list[AuditRecord], file: TextIO) -> None:
    file.write(csv_line(HEADER))
    file.writelines(map(csv_row, records))


def _anchor(text: str) -> Anchor:
    parts = text.split(":")
    if len(parts) != 3 or not parts[0].isdigit():
        fail("USAGE", f"{text!r} is no signed head", fix="write it as exported: SEQ:MAC:SIGNATURE", status=2)
    return Anchor(seq=int(parts[0]), mac=parts[1], signature=parts[2])


def _print_check(check: AuditCheck, *, as_json: bool) -> None:
    if as_json:
        document: dict[str, object] = {"ok": check.ok, "records": check.records, "first_bad": check.first_bad}
        print_json(document if check.ok else {**document, "message": check.message})
    elif check.ok:
        print(f"the audit is whole: {check.records} records")
    else:
        print(f"the audit is broken: {check.message}")
