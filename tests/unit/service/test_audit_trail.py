"""The audit for people: filters, pages, roles, copies (THREATS F)."""

import csv
import io
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.model.point import Role
from gateway.service.audit_copy import HEADER, csv_line, csv_row, json_row
from gateway.service.audit_trail import AuditTrail, TrailPage, Wanted
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles, Body
from gateway.store.engine import Store

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
WRITES = [{"tag": "vfd1.speed_sp", "old": 45, "new": 47}]
RECORDS: list[tuple[str, str, Body]] = [
    ("user_added", "olga", {"user": "olga", "role": "operator", "by": "anna"}),
    ("sign_in", "olga", {"user": "olga", "address": "10.0.0.1"}),
    ("proposed", "P1", {"proposal": "P1", "user": "olga", "writes": WRITES}),
    ("confirmed", "P1", {"proposal": "P1", "user": "otto", "meaning": "approved"}),
    ("sending", "vfd1.speed_sp", {"proposal": "P1", "user": "olga", "tag": "vfd1.speed_sp"}),
    (
        "outcome",
        "vfd1.speed_sp",
        {"proposal": "P1", "user": "olga", "confirmed_by": ["otto"], "tag": "vfd1.speed_sp", "outcome": "verified"},
    ),
    ("refused", "P2", {"proposal": "P2", "user": "olga", "codes": ["LIMIT_MAX", "INTERLOCK"], "tags": ["tc1.sp"]}),
    ("alarm_ack", "vfd1.motor_temp.hi", {"alarm": "vfd1.motor_temp.hi", "tag": "vfd1.motor_temp", "user": "otto"}),
    ("map_change", "demo_vx200", {"by": "anna", "confirmed_by": "otto", "changes": [{"point": "vfd1.speed_sp", "key": "max"}]}),
    ("manual_added", "vx200-en", {"doc": "vx200-en", "user": "anna"}),
]


@pytest.fixture
async def trail(tmp_path: Path) -> AsyncIterator[AuditTrail]:
    """The records above, a minute apart."""
    clock = ManualClock(T0)
    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as store:
        audit = await Audit.open(store, AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor"), clock)
        for kind, subject, body in RECORDS:
            await audit.record(kind, subject, body)
            await clock.advance(60)
        yield AuditTrail(audit)


def seqs(page: TrailPage) -> list[int]:
    return [record.seq for record in page.records]


FILTERS = {
    "all": (Wanted(), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
    "kind": (Wanted(kind="outcome"), [6]),
    "group": (Wanted(kind="writes"), [7, 6, 5, 4, 3]),
    "accounts": (Wanted(kind="accounts"), [2, 1]),
    "unknown-kind": (Wanted(kind="drop table"), []),
    "person": (Wanted(user="OTTO"), [9, 8, 6, 4]),
    "by": (Wanted(user="anna"), [10, 9, 1]),
    "part-of-a-name": (Wanted(user="ott"), []),
    "point": (Wanted(about="vfd1.speed_sp"), [9, 6, 5, 3]),
    "device": (Wanted(about="vfd1"), [9, 8, 6, 5, 3]),
    "part-of-a-device": (Wanted(about="vfd"), []),
    "proposal": (Wanted(about="p1"), [6, 5, 4, 3]),
    "map": (Wanted(about="demo_vx200"), [9]),
    "tags-refused": (Wanted(about="tc1"), [7]),
    "outcome": (Wanted(outcome="verified"), [6]),
    "code": (Wanted(outcome="interlock"), [7]),
    "refused": (Wanted(outcome="refused"), [7]),
    "from": (Wanted(start=T0 + timedelta(minutes=8)), [10, 9]),
    "until": (Wanted(end=T0 + timedelta(minutes=1)), [2, 1]),
    "all-at-once": (Wanted(start=T0, end=T0 + timedelta(minutes=6), user="olga", about="vfd1", kind="writes", outcome="verified"), [6]),
}


@pytest.mark.parametrize(("wanted", "found"), FILTERS.values(), ids=FILTERS)
async def test_filter_finds_exactly(trail: AuditTrail, wanted: Wanted, found: list[int]) -> None:
    assert seqs(await trail.page(wanted, Role.ADMIN)) == found
    copied = [record.seq async for record in await trail.copy(wanted, Role.ADMIN, "anna")]
    assert copied == found[::-1], "a copy holds the same, oldest first"


@pytest.mark.parametrize(
    ("role", "found"),
    [
        (Role.VIEWER, [8, 6]),
        (Role.OPERATOR, [10, 9, 8, 7, 6, 5, 4, 3]),
        (Role.ENGINEER, [10, 9, 8, 7, 6, 5, 4, 3]),
        (Role.ADMIN, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
    ],
)
async def test_role_sees_what_it_may_and_no_filter_shows_more_T47(trail: AuditTrail, role: Role, found: list[int]) -> None:
    assert seqs(await trail.page(Wanted(), role)) == found
    assert seqs(await trail.page(Wanted(kind="accounts"), role)) == [seq for seq in found if seq < 3]
    assert seqs(await trail.page(Wanted(kind="sign_in"), role)) == [seq for seq in found if seq == 2]
    assert [record.seq async for record in await trail.copy(Wanted(), role, "somebody")] == found[::-1]


async def test_pages_follow_one_another_without_gap_or_twin(trail: AuditTrail) -> None:
    seen: list[int] = []
    before = None
    for _ in range(10):
        page = await trail.page(Wanted(kind="writes"), Role.OPERATOR, before=before, limit=2)
        seen += seqs(page)
        before = page.older
        if before is None:
            break
    assert (seen, before) == ([7, 6, 5, 4, 3], None)


async def test_rare_records_in_a_long_trail_are_found_page_by_page(trail: AuditTrail, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.service.audit_trail._READ_AT_ONCE", 2)
    monkeypatch.setattr("gateway.service.audit_trail._LOOKED_AT", 4)
    first = await trail.page(Wanted(user="nobody"), Role.ADMIN)
    assert (seqs(first), first.older) == ([], 7)
    second = await trail.page(Wanted(about="olga"), Role.ADMIN, before=5)
    assert (seqs(second), second.older) == ([2, 1], 1)


async def test_copy_is_noted_in_the_audit(trail: AuditTrail) -> None:
    await trail.copy(Wanted(about="vfd1"), Role.OPERATOR, "otto")
    newest = (await trail.page(Wanted(), Role.ADMIN)).records[0]
    assert (newest.kind, newest.subject, newest.body["about"]) == ("audit_exported", "otto", "vfd1")


FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-1+1", "@sum(a1)", "\t=1", "\r=1"]


@pytest.mark.parametrize("formula", FORMULAS, ids=range(len(FORMULAS)))
def test_no_cell_starts_a_formula_T64(formula: str) -> None:
    cells = next(
        csv.reader(
            io.StringIO(
                csv_line(
                    [formula, [formula, "b"], -12.5, None],
                ),
                newline="",
            )
        )
    )
    assert cells == [f"'{formula}", f"'{formula}, b", "-12.5", ""]


async def test_csv_row_has_the_columns_of_its_header_and_json_row_all_of_the_chain(trail: AuditTrail) -> None:
    record = (await trail.page(Wanted(kind="outcome"), Role.ADMIN)).records[0]
    row = dict(zip(HEADER, next(csv.reader(io.StringIO(csv_row(record)))), strict=True))
    assert (row["seq"], row["tag"], row["outcome"], row["confirmed_by"], row["mac"]) == (
        "6",
        "vfd1.speed_sp",
        "verified",
        "otto",
        record.mac,
    )
    assert json_row(record)["body"] == dict(record.body)
