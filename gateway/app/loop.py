"""The event loop of the commands that run for days."""

import asyncio
from collections.abc import Coroutine
from typing import Any

try:
    from uvloop import new_event_loop
except ImportError:  # not made for every system
    from asyncio import new_event_loop  # type: ignore[assignment]


def run_long(main: Coroutine[Any, Any, None]) -> None:
    """Run `main` to its end on uvloop where there is one: it polls a thousand sockets with less CPU than the standard loop."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main)
