"""Accounts of people whom an identity provider vouches for: made at their first sign-in, with the role their groups have now."""

from sqlalchemy import Connection, delete, insert, select, update

from gateway.clock import Clock
from gateway.model.point import Role
from gateway.store.audit import Append, Audit
from gateway.store.base import to_us
from gateway.store.tables import sessions, users
from gateway.store.users import NAME, AccountError

_MARK = "oidc "


class Identities:
    """Holds an account to one person of one provider. No password opens it, and no provider opens an account with a password."""

    def __init__(self, audit: Audit, clock: Clock) -> None:
        self._audit = audit
        self._clock = clock

    async def enter(self, name: str, issuer: str, subject: str, role: Role, address: str) -> bool:
        """The person is here: account and role are as the provider says; True if the role is another than before. Raises AccountError."""
        if not NAME.fullmatch(name):
            raise AccountError(f"{name!r} is no account name", f"{name!r} 不能作为用户名", fix="choose another claim: oidc.name_claim")
        identity = f"{_MARK}{issuer} {subject}"
        row = {"name": name, "role": str(role), "hash": identity, "is_disabled": False, "created_at": to_us(self._clock.utc())}

        def work(connection: Connection, append: Append) -> bool:
            found = connection.execute(select(users.c.role, users.c.hash, users.c.is_disabled).where(users.c.name == name)).first()
            if found is None:
                connection.execute(insert(users).values(row))
                append("user_added", name, {"user": name, "role": str(role), "by": issuer})
            elif found.hash != identity:
                raise AccountError(f"{name} is the account of somebody else here", f"{name} 是本地其他人的账户")
            elif found.is_disabled:
                raise AccountError(f"the account {name} is disabled", f"账户 {name} 已停用")
            is_changed = found is not None and found.role != str(role)
            if is_changed:
                connection.execute(update(users).where(users.c.name == name).values(role=str(role)))
                connection.execute(delete(sessions).where(sessions.c.user == name))
                append("user_role", name, {"user": name, "role": str(role), "by": issuer})
            append("sign_in", name, {"user": name, "address": address, "by": issuer})
            return is_changed

        return await self._audit.transact(work)

    async def refused(self, name: str, issuer: str, address: str, why: str) -> None:
        """Somebody came back from the provider and was not let in. Raises StoreError."""
        await self._audit.record("sign_in_failed", name or issuer, {"user": name[:100], "address": address, "by": issuer, "reason": why})
