"""Open cards of a person die when their role is changed or their account shut, by whatever process that was done."""

from collections.abc import Awaitable, Callable

from gateway.store.audit import Audit
from gateway.store.base import PROGRAM

_KINDS = ("user_role", "user_disabled", "token_revoked")
_AT_ONCE = 100


class PeopleWatch:
    """Follows the audit: the terminal (`busmate user`, `busmate token`) is another process on the same store."""

    def __init__(self, audit: Audit, forget: Callable[[str], Awaitable[None]]) -> None:
        self._audit = audit
        self._forget = forget
        self._seen: int | None = None

    async def look(self) -> None:
        """End the cards of those who were changed since the last look; the first one only finds its place. Raises StoreError."""
        newest = await self._audit.entries(_KINDS, limit=_AT_ONCE)
        seen, self._seen = self._seen, newest[0].seq if newest else 0
        if seen is None:
            return
        changed = {(PROGRAM if one.kind == "token_revoked" else "") + one.subject for one in newest if one.seq > seen}
        for user in sorted(changed):
            await self._forget(user)
