"""propose_ack: a wanted acknowledgement of one alarm; a person confirms it elsewhere."""

from typing import ClassVar

from pydantic import Field

from assistant.errors import ToolFailedError, ToolInputError
from assistant.language.alarms import NamedAlarm, meant_alarms
from assistant.language.context import wish_in_context
from assistant.language.shown import name_text
from assistant.tools.base import Args, Turn
from gateway.errors import WriteRefusedError
from gateway.model.point import Role


class ProposeAckArgs(Args):
    """Which alarm."""

    alarm: str = Field(max_length=60, pattern=r"^[A-Za-z0-9_.:-]+$", description="the alarm's id, as list_alarms names it")


class ProposeAck:
    """Makes a pending acknowledgement of the alarm that the operator named."""

    name: ClassVar[str] = "propose_ack"
    description: ClassVar[str] = "Propose to acknowledge one alarm that the operator asked to acknowledge. A person confirms it."
    args: ClassVar[type[Args]] = ProposeAckArgs
    least_role: ClassVar[Role] = Role.OPERATOR
    ends_turn: ClassVar[bool] = True

    async def run(self, args: ProposeAckArgs, turn: Turn) -> str:
        """Check that the operator's words ask for this, then let the gateway check the rest; refusals raise."""
        wish = wish_in_context(turn.question, turn.earlier)
        if wish is None or wish.kind != "ack":
            raise ToolFailedError(
                "NOT_ALLOWED: the operator's message asks for no acknowledgement / 操作员没有要求确认报警。", code="NOT_ALLOWED"
            )
        alarms = {alarm.id: alarm for alarm in turn.read.alarms()}
        if args.alarm not in alarms:
            raise ToolInputError(f"no alarm is called {args.alarm}; list_alarms names them: {', '.join(alarms) or 'none'}")
        named = [
            NamedAlarm(
                id=alarm.id,
                words=f"{alarm.text.en} {alarm.text.zh} {name_text(turn.read.point(alarm.tag))}",
                is_open="UNACK" in alarm.state,
            )
            for alarm in alarms.values()
        ]
        meant = meant_alarms(wish.subject, named)
        if [alarm.id for alarm in meant] != [args.alarm]:
            names = ", ".join(alarm.id for alarm in meant) or "none"
            raise ToolFailedError(
                f"NOT_ALLOWED: the operator's words mean {names}; ask which one / 请先问清楚要确认哪一个报警。", code="NOT_ALLOWED"
            )
        try:
            proposal = await turn.propose.propose_ack(args.alarm, turn.actor)
        except WriteRefusedError as exc:
            raise ToolFailedError(f"{exc.refusal}: {exc} / {exc.message_zh}", code=exc.refusal) from exc
        turn.proposals.append(proposal)
        text = alarms[args.alarm].text
        return (
            f"proposed {proposal.id}: acknowledge {args.alarm} ({text.en} / {text.zh})"
            f"; waiting for confirmation by a person, nothing is acknowledged yet"
        )


tool = ProposeAck()
