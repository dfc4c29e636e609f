"""`busmate ask`: one question through the agent, without the web server."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.output import fail_with, print_json
from gateway.errors import GatewayError


def ask(
    config: Annotated[Path, typer.Argument(help="a configuration")],
    text: Annotated[str, typer.Argument(help="the question, English or Chinese")],
    user: Annotated[str, typer.Option(help="the account that asks; default: the login name")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
) -> None:
    """One question through the agent."""
    from assistant.app.asking import ask_config

    try:
        answer = asyncio.run(ask_config(config, text, user))
    except GatewayError as error:
        fail_with(error, as_json=as_json)
    print_answer(answer, as_json=as_json)


def print_answer(answer: dict[str, object], *, as_json: bool) -> None:
    """The answer as JSON, or as its text with sources."""
    if as_json:
        print_json(answer)
        return
    print(answer["answer"])
    cited = answer["citations"]
    if isinstance(cited, list) and cited:
        print("  " + ", ".join(f"[{page['doc']} p. {page['page']}]" for page in cited))
