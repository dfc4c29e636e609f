"""The audit: an append-only chain of records that tells when somebody has touched it.

Each record carries an HMAC over the one before it and its own content; the key lies outside the database. A signed
head, also outside, makes a cut-off tail visible. Whoever has both the database and the key can still forge; against
them helps an exported head kept elsewhere.
"""

import asyncio
import hashlib
import hmac
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Self, TypeVar

import simplejson
from sqlalchemy import Connection, Row, Select, func, insert, select

from gateway.clock import Clock
from gateway.errors import StoreError
from gateway.model.redact import redact
from gateway.store.anchor import AnchorFile, load_key
from gateway.store.base import Anchor, AuditCheck, AuditFiles, AuditRecord, Body, from_us, to_us
from gateway.store.engine import Store
from gateway.store.tables import audit

T = TypeVar("T")

Append = Callable[[str, str, Body], AuditRecord]
"""(kind, subject, body) -> the record, inside the transaction at hand."""

_START = "0" * 64
_JUMP_S = 5.0
_SUBJECT_CHARS = 200
_TURN = 0x6275736D617465
"""The number of our advisory lock."""


class Audit:
    """The audit of one store. `subject` is what a record is about: a proposal, a tag, a user."""

    def __init__(self, store: Store, key: bytes, anchor: AnchorFile, clock: Clock) -> None:
        self._store = store
        self._key = key
        self._anchor = anchor
        self._clock = clock
        self._anchoring = threading.Lock()
        self._last_time: tuple[datetime, float] | None = None

    @classmethod
    async def open(cls, store: Store, files: AuditFiles, clock: Clock) -> Self:
        """Open the chain; the key is made only if there is no record yet. Raises StoreError."""
        is_new = await store.read(_head) is None and not files.anchor.exists()
        key = await asyncio.to_thread(load_key, files.key, is_new=is_new)
        anchor = AnchorFile(files.anchor, key)
        if is_new:
            await asyncio.to_thread(anchor.write, 0, _START)
        return cls(store, key, anchor, clock)

    async def record(self, kind: str, subject: str, body: Body) -> AuditRecord:
        """Append one record and commit it. Raises StoreError."""
        return await self.transact(lambda _, append: append(kind, subject, body))

    async def transact(self, work: Callable[[Connection, Append], T]) -> T:
        """Run `work` in one transaction together with the records it appends. Raises StoreError."""
        now, mono = self._clock.utc(), self._clock.monotonic()

        def job(connection: Connection) -> tuple[T, AuditRecord | None]:
            last: list[AuditRecord] = []

            def append(kind: str, subject: str, body: Body) -> AuditRecord:
                last[:] = [self._append(connection, now, mono, kind, subject, body)]
                return last[0]

            _take_turn(connection)
            self._note_jump(now, mono, append)
            return work(connection, append), last[0] if last else None

        result, last = await self._store.write(job)
        if last is not None:
            self._last_time = (now, mono)
            await asyncio.to_thread(self._anchor_at, last)
        return result

    async def verify(self, anchors: Sequence[Anchor] = ()) -> AuditCheck:
        """Walk the whole chain; `anchors` are signed heads kept elsewhere, checked besides the one in the file."""
        kept = await asyncio.to_thread(self._anchor.read)
        return await self._store.read(lambda connection: self._verify(connection, kept, anchors))

    async def head(self) -> Anchor:
        """The signed head, to be printed or kept elsewhere."""
        found = await self._store.read(_head)
        seq, mac = (0, _START) if found is None else found
        return self._anchor.sign(seq, mac)

    async def walk(self, page: int = 1000) -> AsyncIterator[AuditRecord]:
        """All records, oldest first."""
        seq = 0
        while True:
            found = await self._store.read(partial(_after, seq=seq, limit=page))
            for record in found:
                yield record
            if not found:
                return
            seq = found[-1].seq

    async def entries(
        self,
        kinds: Sequence[str] = (),
        subject: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
        *,
        before: int | None = None,
        limit: int = 1000,
    ) -> Sequence[AuditRecord]:
        """Records, newest first; `before` a sequence number."""
        return await self._store.read(lambda connection: _entries(connection, kinds, subject, start, end, before, limit))

    def _note_jump(self, now: datetime, mono: float, append: Append) -> None:
        """A wall clock that moved against the monotonic one is an event of its own."""
        if self._last_time is None:
            return
        jump_s = (now - self._last_time[0]).total_seconds() - (mono - self._last_time[1])
        if abs(jump_s) > _JUMP_S:
            append("time_jump", "clock", {"seconds": round(jump_s, 3)})

    def _append(self, connection: Connection, now: datetime, mono: float, kind: str, subject: str, body: Body) -> AuditRecord:
        subject = subject.replace("\0", "")[:_SUBJECT_CHARS].encode("utf-8", "replace").decode()
        found = _head(connection)
        seq, previous = (0, _START) if found is None else found
        text = _dump(body)
        mac = self._mac(previous, seq + 1, to_us(now), mono, kind, subject, text)
        row = {"seq": seq + 1, "at": to_us(now), "mono": mono, "kind": kind, "subject": subject, "body": text, "mac": mac}
        connection.execute(insert(audit), row)
        return AuditRecord(seq=seq + 1, at=now, mono=mono, kind=kind, subject=subject, body=body, mac=mac)

    def _anchor_at(self, record: AuditRecord) -> None:
        with self._anchoring:
            kept = self._anchor.read()
            if kept is None or kept.seq < record.seq:
                self._anchor.write(record.seq, record.mac)

    def _mac(self, previous: str, seq: int, at: int, mono: float, kind: str, subject: str, text: str) -> str:
        content = simplejson.dumps([previous, seq, at, repr(mono), kind, subject, text])
        return hmac.new(self._key, content.encode(), hashlib.sha256).hexdigest()

    def _verify(self, connection: Connection, kept: Anchor | None, anchors: Sequence[Anchor]) -> AuditCheck:
        if any(not self._anchor.is_ours(anchor) for anchor in anchors):
            return AuditCheck(ok=False, records=0, message="an anchor given is not signed with this key")
        wanted: dict[int, set[str]] = {}
        for anchor in (*anchors, *([kept] if kept else [])):
            wanted.setdefault(anchor.seq, set()).add(anchor.mac)
        previous, seq = _START, 0
        for row in connection.execute(_rows().order_by(audit.c.seq)):
            found, at, mono, kind, subject, text, mac = row
            if found != seq + 1:
                return AuditCheck(ok=False, records=seq, first_bad=seq + 1, message=f"record {seq + 1} is missing")
            seq = found
            if not hmac.compare_digest(mac, self._mac(previous, seq, at, mono, kind, subject, text)):
                return AuditCheck(ok=False, records=seq, first_bad=seq, message=f"record {seq} was changed")
            if wanted.get(seq, {mac}) != {mac}:
                return AuditCheck(ok=False, records=seq, first_bad=seq, message=f"record {seq} is not the one that was anchored")
            previous = mac
        newest = max(wanted, default=0)
        if newest > seq:
            return AuditCheck(ok=False, records=seq, first_bad=seq + 1, message=f"records {seq + 1} to {newest} are missing")
        if kept is None:
            return AuditCheck(ok=False, records=seq, message="the signed head is missing or not signed with this key")
        return AuditCheck(ok=True, records=seq)


