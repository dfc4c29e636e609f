"""`python -m gateway CONFIG`: the gateway alone, without an assistant."""

import sys
from functools import partial
from pathlib import Path

from gateway.app import running
from gateway.app.lock import data_folder
from gateway.app.loop import run_long
from gateway.app.process import first_admin_lines, refuse_open_door, reload_on_hangup, until_signal
from gateway.app.web import address_of, listen, serving
from gateway.clock import SystemClock
from gateway.errors import GatewayError
from gateway.settings import Settings, load_settings


def main(arguments: list[str]) -> None:
    """Run until a signal."""
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        sys.stderr.write("usage: python -m gateway CONFIG\n")
        raise SystemExit(2)
    try:
        settings = load_settings(Path(arguments[0]))
        with data_folder(settings.data_dir):
            run_long(_run(settings))
    except GatewayError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(1) from error


async def _run(settings: Settings) -> None:
    opened = listen(settings.web)
    load = partial(load_settings, settings.file)
    async with until_signal() as stop, running(settings, SystemClock(), load=load) as gateway:
        await refuse_open_door(gateway, settings.web)
        with reload_on_hangup(gateway):
            async with serving(gateway, settings.web, opened):
                address = address_of(settings.web, opened)
                for line in (address, *await first_admin_lines(gateway, address)):
                    sys.stdout.write(f"{line}\n")
                sys.stdout.flush()
                await stop.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
