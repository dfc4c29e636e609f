"""A simulated serial line on a pseudo terminal: RTU or ASCII, with the real line's timing if one is given."""

import asyncio
import contextlib
import os
import pty
import tty
from pathlib import Path

from simulators.line import Line, LineTiming
from simulators.session import Session
from simulators.station import Station


class PtyServer:
    """Serves one station on a pseudo terminal, whose other end clients open as a serial port (8N1; the line's format is in `timing`)."""

    def __init__(self, station: Station, *, timing: LineTiming | None = None, link_to: Path | None = None) -> None:
        self._station = station
        self._timing = timing
        self._link_to = link_to
        self._ends: tuple[int, int] | None = None
        self._session: Session | None = None
        self._terminal = ""
        self._path = ""

    @property
    def address(self) -> str:
        """The port to open, once started."""
        return self._path

    @property
    def pty_path(self) -> str:
        """The port to open, once started: the stable name if one was asked for."""
        return self._path

    async def start(self) -> None:
        """Make the terminal, and the symbolic link to it; raises OSError if a file that is no link stands there."""
        device, port = pty.openpty()
        tty.setraw(device)
        tty.setraw(port)
        os.set_blocking(device, False)
        self._ends = device, port
        self._terminal = self._path = os.ttyname(port)
        if self._link_to is not None:
            if self._link_to.is_symlink():
                self._link_to.unlink()
            self._link_to.symlink_to(self._terminal)
            self._path = str(self._link_to)
        self._session = Session(self._station, self._write, self._close_nothing, Line(self._timing) if self._timing else None)
        asyncio.get_running_loop().add_reader(device, self._read)

    async def stop(self) -> None:
        """Take the terminal away, and the link if it is still ours."""
        if self._ends is None:
            return
        asyncio.get_running_loop().remove_reader(self._ends[0])
        if self._session is not None:
            self._session.stop()
        for end in self._ends:
            os.close(end)
        self._ends = None
        if self._link_to is not None and self._link_to.is_symlink() and self._link_to.readlink() == Path(self._terminal):
            self._link_to.unlink()

    def _read(self) -> None:
        if self._ends is not None and self._session is not None:
            with contextlib.suppress(BlockingIOError):
                self._session.receive(os.read(self._ends[0], 4096))

    def _write(self, data: bytes) -> None:
        if self._ends is not None:
            with contextlib.suppress(BlockingIOError):  # nobody reads: a real line loses the bytes
                os.write(self._ends[0], data)

    def _close_nothing(self) -> None:
        """A serial line cannot be closed by the device."""
