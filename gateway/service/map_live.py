"""What the map desk needs of the running plant."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from gateway.maps.diff import Change


class CandidateLike(Protocol):
    """A configuration that was read and is right."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """How it differs from the running one."""
        ...

    @property
    def digest(self) -> str:
        """The same for the same changes."""
        ...


_C = TypeVar("_C", bound=CandidateLike)


class Live(Protocol[_C]):
    """The running plant, which can take another configuration."""

    async def candidate(self, maps_first: Sequence[Path] = ()) -> _C:
        """What the files say now; raises ConfigError."""
        ...

    async def activate(self, candidate: _C, *, by: str, via: str) -> None:
        """Put it in place."""
        ...
