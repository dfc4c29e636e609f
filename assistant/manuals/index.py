"""The store of manuals and passages on an SQLAlchemy engine, and a snapshot of it in memory to search in.

The only file of the manuals that knows SQL. Vectors are float32 bytes; the search itself is exact and runs over the snapshot.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    String,
    Table,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from assistant.manuals.passage import ManualInfo, Passage
from assistant.manuals.snapshot import Entry, Snapshot, Vectors
from gateway.errors import StoreError, map_exceptions

_META = MetaData()
_SCHEMA = Table("manual_schema", _META, Column("version", Integer, primary_key=True))
_MANUALS = Table(
    "manuals",
    _META,
    Column("doc", String(200), primary_key=True),
    Column("title", Text, nullable=False),
    Column("revision", String(60), nullable=False),
    Column("models", Text, nullable=False),
    Column("lang", String(2), nullable=False),
    Column("pages", Integer, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("file", Text, nullable=False),
    Column("added_at", Float, nullable=False),
    Column("problem", Text, nullable=False),
    Column("reader", String(40), nullable=False),
    Column("embedder", String(200), nullable=False),
    Column("probe", LargeBinary, nullable=False),
)
_PASSAGES = Table(
    "manual_passages",
    _META,
    Column("id", String(36), primary_key=True),
    Column("doc", String(200), ForeignKey("manuals.doc"), nullable=False, index=True),
    Column("seq", Integer, nullable=False),
    Column("page", Integer, nullable=False),
    Column("section", Text, nullable=False),
    Column("kind", String(5), nullable=False),
    Column("lang", String(2), nullable=False),
    Column("text", Text, nullable=False),
    Column("header", Text, nullable=False),
    Column("vector", LargeBinary),
)


def _create(connection: Connection) -> None:
    _META.create_all(connection, tables=[_MANUALS, _PASSAGES])


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_create,)
"""Steps from an empty database to the present one, in order; a step that was released is never edited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the manifest says of how a manual was read and embedded."""

    doc: str
    sha256: str
    file: str
    reader: str
    embedder: str
    probe: bytes
    problem: str


REMOVED = "removed"
"""The `problem` of a manual that somebody removed: its row stays, so that its file in a source folder is not read again."""


class ManualIndex:
    """Manuals in a database. All methods block (call them by `to_thread`) and raise StoreError."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def migrate(self) -> None:
        """Bring the tables up to date.

        It looks before it writes, so that it takes the writer's lock at once: SQLite lets nobody write over what others wrote meanwhile.
        """
        with self._transaction(immediate=True) as connection:
            _META.create_all(connection, tables=[_SCHEMA])
            done = connection.scalar(select(func.max(_SCHEMA.c.version))) or 0
            if done > len(MIGRATIONS):
                raise StoreError(f"the manual index has version {done}, this program knows {len(MIGRATIONS)}", fix="update busmate")
            for version, step in enumerate(MIGRATIONS[done:], start=done + 1):
                step(connection)
                connection.execute(insert(_SCHEMA).values(version=version))

    def put(self, info: ManualInfo, passages: Sequence[Passage], *, reader: str) -> None:
        """Store a manual with its passages in place of an older one, in one transaction; vectors come later."""
        manual = {
            "doc": info.doc,
            "title": info.title,
            "revision": info.revision,
            "models": json.dumps(info.models, ensure_ascii=False),
            "lang": info.lang,
            "pages": info.pages,
            "sha256": info.sha256,
            "file": info.file,
            "added_at": info.added_at.timestamp(),
            "problem": info.problem,
            "reader": reader,
            "embedder": "",
            "probe": b"",
        }
        rows = [
            {
                "id": passage.id,
                "doc": info.doc,
                "seq": seq,
                "page": passage.page,
                "section": passage.section,
                "kind": passage.kind,
                "lang": passage.lang,
                "text": passage.text,
                "header": passage.header,
            }
            for seq, passage in enumerate(passages)
        ]
        with self._transaction() as connection:
            _delete(connection, info.doc)
            connection.execute(insert(_MANUALS), manual)
            if rows:
                connection.execute(insert(_PASSAGES), rows)

    def put_vectors(self, doc: str, vectors: Sequence[tuple[str, bytes]], *, embedder: str, probe: bytes) -> None:
        """Store the vectors (passage id, float32 bytes) of a whole manual in one transaction."""
        with self._transaction() as connection:
            if vectors:
                given = update(_PASSAGES).where(_PASSAGES.c.id == bindparam("key")).values(vector=bindparam("made"))
                connection.execute(given, [{"key": passage_id, "made": vector} for passage_id, vector in vectors])
            connection.execute(update(_MANUALS).where(_MANUALS.c.doc == doc).values(embedder=embedder, probe=probe))

    def remove(self, doc: str) -> None:
        """Forget the passages of a manual and remember that it was removed."""
        with self._transaction() as connection:
            connection.execute(delete(_PASSAGES).where(_PASSAGES.c.doc == doc))
            connection.execute(update(_MANUALS).where(_MANUALS.c.doc == doc).values(problem=REMOVED, embedder="", probe=b""))

    def generation(self) -> str:
        """Changes whenever a manual comes, goes or gets its vectors, by whatever process."""
        with self._transaction() as connection:
            return _generation(connection.execute(select(_MANUALS)).all())

    def stored(self) -> tuple[Stored, ...]:
        """The manifest, sorted by name."""
        with self._transaction() as connection:
            return tuple(
                Stored(
                    doc=row.doc,
                    sha256=row.sha256,
                    file=row.file,
                    reader=row.reader,
                    embedder=row.embedder,
                    probe=row.probe,
                    problem=row.problem,
                )
                for row in connection.execute(select(_MANUALS).order_by(_MANUALS.c.doc))
            )

    def passages(self, doc: str) -> tuple[Passage, ...]:
        """The passages of one manual in reading order."""
        query = select(_PASSAGES).where(_PASSAGES.c.doc == doc).order_by(_PASSAGES.c.seq)
        with self._transaction() as connection:
            return tuple(
                Passage(id=row.id, page=row.page, section=row.section, kind=row.kind, text=row.text, header=row.header, lang=row.lang)
                for row in connection.execute(query)
            )

    def snapshot(self, embedder: str) -> Snapshot:
        """All passages in memory; vectors only of manuals that `embedder` (its id) made."""
        with self._transaction() as connection:
            manuals = {row.doc: row for row in connection.execute(select(_MANUALS))}
            rows = connection.execute(select(_PASSAGES).order_by(_PASSAGES.c.doc, _PASSAGES.c.seq)).all()
        counts: dict[str, int] = {}
        entries: list[Entry] = []
        embedded: list[tuple[int, bytes]] = []
        for place, row in enumerate(rows):
            manual = manuals[row.doc]
            counts[row.doc] = counts.get(row.doc, 0) + 1
            entries.append(
                Entry(
                    doc=row.doc,
                    page=row.page,
                    section=row.section,
                    kind=row.kind,
                    lang=row.lang,
                    text=row.text,
                    header=row.header,
                    models=tuple(json.loads(manual.models)),
                )
            )
            if row.vector is not None and manual.embedder == embedder:
                embedded.append((place, row.vector))
        infos = {doc: _info(row, counts.get(doc, 0), embedder) for doc, row in manuals.items() if row.problem != REMOVED}
        return Snapshot.build(entries, infos, _vectors(embedded), _generation(list(manuals.values())))

    @contextmanager
    def _transaction(self, *, immediate: bool = False) -> Iterator[Connection]:
        engine = self._engine.execution_options(immediate=immediate)
        with map_exceptions({SQLAlchemyError: StoreError}, "the manual index"), engine.begin() as connection:
            yield connection


