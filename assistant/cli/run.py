"""`busmate run`: gateway and assistant of a configuration."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.output import fail_with
from gateway.errors import GatewayError


def run(config: Annotated[Path, typer.Argument(help="a configuration")]) -> None:
    """Gateway, assistant and page, until Ctrl-C."""
    from assistant.app.serving import serve_config
    from gateway.app.loop import run_long

    try:
        run_long(serve_config(config))
    except GatewayError as error:
        fail_with(error)
