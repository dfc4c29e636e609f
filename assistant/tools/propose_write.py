"""propose_write: a wanted write, checked by the gateway's rules; a person confirms it elsewhere."""

from decimal import Decimal
from typing import ClassVar

from pydantic import Field

from assistant.errors import ToolFailedError, ToolInputError
from assistant.language.context import wish_in_context
from assistant.language.shown import number_text
from assistant.language.target import Candidate, candidates, choose, match, queries, state_code, wanted
from assistant.language.wish import Wish
from assistant.tools.base import Args, Turn
from gateway.errors import UnknownTagError, WriteRefusedError
from gateway.model.point import Role
from gateway.service.base import PointInfo, WantedWrite

NOT_ASKED = "NOT_ALLOWED"
"""The refusal code of a proposal that the operator's own words do not ask for."""


class ProposeWriteArgs(Args):
    """What is to be written. Nothing here can confirm it."""

    point: str = Field(max_length=120, description="a point, as find_points names it")
    value: float | int | str = Field(description="a number in the point's unit, or the exact label of a state")
    reason: str = Field(min_length=1, max_length=200, description="why, in the operator's words")


class ProposeWrite:
    """Makes a pending proposal of what the operator asked for, and of nothing else."""

    name: ClassVar[str] = "propose_write"
    description: ClassVar[str] = (
        "Propose a write that the operator asked for in their own words: exactly one point and one value"
        ". Nothing is written before a person "
        "confirms. A refusal is final: tell the operator the reason."
    )
    args: ClassVar[type[Args]] = ProposeWriteArgs
    least_role: ClassVar[Role] = Role.OPERATOR
    ends_turn: ClassVar[bool] = True

    async def run(self, args: ProposeWriteArgs, turn: Turn) -> str:
        """Check that the operator's words ask for this, then let the gateway check the rest; a refusal raises ToolFailedError."""
        try:
            info = turn.read.point(args.point)
        except UnknownTagError as exc:
            raise ToolInputError(f"{exc}; find_points finds the right name", code="NO_RAW") from exc
        value = _number(args.value, info)
        await _check_asked(turn, info, value)
        try:
            proposal = await turn.propose.propose([WantedWrite(tag=info.tag, value=_exact(value))], args.reason, turn.actor)
        except WriteRefusedError as exc:
            raise ToolFailedError(f"{exc.refusal}: {exc} / {exc.message_zh}", code=exc.refusal) from exc
        turn.proposals.append(proposal)
        write = proposal.writes[0]
        old = "?" if write.old is None else str(write.old)
        return (
            f"proposed {proposal.id}: {write.tag} {old} -> {write.new} {write.unit}".rstrip()
            + "; waiting for confirmation by a person, nothing is written yet"
        )


tool = ProposeWrite()


def _number(value: float | str, info: PointInfo) -> Decimal:
    if isinstance(value, str):
        code = next((code for code, text in info.enum.items() if value in (text.en, text.zh)), None)
        if code is None:
            labels = ", ".join(text.en for text in info.enum.values())
            raise ToolInputError(
                f"value must be a number{f' or one of {labels}' if labels else ''}, not the text {value!r}", code="UNREPRESENTABLE"
            )
        return Decimal(code)
    number = Decimal(str(value))
    if not number.is_finite():
        raise ToolInputError("value must be a finite number", code="UNREPRESENTABLE")
    return number


def _exact(value: Decimal) -> int | Decimal:
    return int(value) if value == value.to_integral_value() else value


async def _check_asked(turn: Turn, info: PointInfo, value: Decimal) -> None:
    """Raise unless the operator's own words ask for this value of this point, and of no other that fits as well."""
    wish = wish_in_context(turn.question, turn.earlier)
    if wish is None or wish.kind == "ack":
        raise ToolFailedError(
            "NOT_ALLOWED: the operator's message asks for no change, so nothing may be proposed / 操作员没有要求更改，不能提出写入。",
            code=NOT_ASKED,
        )
    target = Candidate(tag=info.tag, unit=info.unit, is_writable=True, labels=info.enum)
    asked = queries(wish)
    meant = choose(wish, [candidates(match(turn.read, query)) for query in asked])
    if asked and len(meant) != 1 and info.tag in {one.tag for one in meant}:
        names = ", ".join(one.tag for one in meant)
        raise ToolFailedError(
            f"NOT_ALLOWED: the operator's words fit {names} equally; ask which one is meant / 操作员的话对应多个点，请先问清楚。",
            code=NOT_ASKED,
        )
    if asked and info.tag not in {one.tag for one in meant}:
        raise ToolFailedError(f"NOT_ALLOWED: the operator's words do not mean {info.tag} / 操作员的话指的不是 {info.tag}。", code=NOT_ASKED)
    if not await _is_wanted(turn, wish, target, info, value):
        raise ToolFailedError(
            f"NOT_ALLOWED: the operator did not ask for {number_text(value)}; ask for the value"
            f". 操作员没有要求 {number_text(value)}，请先问清楚数值。",
            code=NOT_ASKED,
        )


async def _is_wanted(turn: Turn, wish: Wish, target: Candidate, info: PointInfo, value: Decimal) -> bool:
    if wish.kind == "undo":
        entries = await turn.read.audit(info.tag if wish.subject else None)
        written = [entry for entry in entries if entry.outcome in ("verified", "acknowledged", "differs")]
        return bool(written) and written[0].tag == info.tag and _same(written[0].old, value)
    if wish.kind == "set" and info.enum and wish.amount is None:
        return state_code(wish, info.enum) == value
    old: Decimal | None = None
    if wish.kind in ("more", "less") or wish.factor is not None:
        sample = (await turn.read.fresh([info.tag]))[0]
        old = None if sample.value is None or isinstance(sample.value, (str, bool)) else Decimal(str(sample.value))
    want = wanted(wish, target, old, (info.min, info.max))
    return want is not None and abs(want - value) < Decimal("1e-6")


def _same(old: object, value: Decimal) -> bool:
    return isinstance(old, (int, float, Decimal)) and abs(Decimal(str(old)) - value) < Decimal("1e-6")
