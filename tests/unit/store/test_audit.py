"""The audit chain: whoever edits, cuts or rewrites it is found out (THREATS F)."""

import hashlib
import hmac
import os
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
import simplejson
from sqlalchemy import Connection, text

from gateway.clock import ManualClock
from gateway.errors import StoreError
from gateway.store.anchor import AnchorFile
from gateway.store.audit import Audit
from gateway.store.base import Anchor, AuditFiles
from gateway.store.engine import Store

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(T0)


@pytest.fixture
def files(tmp_path: Path) -> AuditFiles:
    return AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor")


@pytest.fixture
async def audit(store: Store, files: AuditFiles, clock: ManualClock) -> Audit:
    made = await Audit.open(store, files, clock)
    for number in range(5):
        await made.record("proposed", f"P-{number}", {"value": Decimal("45.10"), "n": number})
    return made


def sql(statement: str) -> Callable[[Connection], None]:
    def work(connection: Connection) -> None:
        connection.execute(text(statement))

    return work


async def test_whole_chain_verifies_and_reads_back_exactly(audit: Audit) -> None:
    check = await audit.verify()
    assert (check.ok, check.records, check.first_bad) == (True, 5, None)
    newest, *_ = await audit.entries()
    assert (newest.seq, newest.at, newest.mono, newest.subject) == (5, T0, 0.0, "P-4")
    assert str(newest.body["value"]) == "45.10"


TAMPERED = {
    "T81-edited": ("update audit set body = replace(body, '45.10', '54.10') where seq = 3", 3),
    "T81-edited-time": ("update audit set at = at + 1 where seq = 4", 4),
    "T81-deleted": ("delete from audit where seq = 2", 2),
    "T81-deleted-first": ("delete from audit where seq = 1", 1),
    "T81-truncated-tail": ("delete from audit where seq > 3", 4),
    "T81-emptied": ("delete from audit", 1),
    "T81-moved": ("update audit set seq = 9 where seq = 3", 3),
}


@pytest.mark.parametrize(("statement", "first_bad"), TAMPERED.values(), ids=TAMPERED)
async def test_tampering_names_the_first_bad_record(audit: Audit, store: Store, statement: str, first_bad: int) -> None:
    await store.write(sql(statement))
    check = await audit.verify()
    assert (check.ok, check.first_bad) == (False, first_bad)
    assert str(first_bad) in check.message


async def test_two_records_swapped(audit: Audit, store: Store) -> None:
    for statement in (
        "update audit set seq = 99 where seq = 2",
        "update audit set seq = 2 where seq = 3",
        "update audit set seq = 3 where seq = 99",
    ):
        await store.write(sql(statement))
    assert (await audit.verify()).first_bad == 2


def forge(connection: Connection, key: bytes, start: int) -> None:
    """Rewrite the chain from `start` on, as somebody with `key` could."""
    rows = connection.execute(text("select seq, at, mono, kind, subject, body, mac from audit order by seq")).all()
    previous = "0" * 64
    for row in rows:
        mac = row.mac
        if row.seq >= start:
            body = row.body.replace("45.10", "99.99")
            content = simplejson.dumps([previous, row.seq, row.at, repr(row.mono), row.kind, row.subject, body])
            mac = hmac.new(key, content.encode(), hashlib.sha256).hexdigest()
            connection.execute(text("update audit set body = :b, mac = :m where seq = :s"), {"b": body, "m": mac, "s": row.seq})
        previous = mac


async def test_t81_suffix_rewritten_without_the_key(audit: Audit, store: Store) -> None:
    await store.write(lambda connection: forge(connection, b"guess" * 8, 3))
    assert (await audit.verify()).first_bad == 3


async def test_t81_chain_rewritten_with_the_key_differs_from_the_anchor(audit: Audit, store: Store, files: AuditFiles) -> None:
    printed = await audit.head()
    key = files.key.read_bytes()
    await store.write(lambda connection: forge(connection, key, 3))
    assert (await audit.verify()).first_bad == 5
    AnchorFile(files.anchor, key).write(5, (await audit.head()).mac)
    assert (await audit.verify()).ok
    assert (await audit.verify([printed])).first_bad == 5


async def test_anchor_lost_or_forged_is_not_whole(audit: Audit, files: AuditFiles) -> None:
    files.anchor.write_text('{"seq": 5, "mac": "00", "signature": "00"}')
    assert not (await audit.verify()).ok
    files.anchor.unlink()
    check = await audit.verify()
    assert (check.ok, check.message) == (False, "the signed head is missing or not signed with this key")


async def test_printed_anchor_of_another_key_is_refused(audit: Audit) -> None:
    check = await audit.verify([Anchor(seq=1, mac="0" * 64, signature="0" * 64)])
    assert (check.ok, check.message) == (False, "an anchor given is not signed with this key")


async def test_emptied_audit_cannot_be_begun_anew(audit: Audit, store: Store, files: AuditFiles, clock: ManualClock) -> None:
    await store.write(sql("delete from audit"))
    again = await Audit.open(store, files, clock)
    await again.record("proposed", "P-9", {})
    assert not (await again.verify()).ok
    await store.write(sql("delete from audit"))
    files.key.unlink()
    with pytest.raises(StoreError, match="is gone"):
        await Audit.open(store, files, clock)


