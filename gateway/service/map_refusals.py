"""Why a change of a map is refused, in both languages."""

from gateway.errors import WriteRefusedError
from gateway.model.point import Role
from gateway.service.account_desk import PASSWORD_AGAIN
from gateway.service.base import Actor


def needs_engineer(actor: Actor) -> None:
    """Raises WriteRefusedError for anybody else."""
    if not actor.role.includes(Role.ENGINEER):
        raise refused("ROLE", "changing maps needs the role engineer", "修改点表需要工程师权限")


def needs_password(actor: Actor) -> None:
    """What two persons sign, each signs with the password; raises WriteRefusedError if it was given too long ago."""
    if not actor.is_fresh:
        raise refused("PASSWORD_AGAIN", *PASSWORD_AGAIN)


def changed() -> WriteRefusedError:
    """What would be put in place is not what was shown."""
    return refused("CHANGED", "the files changed since this was shown", "文件在提出之后已变化，请重新提出")


def over() -> WriteRefusedError:
    """Nothing of this id waits."""
    return refused("EXPIRED", "no change of this id waits; it may be over", "没有此待确认变更，可能已过期")


def refused(code: str, words: str, words_zh: str) -> WriteRefusedError:
    """A rule says no."""
    return WriteRefusedError([code], words, words_zh)
