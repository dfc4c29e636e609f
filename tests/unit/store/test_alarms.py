"""The alarm journal."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from gateway.clock import ManualClock
from gateway.model.alarm import AlarmInfo, AlarmState
from gateway.model.point import Text
from gateway.model.sample import Tag
from gateway.store.alarms import AlarmJournal
from gateway.store.engine import Store

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)


@pytest.fixture
def journal(store: Store) -> AlarmJournal:
    return AlarmJournal(store, ManualClock(T0))


def alarm(number: int, key: str = "plc1.chlorine", state: AlarmState = "UNACK_ACTIVE") -> AlarmInfo:
    return AlarmInfo(
        id=f"AL-{number}",
        key=key,
        tag=Tag(key.partition("#")[0]),
        text=Text("chlorine high", "余氯高"),
        priority="high",
        state=state,
        raised_at=T0 + timedelta(minutes=number),
    )


async def test_alarm_comes_back_as_it_was_put(journal: AlarmJournal) -> None:
    full = replace(
        alarm(1, state="SHELVED"),
        cleared_at=T0,
        acked_at=T0,
        acked_by="olga",
        shelved_until=T0 + timedelta(hours=1),
        shelved_by="enid",
    )
    journal.put(full)
    await journal.flush()
    assert await journal.query() == [full]


async def test_standing_is_the_newest_of_each_condition_that_is_not_normal(journal: AlarmJournal) -> None:
    for info in (
        alarm(1),
        replace(alarm(1), state="NORMAL"),
        alarm(2),
        alarm(3, "vfd1.status#3"),
        replace(alarm(2), state="ACK_ACTIVE", acked_by="olga"),
    ):
        journal.put(info)
    await journal.flush()
    assert [(info.id, info.state) for info in await journal.standing()] == [("AL-2", "ACK_ACTIVE"), ("AL-3", "UNACK_ACTIVE")]
    assert await journal.last_number() == 3


async def test_last_number_is_counted_as_a_number(journal: AlarmJournal) -> None:
    assert await journal.last_number() == 0
    for number in (9, 10, 2):
        journal.put(alarm(number))
    await journal.flush()
    assert await journal.last_number() == 10


async def test_query_by_tag_state_and_time_newest_first(journal: AlarmJournal) -> None:
    for info in (alarm(1), alarm(2, "vfd1.fault_code"), alarm(3, state="RTN_UNACK"), alarm(4)):
        journal.put(info)
    await journal.flush()
    assert [info.id for info in await journal.query()] == ["AL-4", "AL-3", "AL-2", "AL-1"]
    assert [info.id for info in await journal.query(tag="plc1.chlorine", limit=2)] == ["AL-4", "AL-3"]
    assert [info.id for info in await journal.query(states=["RTN_UNACK"])] == ["AL-3"]
    within = await journal.query(start=T0 + timedelta(minutes=2), end=T0 + timedelta(minutes=3))
    assert [info.id for info in within] == ["AL-3", "AL-2"]


async def test_each_change_of_state_is_noted_with_who_did_it(journal: AlarmJournal, store: Store) -> None:
    journal.put(alarm(1))
    journal.put(replace(alarm(1), cleared_at=None))
    journal.put(replace(alarm(1), state="ACK_ACTIVE", acked_by="olga"))
    journal.put(replace(alarm(1), state="SHELVED", acked_by="olga", shelved_by="enid"))
    await journal.flush()
    changes = await store.read(lambda connection: connection.execute(text('select state, "by" from alarm_changes order by id')).all())
    assert [tuple(change) for change in changes] == [("UNACK_ACTIVE", ""), ("ACK_ACTIVE", "olga"), ("SHELVED", "enid")]
