"""Ordered steps from an empty database to the present tables, and the table that remembers how far each owner is."""

from collections.abc import Callable, Sequence

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, String, Table, func, insert, select, text, update

from gateway.errors import StoreError
from gateway.store.tables import api_tokens, executions, first_codes, map_changes, metadata
from gateway.store.tables_0_1 import frozen

Migration = Callable[[Connection], None]

_versions = Table(
    "schema_versions",
    MetaData(),
    Column("owner", String(40), primary_key=True),
    Column("version", Integer, nullable=False),
)


def migrate(engine: Engine, owner: str, migrations: Sequence[Migration]) -> int:
    """Run those of `owner`'s migrations that this database has not seen, each in one transaction; their number.

    A step that fails leaves the database at the step before. Raises StoreError if the database is newer than the program.
    """
    done = 0
    with engine.execution_options(immediate=True).begin() as connection:
        _versions.create(connection, checkfirst=True)
    while _step(engine, owner, migrations):
        done += 1
    return done


def version_of(engine: Engine, owner: str) -> int:
    """How many of `owner`'s migrations this database has seen."""
    with engine.begin() as connection:
        return _version(connection, owner) or 0


def _step(engine: Engine, owner: str, migrations: Sequence[Migration]) -> bool:
    with engine.execution_options(immediate=True).begin() as connection:
        seen = _version(connection, owner)
        version = seen or 0
        if version > len(migrations):
            raise StoreError(
                f"the database has version {version} of {owner}, this program knows {len(migrations)}",
                fix="update busmate, or open a database of this version",
            )
        if version == len(migrations):
            return False
        migrations[version](connection)
        if seen is None:
            connection.execute(insert(_versions).values(owner=owner, version=1))
        else:
            connection.execute(update(_versions).where(_versions.c.owner == owner).values(version=version + 1))
        return True


def _version(connection: Connection, owner: str) -> int | None:
    return connection.execute(select(_versions.c.version).where(_versions.c.owner == owner)).scalar()


def _first(connection: Connection) -> None:
    """The tables of release 0.1. The step that changes one of them freezes its old shape in `tables_0_1` first."""
    old = frozen()
    for table in metadata.sorted_tables:
        if table.name not in old.tables:
            table.to_metadata(old)
    old.create_all(connection)


def _tokens(connection: Connection) -> None:
    """Tokens of programs, and the code that makes the first admin."""
    metadata.create_all(connection, tables=[api_tokens, first_codes])


def _steps(connection: Connection) -> None:
    """A proposal may write a point in several steps, and says why it was rejected or died."""
    connection.execute(text("ALTER TABLE proposals ADD COLUMN why TEXT NOT NULL DEFAULT ''"))
    connection.execute(text("DROP INDEX executions_tag"))
    connection.execute(text("ALTER TABLE executions RENAME TO executions_0_1"))
    executions.create(connection)
    old = frozen().tables["executions"].to_metadata(MetaData(), name="executions_0_1")
    other = old.alias()
    earlier = select(func.count()).where(other.c.proposal == old.c.proposal, other.c.tag < old.c.tag).scalar_subquery()
    kept = [column.name for column in old.columns]
    connection.execute(insert(executions).from_select(["step", *kept], select(earlier, *old.columns)))
    old.drop(connection)


def _map_changes(connection: Connection) -> None:
    """Changes of maps wait for a second engineer over a restart."""
    metadata.create_all(connection, tables=[map_changes])


MIGRATIONS: tuple[Migration, ...] = (_first, _tokens, _steps, _map_changes)
