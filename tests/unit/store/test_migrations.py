"""Ordered migrations with a version per owner."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, inspect, text

from gateway.errors import StoreError
from gateway.store.engine import Store
from gateway.store.migrations import MIGRATIONS, migrate, version_of
from gateway.store.tables import metadata


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


async def test_store_brings_all_its_tables(tmp_path: Path) -> None:
    async with await Store.open(f"sqlite:///{tmp_path}/g.db") as store:
        assert set(metadata.tables) <= set(inspect(store.engine).get_table_names())
        assert version_of(store.engine, "gateway") == len(MIGRATIONS)
