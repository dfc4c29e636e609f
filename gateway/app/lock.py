"""A data folder belongs to one running gateway."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gateway.errors import ConfigError, Finding


@contextmanager
def data_folder(folder: Path) -> Iterator[None]:
    """Hold `folder` (made if it is missing) until the end; ConfigError if another gateway holds it, or it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        file = os.open(folder / "busmate.lock", os.O_RDWR | os.O_CREAT, 0o640)
    except OSError as exc:
        finding = Finding(
            code="data_dir", message=f"the data folder {folder} cannot be written: {exc.strerror}", fix="give it another data_dir"
        )
        raise ConfigError([finding]) from exc
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as exc:
        os.close(file)
        fix = "stop that one, or give this one its own data_dir"
        raise ConfigError([Finding(code="data_dir", message=f"another gateway runs with the data folder {folder}", fix=fix)]) from exc
    try:
        yield
    finally:
        os.close(file)
