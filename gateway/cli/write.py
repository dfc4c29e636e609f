"""`write`: the same proposal, rules, confirmation, read-back and audit as anywhere else, on the terminal."""

import asyncio
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

from gateway.app import Gateway, running
from gateway.app.terminal import actor_for
from gateway.cli.output import fail, fail_with, print_json
from gateway.clock import SystemClock
from gateway.errors import GatewayError, WriteRefusedError
from gateway.model.sample import Scalar
from gateway.service.base import Actor, Proposal, ProposedWrite, WantedWrite
from gateway.settings import load_settings

_DONE = ("verified", "acknowledged")


def write(
    config: Annotated[Path, typer.Argument(help="a configuration")],
    tag: Annotated[str, typer.Argument(help="a tag, DEVICE.point")],
    value: Annotated[str, typer.Argument(help="a number in the point's unit, or an enum label")],
    reason: Annotated[str, typer.Option(help="why; stands in the audit")],
    user: Annotated[str, typer.Option(help="the account that acts; default: the login name")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="confirm without being asked")] = False,
    repeat: Annotated[str | None, typer.Option(help="the value once more, for points that need two steps")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """Propose, confirm, write, read back; exit status 1 unless verified or acknowledged."""
    try:
        proposal = asyncio.run(_write(config, WantedWrite(tag=tag, value=_typed(value)), reason, user, yes=yes, repeat=repeat))
    except WriteRefusedError as error:
        refused = {
            "outcome": "refused",
            "code": error.refusal,
            "codes": list(error.codes),
            "old": None,
            "requested": None,
            "read_back": None,
        }
        if as_json:
            print_json({**refused, "proposal": None, "error": error.refusal, "message": error.message, "fix": error.fix})
            raise typer.Exit(1) from error
        fail(error.refusal, f"refused ({error.refusal}): {error.message}", fix=error.fix)
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    outcome = proposal.ending
    wanted = proposal.writes[0]
    if as_json:
        print_json(
            {
                "outcome": outcome.outcome if outcome else None,
                "code": outcome.code if outcome else "",
                "old": wanted.old,
                "requested": wanted.new,
                "read_back": outcome.read_back if outcome else None,
                "proposal": proposal.id,
                "state": proposal.state,
            }
        )
    else:
        print(f"{outcome.outcome}: {outcome.message.en}" if outcome else f"{proposal.id} is {proposal.state}: nothing was written")
    raise typer.Exit(int(outcome is None or outcome.outcome not in _DONE))


async def _write(config: Path, wanted: WantedWrite, reason: str, user: str, *, yes: bool, repeat: str | None) -> Proposal:
    async with running(load_settings(config), SystemClock(), owns=False) as gateway:
        actor = await actor_for(gateway, user)
        proposal = await gateway.propose.propose([wanted], reason, actor)
        if proposal.confirm == "two_step" and yes and repeat is None:
            words = "this point needs the value twice: give --repeat VALUE instead of --yes"
            raise WriteRefusedError(["NOT_ALLOWED"], words, "该测点需再次输入数值：用 --repeat 代替 --yes")
        if not yes and repeat is None:
            repeat, agrees = await asyncio.to_thread(_ask, proposal)
            if not agrees:
                return await gateway.confirm.reject(proposal.id, actor, "declined at the terminal")
        return await _confirm(gateway, proposal, actor, repeat)


async def _confirm(gateway: Gateway, proposal: Proposal, actor: Actor, repeat: str | None) -> Proposal:
    return await gateway.confirm.confirm(proposal.id, proposal.nonce, actor, repeat=repeat)


def _ask(proposal: Proposal) -> tuple[str | None, bool]:
    """The person's answer to the card: (the value repeated, yes)."""
    for one in proposal.writes:
        sys.stderr.write(f"{one.tag}: {_shown(one, one.old)} -> {_shown(one, one.new)}\n")
    for note in proposal.notes:
        sys.stderr.write(f"  {note.en}\n")
    if proposal.confirm == "two_step":
        sys.stderr.write("type the new value again to confirm: ")
        sys.stderr.flush()
        answer = sys.stdin.readline().strip()
        return answer or None, bool(answer)
    sys.stderr.write("write? [y/N] ")
    sys.stderr.flush()
    return None, sys.stdin.readline().strip().lower() in ("y", "yes")


def _shown(one: ProposedWrite, value: Scalar | None) -> str:
    label = one.old_label if value is one.old else one.new_label
    return str(label) if isinstance(label, str) else f"{'-' if value is None else value} {one.unit}".strip()


def _typed(text: str) -> Scalar:
    try:
        return int(text) if text.lstrip("+-").isdigit() else Decimal(text)
    except (InvalidOperation, ValueError):
        return text
