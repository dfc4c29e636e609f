"""Samples over time: exact values, periods, retention."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gateway.model.sample import Scalar, Tag
from gateway.store.base import StoredSample, from_us, to_us
from gateway.store.engine import Store
from gateway.store.samples import Samples
from gateway.store.series import pack, unpack

T0 = datetime(2026, 3, 10, 6, 0, tzinfo=UTC)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(2**64), max_value=2**64),
    st.floats(allow_nan=False),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.decimals(),
    st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
)


@given(SCALARS)
def test_unpack_undoes_pack(value: Scalar | None) -> None:
    back = unpack(*pack(value))
    assert (type(back), str(back)) == (type(value), str(value))


@given(st.datetimes(timezones=st.just(UTC)))
def test_microseconds_are_exact(at: datetime) -> None:
    assert from_us(to_us(at)) == at


def at(second: float) -> datetime:
    return T0 + timedelta(seconds=second)


def sample(second: float, value: Scalar | None, tag: str = "lt1.level", reason: str | None = None) -> StoredSample:
    return StoredSample(tag=Tag(tag), at=at(second), value=value, reason=reason)


async def test_query_starts_with_the_value_that_held(store: Store) -> None:
    samples = Samples(store)
    samples.put([sample(n, Decimal(n)) for n in range(0, 60, 10)])
    samples.put([sample(21, 5, "other.tag")])
    found = await samples.query("lt1.level", at(25), at(40))
    assert [(one.at, one.value) for one in found] == [(at(20), 20), (at(30), 30), (at(40), 40)]
    assert await samples.query("no.such", at(0), at(60)) == []


async def test_limit_keeps_the_newest(store: Store) -> None:
    samples = Samples(store)
    samples.put([sample(n, n) for n in range(10)])
    assert [one.value for one in await samples.query("lt1.level", at(0), at(9), limit=3)] == [7, 8, 9]


async def test_reason_and_missing_value_are_kept(store: Store) -> None:
    samples = Samples(store)
    samples.put([sample(0, None, reason="timeout"), sample(1, 7.5, reason="out_of_range")])
    found = await samples.query("lt1.level", at(0), at(1))
    assert [(one.value, one.reason) for one in found] == [(None, "timeout"), (7.5, "out_of_range")]


async def test_second_sample_of_a_moment_replaces_the_first(store: Store) -> None:
    samples = Samples(store)
    samples.put([sample(0, 1), sample(0, 2)])
    await store.flush()
    samples.put([sample(0, 3)])
    assert [one.value for one in await samples.query("lt1.level", at(0), at(1))] == [3]


async def test_latest_and_oldest(store: Store) -> None:
    samples = Samples(store)
    assert (await samples.oldest(), await samples.latest()) == (None, [])
    samples.put([sample(n, n, tag) for n in range(3) for tag in ("a.x", "b.y")] + [sample(9, 9, "a.x")])
    assert [(one.tag, one.value) for one in await samples.latest()] == [("a.x", 9), ("b.y", 2)]
    assert [one.tag for one in await samples.latest(["b.y"])] == ["b.y"]
    assert (await samples.oldest("b.y"), await samples.oldest("c.z")) == (at(0), None)


async def test_prune_keeps_the_value_that_held_at_the_limit(store: Store) -> None:
    samples = Samples(store)
    samples.put([sample(n, n) for n in range(10)] + [sample(0, 1, "set.once")])
    assert await samples.prune(at(0)) == 0
    assert await samples.prune(at(5)) == 4
    assert [one.value for one in await samples.query("lt1.level", at(0), at(9))] == [4, 5, 6, 7, 8, 9]
    assert [one.value for one in await samples.query("set.once", at(5), at(9))] == [1]
    assert await samples.prune(at(5)) == 0


async def test_text_with_a_nul_is_stored(store: Store) -> None:
    samples = Samples(store)
    samples.put([sample(0, "T1\0RAW")])
    assert [one.value for one in await samples.latest()] == ["T1\N{SYMBOL FOR NULL}RAW"]


async def test_text_that_is_no_text_is_stored(store: Store) -> None:
    samples = Samples(store)
    samples.put([sample(0, "T1\ud800")])
    assert [one.value for one in await samples.latest()] == ["T1?"]


async def test_another_process_sees_the_same_series(store: Store, tmp_path: Path) -> None:
    samples = Samples(store)
    samples.put([sample(0, 1)])
    await store.flush()
    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as other:
        Samples(other).put([sample(1, 2)])
        await other.flush()
    assert [one.value for one in await samples.query("lt1.level", at(0), at(1))] == [1, 2]
