"""All rules of `gateway.model.proposal` over wanted writes, held against the plant as it is now."""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.errors import UnknownTagError, WriteRefusedError
from gateway.model.encode import Encoded
from gateway.model.point import Role, Text, WriteRule
from gateway.model.proposal import Fresh, plant_refusals, rate_refusals, standing_refusals, value_refusals
from gateway.model.refusal import Refusal
from gateway.model.sample import Scalar, Tag
from gateway.service.base import Actor, WantedWrite
from gateway.service.rules import Located, PlantPoints, Rules, looks_raw, refusal, refused

WITHOUT_PLANT = frozenset({"ROLE", "READ_ONLY", "NOT_ALLOWED", "LOCKED_OUT"})
"""Refused for one of these, a write costs the bus nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A wanted write that passed every rule; `old` is what it replaces, None if nothing tells."""

    tag: Tag
    wanted: Scalar
    located: Located
    rule: WriteRule
    encoded: Encoded
    old: Scalar | None


class Checker:
    """Judges wanted writes; all must pass."""

    def __init__(self, plant: PlantPoints, rules: Rules) -> None:
        self._plant = plant
        self._rules = rules

    async def check(self, writes: Sequence[WantedWrite], actor: Actor) -> Sequence[Checked]:
        """The writes with their words and old values; raises WriteRefusedError with every rule that says no."""
        located = self._locate(writes, actor)
        standings = await self._rules.standings(list(located), actor.user, actor.role)
        refusals = [found for tag, there in located.items() for found in standing_refusals(tag, there.point, standings[tag])]
        asks_plant = not any(found.code in WITHOUT_PLANT for found in refusals)
        encoded: dict[Tag, Encoded | None] = {}
        for write in writes:
            tag = Tag(write.tag)
            encoded[tag], faults = await encoded_for(self._rules, tag, located[tag], write.value, asks_plant=asks_plant)
            refusals += faults
        fresh: dict[Tag, Fresh] = {}
        if asks_plant:
            fresh = await self._rules.fresh({tag: value_of(found) for tag, found in encoded.items()})
        for tag, there in located.items():
            if tag in fresh:
                refusals += plant_refusals(tag, there.point, value_of(encoded[tag]), standings[tag], fresh[tag])
            refusals += rate_refusals(tag, there.point, standings[tag])
        if refusals:
            raise refused(refusals)
        values = {Tag(write.tag): write.value for write in writes}
        return [_checked(tag, values[tag], there, encoded[tag], fresh[tag]) for tag, there in located.items()]

    def _locate(self, writes: Sequence[WantedWrite], actor: Actor) -> dict[Tag, Located]:
        if not writes or len({write.tag for write in writes}) != len(writes):
            raise refusal("NOT_ALLOWED", "name each point to be written once", "每个要写入的点须且只能出现一次")
        located = {}
        for write in writes:
            try:
                located[Tag(write.tag)] = self._plant.point(write.tag)
            except UnknownTagError:
                if looks_raw(write.tag):
                    raise _no_raw(write.tag, actor.role) from None
                raise
        return located


async def encoded_for(
    rules: Rules, tag: Tag, located: Located, value: Scalar, *, asks_plant: bool
) -> tuple[Encoded | None, Sequence[Refusal]]:
    """The words of a value, or why it has none; a scale that another point holds is read if the plant may be asked."""
    if located.point.write is None:
        return None, ()
    if located.point.held_by is None:
        return value_refusals(tag, located.point, value, None)
    if not asks_plant:
        return None, ()
    scale = await rules.scale(located.device, located.point.held_by)
    if scale is None:
        words = Text(f"{tag}: its scale, held by {located.point.held_by}, cannot be read now", f"{tag}：当前读不到其比例系数")
        return None, [Refusal(code="OFFLINE", text=words)]
    return value_refusals(tag, located.point, value, scale)


def value_of(encoded: Encoded | None) -> Scalar | None:
    """The value as it will read back; None if there is none."""
    return None if encoded is None else encoded.value


def _checked(tag: Tag, wanted: Scalar, located: Located, encoded: Encoded | None, fresh: Fresh) -> Checked:
    rule = located.point.write
    if rule is None or encoded is None:
        raise AssertionError(f"{tag} passed the rules without words to write")
    old = None if fresh.old is None else fresh.old.value
    return Checked(tag=tag, wanted=wanted, located=located, rule=rule, encoded=encoded, old=old)


def _no_raw(tag: str, role: Role) -> WriteRefusedError:
    words = Text(f"{tag} names a register or unit; only points can be written", f"{tag} 是寄存器或站号，只能写入已命名的点")
    refusals = [Refusal(code="NO_RAW", text=words)]
    if not role.includes(Role.OPERATOR):
        refusals.append(Refusal(code="ROLE", text=Text("writing needs role operator and above", "写入需要操作员及以上权限")))
    return refused(refusals)
