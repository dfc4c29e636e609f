"""The rules of writes over the steps of a procedure: each is judged by the plant as the steps before it leave it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from gateway.errors import WriteRefusedError
from gateway.model.condition import Condition, Source, parse
from gateway.model.encode import Encoded
from gateway.model.point import Access, Point, Step
from gateway.model.proposal import (
    Fresh,
    Standing,
    conditions_for,
    interlock_refusals,
    old_refusals,
    rate_refusals,
    standing_refusals,
    step_refusals,
)
from gateway.model.refusal import Refusal
from gateway.model.sample import Scalar, Tag
from gateway.service.base import Actor
from gateway.service.check import WITHOUT_PLANT, Checked, encoded_for, value_of
from gateway.service.rules import Located, LocatedProcedure, PlantPoints, Rules, refusal, refused
from gateway.write.order import change


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedWait:
    """A wait whose point is there and can be read."""

    tag: Tag
    condition: Condition
    source: Source
    timeout_s: float
    device: str
    map_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Write:
    """A step that writes, before it is judged. `turn` counts the writes of its tag before it."""

    tag: Tag
    value: Scalar
    there: Located
    turn: int


_Place = tuple[str, str]
"""Device and point."""


class StepChecker:
    """Judges a procedure; all of its steps must pass before the first is written."""

    def __init__(self, plant: PlantPoints, rules: Rules) -> None:
        self._plant = plant
        self._rules = rules

    async def check(self, procedure: LocatedProcedure, actor: Actor) -> Sequence[Checked | CheckedWait]:
        """The steps with their words and old values; raises WriteRefusedError with every rule that says no."""
        steps = self._steps(procedure)
        writes = [step for step in steps if isinstance(step, _Write)]
        points = {step.tag: step.there.point for step in writes}
        standings = await self._rules.standings(list(points), actor.user, actor.role)
        refusals = [found for tag, point in points.items() for found in standing_refusals(tag, point, standings[tag], is_step=True)]
        asks_plant = not any(found.code in WITHOUT_PLANT for found in refusals)
        encoded: dict[int, Encoded | None] = {}
        for number, step in enumerate(steps):
            if isinstance(step, _Write):
                encoded[number], faults = await encoded_for(self._rules, step.tag, step.there, step.value, asks_plant=asks_plant)
                refusals += faults
        if asks_plant:
            fresh = await self._fresh(steps, encoded)
            refusals += self._judge(steps, encoded, fresh, standings)
        refusals += [found for tag, point in points.items() for found in rate_refusals(tag, point, standings[tag])]
        if refusals:
            raise refused(refusals)
        return list(_checked(steps, encoded, fresh))

    def _steps(self, procedure: LocatedProcedure) -> list["_Write | CheckedWait"]:
        steps: list[_Write | CheckedWait] = []
        for step in procedure.procedure.steps:
            if step.write is None or step.value is None:
                steps.append(self._wait(procedure, step))
                continue
            tag = Tag(f"{procedure.device}.{step.write}")
            turn = sum(isinstance(one, _Write) and one.tag == tag for one in steps)
            steps.append(_Write(tag=tag, value=step.value, there=self._plant.point(tag), turn=turn))
        return steps

    def _wait(self, procedure: LocatedProcedure, step: Step) -> CheckedWait:
        condition = parse(step.wait or "")
        source = self._rules.source(condition, procedure.device)
        if source is None or source.point.access is Access.WO:
            raise _unreadable(procedure.name, condition)
        return CheckedWait(
            tag=Tag(f"{source.device}.{source.point.name}"),
            condition=condition,
            source=source,
            timeout_s=step.timeout_s,
            device=procedure.device,
            map_version=procedure.map_version,
        )

    async def _fresh(self, steps: Sequence["_Write | CheckedWait"], encoded: Mapping[int, Encoded | None]) -> dict[int, Fresh]:
        """What is read for each write: all points at once, and again only for the conditions of a point's later values."""
        fresh: dict[int, Fresh] = {}
        writes = {number: step for number, step in enumerate(steps) if isinstance(step, _Write)}
        for turn in sorted({step.turn for step in writes.values()}):
            of_turn = {number: step for number, step in writes.items() if step.turn == turn}
            read = await self._rules.fresh({step.tag: value_of(encoded[number]) for number, step in of_turn.items()})
            fresh.update({number: read[step.tag] for number, step in of_turn.items()})
        return fresh

    def _judge(
        self,
        steps: Sequence["_Write | CheckedWait"],
        encoded: Mapping[int, Encoded | None],
        fresh: Mapping[int, Fresh],
        standings: Mapping[Tag, Standing],
    ) -> Iterator[Refusal]:
        """Old values, steps and interlocks. A condition on a point that an earlier step sets or waits for is judged at the write."""
        olds, moved, brought_about = _olds(steps, encoded, fresh), dict[Tag, Decimal](), set[_Place]()
        for number, step in enumerate(steps):
            if isinstance(step, CheckedWait):
                brought_about.add((step.source.device, step.source.point.name))
                continue
            new, old, first = value_of(encoded[number]), olds[number], fresh[number].old
            if step.turn == 0 and first is not None:
                yield from old_refusals(step.tag, first)
            if new is not None:
                standing = standings[step.tag]
                so_far = standing.moved + moved.get(step.tag, Decimal(0))
                yield from step_refusals(step.tag, step.there.point, old, new, replace(standing, moved=so_far))
                moved[step.tag] = moved.get(step.tag, Decimal(0)) + (change(old, new) or Decimal(0))
            conditions = [one for one in conditions_for(step.there.point, new) if self._place(one, step) not in brought_about]
            yield from interlock_refusals(step.tag, conditions, fresh[number].readings)
            brought_about |= {(step.there.device, name) for name in _sets(step.there.point)}

    def _place(self, condition: Condition, step: _Write) -> _Place | None:
        source = self._rules.source(condition, step.there.device)
        return None if source is None else (source.device, source.point.name)


