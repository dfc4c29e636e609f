"""At run time: from what the assistant is handed, no path leads to confirmation or to the write gate."""

import functools
import types
from collections.abc import Iterator
from pathlib import Path

from gateway.api.events import EventHub
from gateway.app.pages import PageFeed
from gateway.service.confirm import ConfirmService
from gateway.store.claims import Claims
from gateway.write.gate import Gate
from tests.running_plant import running_plant

FORBIDDEN = (ConfirmService, Gate, Claims)
LEAVES = (str, bytes, int, float, type, types.ModuleType)
WALKED = {"gateway", "assistant", "tests", "builtins", "functools", "collections", "types", "mappingproxy"}
"""Packages whose objects are walked through: ours, and the containers that hold ours."""


def neighbours(thing: object) -> Iterator[object]:
    """What can be reached from an object in one step: attributes, items, bound objects, closures and partial arguments."""
    if isinstance(thing, dict):
        yield from thing.keys()
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    elif isinstance(thing, types.MethodType):
        yield thing.__self__
        yield thing.__func__
    elif isinstance(thing, functools.partial):
        yield thing.func
        yield from thing.args
        yield from thing.keywords.values()
    elif isinstance(thing, types.FunctionType):
        yield from (cell.cell_contents for cell in thing.__closure__ or () if not _is_empty(cell))
        yield from thing.__defaults__ or ()
    else:
        yield from getattr(thing, "__dict__", {}).values()
        for kind in type(thing).__mro__:
            for name in getattr(kind, "__slots__", ()):
                if not name.startswith("__") and hasattr(thing, name):
                    yield getattr(thing, name)


def _is_empty(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - reading it is the question
    except ValueError:
        return True
    return False


def reachable(start: object) -> Iterator[tuple[object, tuple[str, ...]]]:
    """Everything within reach of `start`, with the types on the way."""
    seen = {id(start)}
    queue: list[tuple[object, tuple[str, ...]]] = [(start, (type(start).__name__,))]
    while queue:
        thing, path = queue.pop()
        yield thing, path
        for one in neighbours(thing):
            if id(one) not in seen and type(one).__module__.partition(".")[0] in WALKED and not isinstance(one, LEAVES):
                seen.add(id(one))
                queue.append((one, (*path, type(one).__name__)))


async def test_the_assistants_side_reaches_neither_confirmation_nor_gate(tmp_path: Path) -> None:
    async with running_plant(tmp_path) as plant:
        pages = PageFeed(plant.gateway.read, plant.gateway.sink.take_news, plant.gateway.lockouts, EventHub())
        plant.gateway.listeners.append(pages.tell)
        handed = (plant.gateway.read, plant.gateway.propose)
        found = [path for thing, path in reachable(handed) if isinstance(thing, FORBIDDEN)]
        assert found == []
        assert any(isinstance(thing, Gate) for thing, _ in reachable(plant.gateway.confirm)), "the walk would see a gate if there were one"
