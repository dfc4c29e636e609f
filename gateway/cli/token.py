"""`busmate token`: tokens of programs, for whoever may read the data folder."""

import asyncio
import getpass
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.audit import opened
from gateway.cli.output import fail, fail_with, print_json
from gateway.clock import SystemClock
from gateway.errors import GatewayError
from gateway.model.point import Role
from gateway.settings import Settings, load_settings
from gateway.store.base import ApiToken, Scope
from gateway.store.tokens import Tokens


class Action(StrEnum):
    """What to do with tokens."""

    MAKE = "make"
    LIST = "list"
    REVOKE = "revoke"


def token(
    action: Annotated[Action, typer.Argument(help="make prints the token once, on standard output")],
    config: Annotated[Path, typer.Argument(help="a configuration")],
    name: Annotated[str, typer.Argument(help="the token's name; stands in the audit")] = "",
    scope: Annotated[Scope | None, typer.Option(help="for make: read, or also propose; no token confirms")] = None,
    role: Annotated[Role | None, typer.Option(help="for make: viewer, operator or engineer")] = None,
    days: Annotated[int | None, typer.Option(help="for make: how long it lives, a year at most")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """Tokens of programs (CI, MCP), sent as `Authorization: Bearer TOKEN`."""
    if action is not Action.LIST and not name:
        fail("USAGE", f"token {action} needs the token's name", fix=f"busmate token {action} CONFIG NAME", as_json=as_json, status=2)
    if action is Action.MAKE and (scope is None or role is None or days is None):
        fail("USAGE", "token make needs a scope, a role and an end", fix="--scope read --role viewer --days 30", as_json=as_json, status=2)
    try:
        settings = load_settings(config)
        text, found = asyncio.run(_do(settings, action, name, scope or Scope.READ, role or Role.VIEWER, days or 0))
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    _show(text, found, as_json=as_json)


async def _do(settings: Settings, action: Action, name: str, scope: Scope, role: Role, days: int) -> tuple[str, Sequence[ApiToken]]:
    """Act, and give a new token's text and the tokens concerned."""
    by = f"terminal:{getpass.getuser()}"
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    text = ""
    async with opened(settings) as (store, audit):
        tokens = Tokens(store, audit, SystemClock())
        match action:
            case Action.MAKE:
                text, _ = await tokens.make(name, scope, role, days, by=by)
            case Action.REVOKE:
                await tokens.revoke(name, by=by)
            case Action.LIST:
                pass
        return text, [one for one in await tokens.all() if not name or one.name == name]


def _show(text: str, found: Sequence[ApiToken], *, as_json: bool) -> None:
    if as_json:
        print_json([_row(one) | ({"token": text} if text else {}) for one in found])
        return
    if text:
        print(text)
        sys.stderr.write("keep it now: it cannot be shown again\n")
        return
    for one in found:
        state = f"ended by {one.ended_by}" if one.ended_by else f"until {one.expires_at:%Y-%m-%d %H:%M}Z"
        used = f"last used {one.last_used_at:%Y-%m-%d %H:%M}Z" if one.last_used_at else "never used"
        print(f"{one.name} {one.scope} {one.role} {state}, {used}, made by {one.by}")


def _row(one: ApiToken) -> dict[str, object]:
    return {
        "name": one.name,
        "scope": str(one.scope),
        "role": str(one.role),
        "by": one.by,
        "created_at": one.created_at.isoformat(),
        "expires_at": one.expires_at.isoformat(),
        "last_used_at": one.last_used_at.isoformat() if one.last_used_at else None,
        "ended_by": one.ended_by,
    }
