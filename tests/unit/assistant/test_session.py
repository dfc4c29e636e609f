"""What a conversation remembers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage

from assistant.session import MAX_CHARS, MAX_EXCHANGES, Exchange, TurnMemory


def exchanges(count: int, size: int = 10) -> list[Exchange]:
    return [Exchange(question=f"q{n}", answer=f"a{n}" + "." * size) for n in range(count)]


def test_last_exchanges_are_kept_in_order() -> None:
    memory = TurnMemory.of(exchanges(10, size=0))
    assert [message.content for message in memory.get()] == [text for n in range(4, 10) for text in (f"q{n}", f"a{n}")]
    assert [message.role.value for message in memory.get()][:2] == ["user", "assistant"]


def test_long_answers_leave_less_room() -> None:
    memory = TurnMemory.of(exchanges(6, size=1500))
    assert [message.content for message in memory.get_all()][::2] == ["q4", "q5"]


def test_one_exchange_that_is_too_long_is_left_out() -> None:
    assert TurnMemory.of(exchanges(1, size=MAX_CHARS)).get() == []


async def test_memory_of_one_run_does_not_touch_another() -> None:
    history = exchanges(1)
    first, second = TurnMemory.of(history), TurnMemory.of(history)
    await first.aput(ChatMessage(role="user", content="question"))
    assert len(await first.aget()) == 3
    assert len(await second.aget()) == 2


@pytest.mark.parametrize("act", ["reset", "set"])
def test_reset_and_set_replace_all(act: str) -> None:
    memory = TurnMemory.of(exchanges(2))
    if act == "reset":
        memory.reset()
    else:
        memory.set([])
    memory.put(ChatMessage(role="user", content="x"))
    assert [message.content for message in memory.get()] == ["x"]


def test_empty_memory() -> None:
    assert TurnMemory.from_defaults().get() == []


@settings(deadline=None)
@given(sizes=st.lists(st.integers(0, 5000), max_size=12))
def test_memory_is_bounded(sizes: list[int]) -> None:
    history = [Exchange(question="q", answer="a" * size) for size in sizes]
    kept = TurnMemory.of(history).get()
    assert sum(len(message.content or "") for message in kept) <= MAX_CHARS
    assert len(kept) <= 2 * MAX_EXCHANGES