def shows_itself(point: Point) -> bool:
    """True if the point reads what was written to it, so that a later step may expect that."""
    rule = point.write
    return rule is not None and rule.readback is True and not rule.pulse and point.access is not Access.WO


def _sets(point: Point) -> set[str]:
    readback = point.write.readback if point.write is not None else True
    return {point.name, readback} if isinstance(readback, str) else {point.name}


def _olds(
    steps: Sequence["_Write | CheckedWait"], encoded: Mapping[int, Encoded | None], fresh: Mapping[int, Fresh]
) -> dict[int, Scalar | None]:
    """What each write replaces: the value read now, or what an earlier step will have left there; None if nothing tells."""
    olds: dict[int, Scalar | None] = {}
    left: dict[Tag, Scalar | None] = {}
    for number, step in enumerate(steps):
        if isinstance(step, _Write):
            read = fresh[number].old
            olds[number] = left[step.tag] if step.turn else None if read is None else read.value
            left[step.tag] = value_of(encoded[number]) if shows_itself(step.there.point) else None
    return olds


def _checked(
    steps: Sequence["_Write | CheckedWait"], encoded: Mapping[int, Encoded | None], fresh: Mapping[int, Fresh]
) -> Iterator[Checked | CheckedWait]:
    olds = _olds(steps, encoded, fresh)
    for number, step in enumerate(steps):
        if isinstance(step, CheckedWait):
            yield step
            continue
        rule, words = step.there.point.write, encoded[number]
        if rule is None or words is None:
            raise AssertionError(f"{step.tag} passed the rules without words to write")
        yield Checked(tag=step.tag, wanted=step.value, located=step.there, rule=rule, encoded=words, old=olds[number])


def _unreadable(name: str, condition: Condition) -> WriteRefusedError:
    return refusal("NOT_ALLOWED", f"{name} waits for {condition}, which cannot be read", f"{name} 等待的条件 {condition} 无法读取")