async def test_key_must_be_there_and_private(audit: Audit, store: Store, files: AuditFiles, clock: ManualClock) -> None:
    assert files.key.stat().st_mode & 0o777 == 0o600
    assert files.anchor.stat().st_mode & 0o777 == 0o600
    files.key.chmod(0o640)
    with pytest.raises(StoreError, match="chmod 600"):
        await Audit.open(store, files, clock)
    files.key.write_bytes(b"short")
    files.key.chmod(0o600)
    with pytest.raises(StoreError, match="too short"):
        await Audit.open(store, files, clock)
    files.key.unlink()
    with pytest.raises(StoreError, match="is gone"):
        await Audit.open(store, files, clock)


async def test_a_restart_goes_on_with_the_chain(audit: Audit, store: Store, files: AuditFiles) -> None:
    again = await Audit.open(store, files, ManualClock(T0))
    assert (await again.record("proposed", "P-9", {})).seq == 6
    assert (await again.verify()).ok


async def test_two_processes_share_one_chain(audit: Audit, tmp_path: Path, files: AuditFiles, clock: ManualClock) -> None:
    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as other_store:
        other = await Audit.open(other_store, files, clock)
        for _ in range(3):
            await other.record("outcome", "x", {})
            await audit.record("outcome", "y", {})
    check = await audit.verify()
    assert (check.ok, check.records) == (True, 11)


async def test_records_of_a_failed_transaction_are_not_there(audit: Audit) -> None:
    def work(_: Connection, append: Callable[..., object]) -> None:
        append("proposed", "P-9", {})
        raise KeyError("changed my mind")

    with pytest.raises(KeyError):
        await audit.transact(work)
    assert (await audit.verify()).records == 5


@pytest.mark.parametrize(
    "reason",
    ["two\nlines", "\x1b[31mred\x1b[0m", '{"kind": "outcome"}', "a\r\nb\0c", "中文\u202eevil"],
    ids=["newline", "ansi", "json", "controls", "bidi"],
)
async def test_t80_text_cannot_break_a_record(audit: Audit, store: Store, reason: str) -> None:
    await audit.record("proposed", "P-9", {"reason": reason})
    stored = await store.read(lambda connection: connection.execute(text("select body from audit where seq = 6")).scalar_one())
    assert stored.isprintable()
    assert stored.isascii()
    (newest,) = await audit.entries(subject="P-9")
    assert newest.body == {"reason": reason}


SECRETS = {
    "key": ("use sk-abcdef1234567890", "sk-abcdef"),
    "token": ("try bmt_abcdef1234567890", "bmt_abcdef"),
    "password": ("password: hunter22", "hunter22"),
    "chinese": ("我是管理员，密码123456，直接写入", "123456"),
    "bearer": ("Bearer abcdefghijklmnop", "abcdefghijklmnop"),
}


@pytest.mark.parametrize(("reason", "secret"), SECRETS.values(), ids=SECRETS)
async def test_t84_secrets_are_not_in_the_audit(audit: Audit, store: Store, reason: str, secret: str) -> None:
    await audit.record("proposed", "P-9", {"reason": reason, "nested": [{"deep": reason}]})
    stored = await store.read(lambda connection: connection.execute(text("select body from audit where seq = 6")).scalar_one())
    assert secret not in stored
    assert (await audit.verify()).ok


async def test_t83_clock_jump_is_an_event_and_order_is_by_sequence(audit: Audit, clock: ManualClock) -> None:
    await clock.advance(10)
    clock.jump(-3600)
    await audit.record("proposed", "P-9", {})
    newest, jump, *_ = await audit.entries()
    assert (newest.subject, jump.kind, jump.body["seconds"]) == ("P-9", "time_jump", -3600)
    assert newest.at < T0
    assert newest.mono == 10.0
    assert (await audit.verify()).ok
    await clock.advance(3600)
    await audit.record("proposed", "P-10", {})
    assert [record.kind for record in await audit.entries(limit=2)] == ["proposed", "proposed"]


async def test_t82_unwritable_database_refuses(audit: Audit, store: Store) -> None:
    await store.write(sql("create trigger full before insert on audit begin select raise(abort, 'disk is full'); end"))
    with pytest.raises(StoreError, match="disk is full"):
        await audit.record("proposed", "P-9", {})


async def test_t82_unwritable_anchor_refuses(audit: Audit, files: AuditFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        await audit.record("proposed", "P-9", {})


async def test_body_that_json_cannot_say_is_refused(audit: Audit) -> None:
    with pytest.raises(StoreError, match="cannot write this record"):
        await audit.record("proposed", "P-9", {"value": float("nan")})


async def test_endless_subject_is_cut(audit: Audit) -> None:
    record = await audit.record("refused", "x\0" * 1000, {})
    assert record.subject == "x" * 200
    assert (await audit.verify()).ok


async def test_entries_are_picked_by_kind_subject_and_time(audit: Audit, clock: ManualClock) -> None:
    await clock.advance(60)
    await audit.record("outcome", "vfd1.speed_sp", {})
    assert [record.subject for record in await audit.entries(["outcome"])] == ["vfd1.speed_sp"]
    assert [record.seq for record in await audit.entries(subject="P-2")] == [3]
    assert len(await audit.entries(start=clock.utc())) == 1
    assert len(await audit.entries(end=T0)) == 5


async def test_walk_pages_through_all(audit: Audit) -> None:
    assert [record.seq async for record in audit.walk(page=2)] == [1, 2, 3, 4, 5]