def _generation(rows: Sequence[Row[Any]]) -> str:
    return "\n".join(sorted(f"{row.doc} {row.sha256} {row.added_at} {row.reader} {row.embedder} {row.problem}" for row in rows))


def _vectors(embedded: Sequence[tuple[int, bytes]]) -> Vectors:
    places = np.array([place for place, _ in embedded], dtype=np.int64)
    matrix = np.frombuffer(b"".join(vector for _, vector in embedded), dtype=np.float32)
    return Vectors(places=places, matrix=matrix.reshape(len(embedded), -1) if embedded else np.zeros((0, 0), dtype=np.float32))


def _delete(connection: Connection, doc: str) -> None:
    connection.execute(delete(_PASSAGES).where(_PASSAGES.c.doc == doc))
    connection.execute(delete(_MANUALS).where(_MANUALS.c.doc == doc))


def _info(row: Row[Any], passages: int, embedder: str) -> ManualInfo:
    return ManualInfo(
        doc=row.doc,
        title=row.title,
        revision=row.revision,
        models=tuple(json.loads(row.models)),
        lang=row.lang,
        pages=row.pages,
        passages=passages,
        sha256=row.sha256,
        file=row.file,
        added_at=datetime.fromtimestamp(row.added_at, tz=UTC),
        embedded=bool(embedder) and row.embedder == embedder,
        problem=row.problem,
    )
