"""Who may be let in: no open door without accounts and TLS, and how the first admin comes to be (THREATS C)."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from argon2 import PasswordHasher

from gateway.app import Gateway
from gateway.app.process import first_admin_lines, refuse_open_door
from gateway.clock import ManualClock
from gateway.errors import ConfigError
from gateway.model.point import Role
from gateway.settings import Web
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles
from gateway.store.engine import Store
from gateway.store.first_admin import FirstAdmin
from gateway.store.users import Users

PASSWORD = "correct horse"


@pytest.fixture
async def gateway(tmp_path: Path) -> AsyncIterator[Gateway]:
    """What of a gateway matters here: its accounts, in a store of their own."""
    clock = ManualClock(datetime(2026, 3, 10, 6, 0, tzinfo=UTC))
    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as store:
        audit = await Audit.open(store, AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor"), clock)
        users = Users(store, audit, clock, hasher=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        settings = SimpleNamespace(file=tmp_path / "plant.yaml", oidc=None)
        yield cast("Gateway", SimpleNamespace(users=users, first=FirstAdmin(store, users, clock), settings=settings))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
async def test_this_machine_alone_may_be_served_without_accounts_T45(gateway: Gateway, host: str) -> None:
    await refuse_open_door(gateway, Web(host=host, port=0))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.5", "plant.lan", ""])  # noqa: S104 - nothing is bound
async def test_no_door_is_open_without_accounts_and_tls_T45(gateway: Gateway, host: str) -> None:
    safe = Web(host=host, port=0, cert="cert.pem", key="key.pem")
    with pytest.raises(ConfigError, match="user add"):
        await refuse_open_door(gateway, safe)
    await gateway.users.add("anna", PASSWORD, Role.ADMIN, by="test")
    await refuse_open_door(gateway, safe)
    with pytest.raises(ConfigError, match=r"web\.tls"):
        await refuse_open_door(gateway, Web(host=host, port=0))
    await refuse_open_door(gateway, Web(host=host, port=0, plain_http=True))


async def test_console_names_the_code_until_there_is_an_account_T45(gateway: Gateway) -> None:
    page, command = await first_admin_lines(gateway, "http://127.0.0.1:8765/")
    code = page.partition("#first=")[2]
    assert code in command
    await gateway.first.use(code, "anna", PASSWORD, by="test")
    assert await first_admin_lines(gateway, "http://127.0.0.1:8765/") == ()
