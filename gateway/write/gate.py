"""The gate to the wire: the only caller of `Device.write_checked`. What is confirmed goes out once, or not at all."""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import assert_never

from gateway.clock import Clock
from gateway.errors import StoreError, WriteRefusedError
from gateway.link.bus import Lane
from gateway.model.point import Text
from gateway.poll.device import Device
from gateway.store.claims import Claims, End, Start
from gateway.write.cut_off import cut_off
from gateway.write.intents import intents_of
from gateway.write.interlocks import Interlocks
from gateway.write.look_ahead import look_ahead
from gateway.write.order import DONE, Ended, Order, OrderedWait, OrderedWrite, change, end_record, start_record, wait_record
from gateway.write.waits import Waits
from gateway.write.words import MAP_CHANGED, NO_AUDIT, STOPPING, message_of, not_sent, not_sent_because

log = logging.getLogger(__name__)

Told = Callable[[Sequence[Ended]], Awaitable[None]]
"""Hears after each step of a procedure what has ended so far."""


class Gate:
    """Executes orders on the devices, by id. Several orders may run at once; those to one device go one after another."""

    def __init__(self, devices: Mapping[str, Device], claims: Claims, clock: Clock) -> None:
        self._devices = devices
        self._claims = claims
        self._interlocks = Interlocks(devices)
        self._waits = Waits(devices, clock)
        self._across = asyncio.Lock()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._is_stopping = False
        self._halted: dict[str, Text | None] = {}
        """Procedures under way, and why no further step of one is begun."""

    def has_device(self, name: str) -> bool:
        """True if there is a device of this id."""
        return name in self._devices

    def stop(self) -> None:
        """Begin no further step of a procedure, and end its wait; writes that were begun come to their end."""
        self._is_stopping = True

    def halt(self, proposal: str, why: Text) -> bool:
        """The same for one procedure; False if it is not under way here."""
        if proposal not in self._halted:
            return False
        self._halted[proposal] = why
        return True

    async def execute(self, order: Order, told: Told) -> Sequence[Ended]:
        """Do what the order says; what follows a step that did not succeed is not sent.

        Never raises for what devices or the audit do. The audit holds the end of each step when this returns, if it can be.
        """
        if not order.procedure:
            return await self._together(order)
        self._halted[order.proposal] = None
        try:
            return await self._in_steps(order, told)
        finally:
            self._halted.pop(order.proposal)

    async def close_cut_off(self, order: Order, known: Mapping[int, str]) -> Sequence[Ended]:
        """How the steps of an order that was cut off ended: `known` holds the outcome of those begun, empty if it is not known."""
        ended = cut_off(order, known)
        for step, one in zip(order.steps, ended, strict=True):
            if not known.get(step.step):
                await self._record(order, [step], [one])
        return ended

    async def _together(self, order: Order) -> Sequence[Ended]:
        """Writes that go together: device by device, and none if one could not be sent as things are."""
        batches: dict[str, list[OrderedWrite]] = {}
        for write in order.writes:
            batches.setdefault(write.device, []).append(write)
        first = await look_ahead(self._devices, self._interlocks, batches) if len(batches) > 1 else None
        ended: list[Ended] = []
        is_stopped = first is not None
        for device, writes in batches.items():
            async with self._turns[device]:
                if is_stopped:
                    done: Sequence[Ended] = [first if first and first.step == write.step else not_sent(write) for write in writes]
                else:
                    done = await self._write(order, device, writes)
                    is_stopped = any(one.outcome not in DONE for one in done)
                await self._record(order, writes, done)
            ended += done
        return sorted(ended, key=lambda one: one.step)

    async def _in_steps(self, order: Order, told: Told) -> Sequence[Ended]:
        """The steps of a procedure one after another; the first that does not succeed, or cannot be recorded, ends it."""
        ended: list[Ended] = []
        is_recorded = True
        for step in order.steps:
            if any(one.outcome not in DONE for one in ended):
                why: Text | None = None
            elif not is_recorded:
                why = NO_AUDIT
            elif stopped := self._stopped(order):
                why = stopped
            else:
                done, is_recorded = await self._step(order, step)
                ended.append(done)
                await told(tuple(ended))
                continue
            ended.append(not_sent(step, why))
            await self._record(order, [step], ended[-1:])
            await told(tuple(ended))
        return ended

    async def _step(self, order: Order, step: OrderedWrite | OrderedWait) -> tuple[Ended, bool]:
        """How it ended, and whether the audit holds it."""
        match step:
            case OrderedWrite():
                async with self._turns[step.device]:
                    (done,) = await self._write(order, step.device, [step])
                    return done, await self._record(order, [step], [done])
            case OrderedWait():
                done = await self._waits.until(step, partial(self._stopped, order))
                return done, await self._record(order, [step], [done])
            case _:
                assert_never(step)

    def _stopped(self, order: Order) -> Text | None:
        """Why no further step of a procedure is begun; None if nothing speaks against it."""
        return STOPPING if self._is_stopping else self._halted.get(order.proposal)

    async def _write(self, order: Order, device_id: str, writes: Sequence[OrderedWrite]) -> Sequence[Ended]:
        device = self._devices.get(device_id)
        intents = None if device is None else intents_of(device, writes)
        if device is None or intents is None:
            return _stopped(writes, "MAP_CHANGED", MAP_CHANGED)
        broken = Text()

        async def interlocks(lane: Lane) -> str:
            nonlocal broken
            found = await self._interlocks.first_broken(device, writes, lane)
            if found is None:
                return ""
            broken = found[1].text
            return found[1].code

        async def before_send() -> None:
            await self._claims.begin(order.proposal, [_start(order, write, device) for write in writes])

        try:
            async with self._across if self._interlocks.reach_across(device, writes) else contextlib.nullcontext():
                written = await device.write_checked(intents, interlocks=interlocks, before_send=before_send)
        except StoreError as exc:
            log.error("write of proposal %s not sent, the audit cannot be written: %s", order.proposal, exc)  # noqa: TRY400 - one line
            return _stopped(writes, "AUDIT_DOWN", NO_AUDIT)
        except WriteRefusedError as exc:
            return _stopped(writes, exc.refusal, Text(exc.message, exc.message_zh))
        return [
            Ended(
                step=write.step,
                tag=write.tag,
                outcome=one.outcome,
                code=one.code,
                read_back=one.read_back,
                old_read=one.old,
                trouble=one.reason or ("" if one.exception is None else f"exception_{one.exception}"),
                message=broken if one.code == "INTERLOCK" else message_of(write, one),
            )
            for write, one in zip(writes, written, strict=True)
        ]

    async def _record(self, order: Order, steps: Sequence[OrderedWrite | OrderedWait], ended: Sequence[Ended]) -> bool:
        """Record 3. Without it a write that was begun counts as cut off, which blocks its point until somebody has looked."""
        try:
            ends = []
            for step, one in zip(steps, ended, strict=True):
                if isinstance(step, OrderedWait):
                    record = wait_record(order, step, one)
                    await self._claims.waited(order.proposal, End(step=step.step, tag=step.tag, outcome=one.outcome, record=record))
                else:
                    ends.append(End(step=step.step, tag=step.tag, outcome=one.outcome, record=end_record(order, step, one)))
            if ends:
                await self._claims.end(order.proposal, ends)
        except StoreError as exc:
            outcomes = [one.outcome for one in ended]
            log.error("outcome of proposal %s cannot be recorded: %s: %s", order.proposal, outcomes, exc)  # noqa: TRY400 - one line
            return False
        return True


def _start(order: Order, write: OrderedWrite, device: Device) -> Start:
    rule = device.map.points[write.point].write
    return Start(
        step=write.step,
        tag=write.tag,
        device=write.device,
        change=change(write.old, write.new),
        cooldown_s=0.0 if rule is None else rule.cooldown_s,
        record=start_record(order, write),
    )


def _stopped(writes: Sequence[OrderedWrite], code: str, why: Text) -> list[Ended]:
    first, *rest = writes
    message = not_sent_because(first.tag, why)
    return [Ended(step=first.step, tag=first.tag, outcome="refused", code=code, message=message), *map(not_sent, rest)]
