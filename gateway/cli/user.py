"""`busmate user`: accounts and roles, for whoever may read the data folder."""

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
from gateway.store.base import User
from gateway.store.first_admin import FirstAdmin
from gateway.store.users import Users


class Action(StrEnum):
    """What to do with accounts."""

    FIRST = "first"
    ADD = "add"
    LIST = "list"
    ROLE = "role"
    PASSWORD = "password"  # noqa: S105 - the name of a command
    DISABLE = "disable"
    ENABLE = "enable"


def user(
    action: Annotated[Action, typer.Argument(help="first: the admin of a new plant; password also unlocks an account after wrong tries")],
    config: Annotated[Path, typer.Argument(help="a configuration")],
    name: Annotated[str, typer.Argument(help="the account")] = "",
    role: Annotated[Role | None, typer.Option(help="its role, for add and role")] = None,
    password_file: Annotated[Path | None, typer.Option(help="read the password from the first line of this file")] = None,
    code: Annotated[str, typer.Option(help="for first: the code that the gateway printed at its start")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """Accounts: viewer, operator, engineer, admin; each role includes those before it."""
    if action is not Action.LIST and not name:
        fail("USAGE", f"user {action} needs the account's name", fix=f"busmate user {action} CONFIG NAME", as_json=as_json, status=2)
    if action is Action.FIRST and not code:
        fail("USAGE", "user first needs the code of the gateway's console", fix="--code CODE", as_json=as_json, status=2)
    if action in (Action.ADD, Action.ROLE) and role is None:
        fail("USAGE", f"user {action} needs a role", fix="--role viewer, operator, engineer or admin", as_json=as_json, status=2)
    try:
        settings = load_settings(config)
        password = _password(name, password_file) if action in (Action.FIRST, Action.ADD, Action.PASSWORD) else ""
        accounts = asyncio.run(_do(settings, action, name, role or Role.VIEWER, password, code))
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    except OSError as error:
        fail("FILE", f"the password cannot be read: {error}", as_json=as_json)
    _show(accounts, as_json=as_json)


async def _do(settings: Settings, action: Action, name: str, role: Role, password: str, code: str) -> Sequence[User]:
    """Act, and give the accounts concerned."""
    by = f"terminal:{getpass.getuser()}"
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    async with opened(settings) as (store, audit):
        users = Users(store, audit, SystemClock())
        match action:
            case Action.FIRST:
                await FirstAdmin(store, users, SystemClock()).use(code, name, password, by=by)
            case Action.ADD:
                await users.add(name, password, role, by=by)
            case Action.ROLE:
                await users.set_role(name, role, by=by)
            case Action.PASSWORD:
                await users.set_password(name, password, by=by)
            case Action.DISABLE | Action.ENABLE:
                await users.set_disabled(name, is_disabled=action is Action.DISABLE, by=by)
            case Action.LIST:
                pass
        return [one for one in await users.all() if not name or one.name == name]


def _password(name: str, file: Path | None) -> str:
    if file is not None:
        return file.read_text(encoding="utf-8").partition("\n")[0]
    if not sys.stdin.isatty():
        fail("USAGE", "there is no terminal to ask for the password", fix="--password-file FILE", status=2)
    first = getpass.getpass(f"password for {name}: ")
    if getpass.getpass("once more: ") != first:
        fail("PASSWORD", "the two passwords differ")
    return first


def _show(accounts: Sequence[User], *, as_json: bool) -> None:
    if as_json:
        rows = [
            {"user": one.name, "role": str(one.role), "disabled": one.is_disabled, "created_at": one.created_at.isoformat()}
            for one in accounts
        ]
        print_json(rows)
        return
    for one in accounts:
        print(f"{one.name} {one.role}{' disabled' if one.is_disabled else ''}")