def _take_turn(connection: Connection) -> None:
    """One process at a time extends the chain; SQLite's writers take turns by themselves."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_TURN)))


def _dump(body: Body) -> str:
    """One JSON object on one line; control characters escaped, numbers exact, secrets gone."""
    try:
        return simplejson.dumps(_clean(body), use_decimal=True, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as exc:
        raise StoreError(f"the audit cannot write this record: {exc}") from exc


def _clean(part: object) -> object:
    match part:
        case str():
            return redact(part)
        case dict():
            return {str(name): _clean(inner) for name, inner in part.items()}
        case list() | tuple():
            return [_clean(inner) for inner in part]
        case _:
            return part


def _head(connection: Connection) -> tuple[int, str] | None:
    row = connection.execute(select(audit.c.seq, audit.c.mac).order_by(audit.c.seq.desc()).limit(1)).first()
    return None if row is None else (row.seq, row.mac)


def _rows() -> Select[int, int, float, str, str, str, str]:
    return select(audit.c.seq, audit.c.at, audit.c.mono, audit.c.kind, audit.c.subject, audit.c.body, audit.c.mac)


def _entries(
    connection: Connection,
    kinds: Sequence[str],
    subject: str | None,
    start: datetime | None,
    end: datetime | None,
    before: int | None,
    limit: int,
) -> list[AuditRecord]:
    query = _rows()
    if kinds:
        query = query.where(audit.c.kind.in_(kinds))
    if subject is not None:
        query = query.where(audit.c.subject == subject)
    if start is not None:
        query = query.where(audit.c.at >= to_us(start))
    if end is not None:
        query = query.where(audit.c.at <= to_us(end))
    if before is not None:
        query = query.where(audit.c.seq < before)
    return [_record(row) for row in connection.execute(query.order_by(audit.c.seq.desc()).limit(limit))]


def _after(connection: Connection, seq: int, limit: int) -> list[AuditRecord]:
    query = _rows().where(audit.c.seq > seq).order_by(audit.c.seq).limit(limit)
    return [_record(row) for row in connection.execute(query)]


def _record(row: Row[int, int, float, str, str, str, str]) -> AuditRecord:
    seq, at, mono, kind, subject, text, mac = row
    body: Body = simplejson.loads(text, use_decimal=True)
    return AuditRecord(seq=seq, at=from_us(at), mono=mono, kind=kind, subject=subject, body=body, mac=mac)
