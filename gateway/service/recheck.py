"""At the yes: everything that was tested when the card was made and can be tested without the wire, once more."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from hmac import compare_digest
from typing import Protocol

from gateway.errors import UnknownTagError, WriteRefusedError
from gateway.model.point import Point, Role
from gateway.model.proposal import limit_refusals, rate_refusals, standing_refusals, step_refusals, value_refusals
from gateway.model.refusal import Refusal
from gateway.model.sample import Tag
from gateway.service.base import Actor
from gateway.service.card import Card, CardWait, CardWrite
from gateway.service.decide import check_repeat
from gateway.service.digest import digest_of
from gateway.service.rules import PlantPoints, Rules, refusal, refused
from gateway.store.base import ProposalRow
from gateway.write.order import change


class People(Protocol):
    """The role an account has at this moment."""

    async def role_of(self, user: str) -> Role | None:
        """None if there is no such account, or it is disabled."""
        ...


class DeadProposalError(WriteRefusedError):
    """The card can never be confirmed any more; `why` is what ended it."""

    def __init__(self, why: str, code: str, en: str, zh: str) -> None:
        super().__init__([code], en, zh)
        self.why = why


class Recheck:
    """Holds a card against the rules, the roles and the maps of now."""

    def __init__(self, plant: PlantPoints, people: People, rules: Rules) -> None:
        self._plant = plant
        self._people = people
        self._rules = rules

    async def check(self, row: ProposalRow, card: Card, nonce: str, actor: Actor, repeat: str | None) -> None:
        """Raises WriteRefusedError with every rule that says no, DeadProposalError if the card can never be confirmed any more."""
        if actor.via not in ("page", "api", "cli") or (actor.via != "cli" and not actor.session):
            raise refusal(
                "NOT_ALLOWED", "only a signed-in person confirms, on the page or at the terminal", "只能由已登录的人员在页面或终端确认"
            )
        if not compare_digest(nonce.encode(errors="replace"), row.nonce.encode()) or row.digest != digest_of(
            row.body, row.nonce, row.proposer, row.session
        ):
            raise refusal("NOT_ALLOWED", "this is not the card that was shown", "与显示的写入建议不符")
        role = await self.role(actor.user)
        if not role.includes(card.role):
            raise refusal("ROLE", f"confirming this needs role {card.role} and above", f"确认此操作需要 {card.role} 及以上权限")
        proposer = await self._people.role_of(row.proposer)
        if proposer is None or not proposer.includes(card.role):
            raise DeadProposalError("user", "ROLE", "the proposer may not write this any more", "提出人已无此权限")
        if any(not self._is_same_map(step) for step in card.steps):
            raise DeadProposalError("map", "MAP_CHANGED", "the map was changed since the card was made", "点表已变更，请重新提出")
        await self._check_rules(card, actor.user, role)
        check_repeat(card, repeat, {write.shown.tag: self._plant.point(write.shown.tag).point.enum for write in card.writes})

    async def role(self, user: str) -> Role:
        """The role the account has now, whatever its session says."""
        role = await self._people.role_of(user)
        if role is None:
            raise refusal("ROLE", f"{user} has no account here", f"{user} 没有有效账户")
        return role

    async def _check_rules(self, card: Card, user: str, role: Role) -> None:
        standings = await self._rules.standings(list(dict.fromkeys(write.shown.tag for write in card.writes)), user, role)
        refusals: list[Refusal] = []
        moved: dict[Tag, Decimal] = {}
        for write in card.writes:
            shown, point = write.shown, self._plant.point(write.shown.tag).point
            so_far = standings[shown.tag].moved + moved.get(shown.tag, Decimal(0))
            standing = replace(standings[shown.tag], open_count=0, minute_count=0, moved=so_far)
            refusals += standing_refusals(shown.tag, point, standing, is_step=bool(card.procedure))
            refusals += _value_refusals(write, point)
            refusals += step_refusals(shown.tag, point, shown.old, shown.new, standing)
            refusals += rate_refusals(shown.tag, point, standing)
            moved[shown.tag] = moved.get(shown.tag, Decimal(0)) + (change(shown.old, shown.new) or Decimal(0))
        if refusals:
            raise refused(refusals)

    def _is_same_map(self, step: CardWrite | CardWait) -> bool:
        try:
            return self._plant.point(step.shown.tag).map_version == step.map_version
        except UnknownTagError:
            return False


def _value_refusals(write: CardWrite, point: Point) -> Sequence[Refusal]:
    """What the point's rules say to the value now; where a scale is read from the device, the write itself looks at the words."""
    if point.held_by is not None:
        return list(limit_refusals(write.shown.tag, point, write.wanted))
    return value_refusals(write.shown.tag, point, write.wanted, None)[1]
