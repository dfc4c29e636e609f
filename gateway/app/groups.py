"""One error out of a task group is that error, not a group of one."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def single_error() -> Iterator[None]:
    """Around a TaskGroup: if exactly one error comes out of it, however deep, it comes out as itself."""
    try:
        yield
    except BaseExceptionGroup as group:
        leaves = list(_leaves(group))
        if len(leaves) != 1:
            raise
        raise leaves[0] from None


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for one in group.exceptions:
        if isinstance(one, BaseExceptionGroup):
            yield from _leaves(one)
        else:
            yield one
