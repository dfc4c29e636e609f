"""One thread that writes: jobs one by one, each its own transaction; samples in batches between them."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Generic, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from gateway.errors import StoreError, map_exceptions
from gateway.store.base import StoredSample, StoreStatus

log = logging.getLogger(__name__)

T = TypeVar("T")
Keep = Callable[[Connection, Sequence[StoredSample]], None]

FOREIGN: dict[type[BaseException], type[StoreError]] = {SQLAlchemyError: StoreError}


@dataclass(frozen=True, slots=True)
class _Job(Generic[T]):
    work: Callable[[Connection], T]
    done: "Future[T]"
    after_samples: bool

    def run(self, engine: Engine) -> None:
        """One transaction: committed before the result is known, rolled back with the error."""
        if not self.done.set_running_or_notify_cancel():
            return
        try:
            with map_exceptions(FOREIGN, "the database refused a write"), engine.begin() as connection:
                result = self.work(connection)
        except BaseException as exc:  # noqa: BLE001 - handed to whoever waits, who raises it
            self.done.set_exception(exc)
        else:
            self.done.set_result(result)


class Writer:
    """Owns the writing side of an engine.

    Both queues are bounded. A job that finds its queue full is refused with StoreError. When the sample buffer is full
    (the database has not taken any for long) the oldest samples are dropped and counted.
    """

    def __init__(
        self, engine: Engine, keep: Keep, *, max_jobs: int = 1000, max_samples: int = 200_000, batch: int = 1000, lag_s: float = 0.5
    ) -> None:
        self._engine = engine.execution_options(immediate=True)
        self._keep = keep
        self._max_jobs, self._max_samples, self._batch, self._lag_s = max_jobs, max_samples, batch, lag_s
        self._jobs: deque[_Job[object]] = deque()
        self._samples: deque[StoredSample] = deque()
        self._due: float | None = None
        self._is_stopping = False
        self._dropped = 0
        self._trouble = ""
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def status(self) -> StoreStatus:
        """How it fares now."""
        return StoreStatus(waiting=len(self._samples), dropped=self._dropped, trouble=self._trouble)

    def submit(self, work: Callable[[Connection], T], *, after_samples: bool = False) -> "Future[T]":
        """Queue one transaction; with `after_samples` all samples put so far are written before it."""
        job: _Job[T] = _Job(work, Future(), after_samples)
        with self._wake:
            if self._is_stopping:
                raise StoreError("the store is closed")
            if len(self._jobs) >= self._max_jobs:
                raise StoreError(f"the database is {self._max_jobs} writes behind", fix="check the disk of the data folder")
            self._jobs.append(job)  # type: ignore[arg-type]  # the queue only runs jobs, it never looks at their results
            self._wake.notify()
        return job.done

    def put(self, samples: Sequence[StoredSample]) -> None:
        """Buffer samples; they are written within `lag_s`, or sooner if many come."""
        with self._wake:
            excess = len(self._samples) + len(samples) - self._max_samples
            for _ in range(min(excess, len(self._samples))):
                self._samples.popleft()
            if excess > 0:
                self._dropped += excess
                samples = samples[-self._max_samples :]
            self._samples.extend(samples)
            if self._due is None and self._samples:
                self._due = monotonic() + self._lag_s
                self._wake.notify()

    def stop(self) -> None:
        """Write what is queued, then end the thread; blocks until it has ended."""
        with self._wake:
            self._is_stopping = True
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        """By turns a job and, when they are due, one batch of samples: neither waits for a backlog of the other."""
        while True:
            with self._wake:
                while not (self._jobs or self._is_stopping or self._samples_due()):
                    self._wake.wait(None if self._due is None else max(0.0, self._due - monotonic()))
                job = self._jobs.popleft() if self._jobs else None
                is_last = self._is_stopping and job is None
            if is_last or (job is not None and job.after_samples):
                while self._write_batch():
                    pass
            if job is not None:
                job.run(self._engine)
            if is_last:
                return
            if self._samples_due():
                self._write_batch()

    def _samples_due(self) -> bool:
        return self._due is not None and (monotonic() >= self._due or (len(self._samples) >= self._batch and not self._trouble))

    def _write_batch(self) -> bool:
        """Write the oldest samples; False if there are none left. What cannot be written stays and is tried again later."""
        with self._wake:
            batch = list(islice(self._samples, self._batch))
            dropped = self._dropped
        if batch and not self._kept(batch):
            return False
        with self._wake:
            for _ in range(len(batch) - (self._dropped - dropped)):
                self._samples.popleft()
            if not self._samples:
                self._due = None
            return bool(self._samples)

    def _kept(self, batch: Sequence[StoredSample]) -> bool:
        try:
            with self._engine.begin() as connection:
                self._keep(connection, batch)
        except SQLAlchemyError as exc:
            self._due = monotonic() + 10 * self._lag_s
            if not self._trouble:
                log.error("samples cannot be stored, they wait in memory: %s", exc)  # noqa: TRY400 - one line, no traceback
            self._trouble = str(exc)
            return False
        if self._trouble:
            log.info("samples are stored again")
            self._trouble = ""
        return True
