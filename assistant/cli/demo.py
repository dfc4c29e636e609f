"""`busmate demo`: simulated plant, gateway, assistant and page in one process."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.ask import print_answer
from gateway.cli.output import fail_with
from gateway.errors import GatewayError


def demo(
    ask: Annotated[str | None, typer.Option(help="answer this one question over the steady plant, and end")] = None,
    port: Annotated[int | None, typer.Option(help="port of the page; 0: any free one", min=0, max=65535)] = None,
    data: Annotated[Path | None, typer.Option(help="data folder; default: data/demo beside the packages")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="do not open a browser")] = False,
    user: Annotated[str, typer.Option(help="with --ask: operator, operator2, engineer or viewer")] = "operator",
    as_json: Annotated[bool, typer.Option("--json", help="with --ask: one JSON document")] = False,
) -> None:
    """A simulated pump station with everything on it."""
    from assistant.demo import ask_demo, serve_demo
    from gateway.app.loop import run_long

    try:
        if ask is not None:
            print_answer(asyncio.run(ask_demo(ask, user)), as_json=as_json)
        else:
            run_long(serve_demo(port=port, data=data, opens_browser=not no_browser))
    except GatewayError as error:
        fail_with(error, as_json=as_json)
