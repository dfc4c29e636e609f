"""`busmate eval`: the operator benchmark over the simulated plant."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import fail, fail_with, print_json
from gateway.errors import GatewayError

if TYPE_CHECKING:
    from assistant.eval.record import Record

_LLMS = "builtin, config, scripted:perfect or scripted:hostile"


def evaluate(
    questions: Annotated[Path | None, typer.Option(help="JSON lines; default: the questions that ship")] = None,
    plant: Annotated[Path | None, typer.Option(help="the plant's facts; default: the ones that ship")] = None,
    out: Annotated[Path | None, typer.Option(help="write a record of each question here, one JSON line each")] = None,
    llm: Annotated[str, typer.Option(help=_LLMS)] = "builtin",
    config: Annotated[Path | None, typer.Option(help="with --llm config: the configuration that names the model server")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """Ask every question over a plant of its own and score what comes back."""
    from assistant.eval import command, report

    if llm not in command.LLMS or (llm == "config" and config is None):
        fail("USAGE", f"--llm {llm} cannot be used", fix=f"one of {_LLMS}; config also needs --config", as_json=as_json, status=2)
    records: list[Record] = []
    try:
        document = asyncio.run(command.evaluated(questions, plant, llm, config, records.append))
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    except (OSError, ValueError) as error:
        fail("INPUT", str(error), fix="give a file of questions, or a plant, of the benchmark's form", as_json=as_json)
    if out is not None:
        out.write_text("".join(record.line() + "\n" for record in records), "utf-8")
    if as_json:
        print_json(document)
    else:
        print(report.table(document))
