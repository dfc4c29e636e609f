"""The database of one data folder: one writer, readers on their own connections."""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from sqlite3 import Connection as SqliteConnection
from typing import Self, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from gateway.errors import StoreError, map_exceptions
from gateway.store.migrations import MIGRATIONS, migrate
from gateway.store.series import SeriesTable
from gateway.store.writer import FOREIGN, Writer

T = TypeVar("T")

_READERS = 4


class Store:
    """Opens the database by its URL, `sqlite:///file` or `postgresql+psycopg://...`.

    `write` and `read` run a function with a connection on another thread, in one transaction. `engine` is for parts
    that bring tables of their own (with `migrate` and a list of their own).
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.writer = Writer(engine, SeriesTable().keep)
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="store-reader")

    @classmethod
    async def open(cls, url: str) -> Self:
        """Open and migrate; raises StoreError."""
        return cls(await asyncio.to_thread(_prepare, url))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the writer; it is committed when this returns. Raises StoreError."""
        return await asyncio.wrap_future(self.writer.submit(work))

    def post(self, work: Callable[[Connection], None]) -> None:
        """Run `work` on the writer in order, without waiting for it. Raises StoreError if the queue is full."""
        self.writer.submit(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a reader. Raises StoreError."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, work)

    async def flush(self) -> None:
        """Return when all samples put so far are in the database."""
        await asyncio.wrap_future(self.writer.submit(lambda _: None, after_samples=True))

    async def close(self) -> None:
        """Write what waits, then let go of the database."""
        await asyncio.to_thread(self._close)

    def _read(self, work: Callable[[Connection], T]) -> T:
        with map_exceptions(FOREIGN, "the database cannot be read"), self.engine.begin() as connection:
            return work(connection)

    def _close(self) -> None:
        self.writer.stop()
        self._readers.shutdown()
        self.engine.dispose()


def _prepare(url: str) -> Engine:
    try:
        engine = create_engine(make_url(url))
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as exc:
        raise StoreError(f"store.url is not usable: {exc}", fix="write sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME") from exc
    if engine.dialect.name == "sqlite":
        _make_private(engine.url.database)
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    try:
        with map_exceptions(FOREIGN, f"the database {engine.url.render_as_string()} cannot be opened"):
            migrate(engine, "gateway", MIGRATIONS)
    except StoreError:
        with contextlib.suppress(SQLAlchemyError):
            engine.dispose()
        raise
    return engine


def _make_private(path: str | None) -> None:
    """A new database file is its owner's alone; SQLite gives its other files the same mode."""
    if path:
        with map_exceptions({OSError: StoreError}, f"the database {path} cannot be made"):
            Path(path).touch(mode=0o600)


def _set_up_sqlite(connection: SqliteConnection, _: object) -> None:
    """Readers beside one writer (WAL), commits that survive a power cut, transactions begun by us."""
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes the lock at once: a transaction that reads first must not fail when it comes to write."""
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
