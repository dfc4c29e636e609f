"""Once a day what nobody may need any more is forgotten, in small steps; the audit is never touched."""

import logging
from datetime import timedelta
from functools import partial

from gateway.clock import Clock
from gateway.errors import StoreError
from gateway.store.samples import Samples
from gateway.store.sessions import Sessions
from gateway.store.tokens import Tokens
from gateway.store.users import Users

log = logging.getLogger(__name__)

FIRST_S = 600.0
EVERY_S = 86_400.0
PAUSE_S = 0.05


class Retention:
    """Samples older than `keep_days`, sessions that are over, tokens past their end, wrong tries that lock nothing any more."""

    def __init__(self, samples: Samples, sessions: Sessions, tokens: Tokens, users: Users, clock: Clock, *, keep_days: int) -> None:
        self._samples = samples
        self._sessions = sessions
        self._tokens = tokens
        self._users = users
        self._clock = clock
        self._keep = timedelta(days=keep_days)

    async def run(self) -> None:
        """First some minutes after the start, when everything else has settled, then daily, until cancelled."""
        await self._clock.sleep(FIRST_S)
        while True:
            try:
                await self.forget()
            except StoreError as error:
                log.warning("old records cannot be forgotten, tried again tomorrow: %s", error)
            await self._clock.sleep(EVERY_S)

    async def forget(self) -> None:
        """Forget what is old now. Raises StoreError."""
        await self._sessions.prune()
        await self._tokens.end_due()
        await self._users.prune()
        gone = await self._samples.prune(self._clock.utc() - self._keep, partial(self._clock.sleep, PAUSE_S))
        if gone:
            log.info("%s samples older than %s days were forgotten", gone, self._keep.days)
