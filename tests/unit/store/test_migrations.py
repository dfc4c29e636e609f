"""Ordered migrations with a version per owner."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, insert, inspect, text, true

from gateway.errors import StoreError
from gateway.store import execution_rows, proposal_rows
from gateway.store.engine import Store
from gateway.store.migrations import MIGRATIONS, migrate, version_of
from gateway.store.tables import metadata
from gateway.store.tables_0_1 import frozen


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = create_engine(f"sqlite:///{tmp_path}/m.db")
    yield made
    made.dispose()


def first(connection: Connection) -> None:
    connection.execute(text("create table a (id integer)"))


def second(connection: Connection) -> None:
    connection.execute(text("create table b (id integer)"))


def broken(connection: Connection) -> None:
    connection.execute(text("create table c (id integer)"))
    raise StoreError("half way")


def test_each_step_runs_once_in_order(engine: Engine) -> None:
    assert migrate(engine, "notes", [first]) == 1
    assert migrate(engine, "notes", [first, second]) == 1
    assert migrate(engine, "notes", [first, second]) == 0
    assert version_of(engine, "notes") == 2
    assert {"a", "b"} <= set(inspect(engine).get_table_names())


def test_owners_do_not_know_each_other(engine: Engine) -> None:
    migrate(engine, "notes", [first])
    assert migrate(engine, "manuals", [second]) == 1
    assert (version_of(engine, "notes"), version_of(engine, "manuals"), version_of(engine, "nobody")) == (1, 1, 0)


def test_newer_database_is_refused(engine: Engine) -> None:
    migrate(engine, "notes", [first, second])
    with pytest.raises(StoreError, match="update busmate"):
        migrate(engine, "notes", [first])


async def test_failed_step_leaves_the_database_at_the_one_before(tmp_path: Path) -> None:
    async with await Store.open(f"sqlite:///{tmp_path}/g.db") as store:
        with pytest.raises(StoreError, match="half way"):
            migrate(store.engine, "notes", [first, broken])
        assert version_of(store.engine, "notes") == 1
        assert "c" not in inspect(store.engine).get_table_names()


def test_a_database_of_release_0_1_keeps_what_was_written(engine: Engine) -> None:
    migrate(engine, "gateway", MIGRATIONS[:1])
    old = frozen().tables
    one = {"nonce": "n", "digest": "d", "state": "EXECUTED", "proposer": "olga", "session": "s", "created_at": 1, "created_mono": 0.0}
    one |= {"expires_mono": 120.0, "approvals_needed": 1, "body": "", "outcomes": "[]", "finished_by": "olga"}
    write = {"at": 5, "mono": 1.5, "change": "2", "is_cleared": False}
    with engine.begin() as connection:
        connection.execute(insert(old["proposals"]), [{**one, "id": name, "same": name} for name in ("P-1", "P-2")])
        for proposal, tag, outcome in (("P-1", "a.c", "verified"), ("P-1", "a.b", "unknown"), ("P-2", "a.b", "")):
            connection.execute(insert(old["executions"]), {**write, "proposal": proposal, "tag": tag, "outcome": outcome})
    assert migrate(engine, "gateway", MIGRATIONS) == len(MIGRATIONS) - 1
    with engine.begin() as connection:
        found = [(row.proposal, row.step, row.tag, row.outcome, str(row.change)) for row in execution_rows.find(connection, true())]
        kept = proposal_rows.find(connection)
    assert sorted(found) == [
        ("P-1", 0, "a.b", "unknown", "2"),
        ("P-1", 1, "a.c", "verified", "2"),
        ("P-2", 0, "a.b", "", "2"),
    ]
    assert [(one.id, one.why) for one in kept] == [("P-1", ""), ("P-2", "")]
    assert set(metadata.tables) <= set(inspect(engine).get_table_names())
    assert "executions_0_1" not in inspect(engine).get_table_names()
    for name, table in metadata.tables.items():
        assert {column["name"] for column in inspect(engine).get_columns(name)} == set(table.columns.keys()), name


async def test_store_brings_all_its_tables(tmp_path: Path) -> None:
    async with await Store.open(f"sqlite:///{tmp_path}/g.db") as store:
        assert set(metadata.tables) <= set(inspect(store.engine).get_table_names())
        assert version_of(store.engine, "gateway") == len(MIGRATIONS)
