"""Servers and clients in C that we did not write: libmodbus, compiled when it is needed, and where it is not installed, why not."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

_HERE = Path(__file__).parent


def lack(*tools: str) -> str:
    """What is missing of a C compiler, libmodbus and further programs, as a reason to leave something out; empty if nothing is."""
    missing = [tool for tool in ("cc", *tools) if shutil.which(tool) is None]
    if not missing and not _has_libmodbus():
        missing = ["libmodbus (Debian: libmodbus-dev)"]
    return f"not installed: {', '.join(missing)}" if missing else ""


def need(*tools: str) -> None:
    """Skip the test if something is missing; fail it where nothing may be (BUSMATE_CI)."""
    reason = lack(*tools)
    if reason:
        (pytest.fail if os.environ.get("BUSMATE_CI") else pytest.skip)(reason)


def build(source: str, folder: Path) -> Path:
    """The program of `source` (beside this file, or a path), compiled into `folder`."""
    path = _HERE / source
    program = folder / path.stem
    command = ["cc", "-O2", "-Wall", "-Werror", "-o", str(program), str(path), "-lmodbus"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return program


@contextmanager
def started(program: Path, arguments: Sequence[str]) -> Iterator[str]:
    """A server while it is needed; gives the line it prints when it is ready. It ends when its standard input is closed."""
    with subprocess.Popen([str(program), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if not line:
            raise RuntimeError(f"{program.name} did not start")
        try:
            yield line
        finally:
            process.terminate()


def _has_libmodbus() -> bool:
    command = ["cc", "-fsyntax-only", "-x", "c", "-"]
    return subprocess.run(command, input="#include <modbus/modbus.h>\n", text=True, capture_output=True, check=False).returncode == 0
