"""The gate to the wire: the only caller of `Device.write_checked`. What is confirmed goes out once, or not at all."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping, Sequence

from gateway.errors import StoreError, WriteRefusedError
from gateway.link.bus import Lane
from gateway.model.point import Text
from gateway.poll.device import Device
from gateway.poll.written import Outcome
from gateway.store.claims import Claims, End, Start
from gateway.write.intents import intents_of
from gateway.write.interlocks import Interlocks
from gateway.write.look_ahead import look_ahead
from gateway.write.order import Ended, Order, OrderedWrite, change_of, end_record, start_record
from gateway.write.words import MAP_CHANGED, UNKNOWN, message_of, not_sent_because

log = logging.getLogger(__name__)

_DONE = ("verified", "acknowledged")
_OUTCOMES: dict[str, Outcome] = {
    "verified": "verified",
    "differs": "differs",
    "acknowledged": "acknowledged",
    "changed_before": "changed_before",
    "refused": "refused",
    "not_sent": "not_sent",
}


class Gate:
    """Executes orders on the devices, by id. Several orders may run at once."""

    def __init__(self, devices: Mapping[str, Device], claims: Claims) -> None:
        self._devices = devices
        self._claims = claims
        self._interlocks = Interlocks(devices)
        self._across = asyncio.Lock()

    def has_device(self, name: str) -> bool:
        """True if there is a device of this id."""
        return name in self._devices

    async def execute(self, order: Order) -> Sequence[Ended]:
        """Write what the order says, device by device in its order; what follows a write that did not succeed is not sent.

        Never raises for what devices or the audit do. Record 3 of each write is in the audit when this returns, if it can be.
        """
        batches: dict[str, list[OrderedWrite]] = {}
        for write in order.writes:
            batches.setdefault(write.device, []).append(write)
        first = await look_ahead(self._devices, self._interlocks, batches) if len(batches) > 1 else None
        ended: list[Ended] = []
        is_stopped = first is not None
        for device, writes in batches.items():
            if is_stopped:
                done: Sequence[Ended] = [first if first and first.tag == write.tag else _not_sent(write) for write in writes]
            else:
                done = await self._write(order, device, writes)
                is_stopped = any(one.outcome not in _DONE for one in done)
            await self._record(order, writes, done)
            ended += done
        return ended

    async def close_cut_off(self, order: Order, sent: Mapping[str, str]) -> Sequence[Ended]:
        """How the writes of an order that was cut off ended: `sent` holds the outcome of those begun, empty if it is not known.

        A write that was never begun was not sent; one that was begun may have been.
        """
        ended = [_cut_off(write, sent) for write in order.writes]
        new = [(write, one) for write, one in zip(order.writes, ended, strict=True) if not sent.get(write.tag)]
        await self._record(order, [write for write, _ in new], [one for _, one in new])
        return ended

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
            starts = [
                Start(tag=write.tag, device=write.device, change=change_of(write), record=start_record(order, write)) for write in writes
            ]
            await self._claims.begin(order.proposal, starts)

        try:
            async with self._across if self._interlocks.reach_across(device, writes) else contextlib.nullcontext():
                written = await device.write_checked(intents, interlocks=interlocks, before_send=before_send)
        except StoreError as exc:
            log.error("write of proposal %s not sent, the audit cannot be written: %s", order.proposal, exc)  # noqa: TRY400 - one line
            return _stopped(writes, "AUDIT_DOWN", Text("the audit cannot be written", "审计记录无法写入"))
        except WriteRefusedError as exc:
            return _stopped(writes, exc.refusal, Text(exc.message, exc.message_zh))
        return [
            Ended(
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

    async def _record(self, order: Order, writes: Sequence[OrderedWrite], ended: Sequence[Ended]) -> None:
        """Record 3. Without it a write that was begun counts as cut off, which blocks its point until somebody has looked."""
        ends = [
            End(tag=write.tag, outcome=one.outcome, record=end_record(order, write, one)) for write, one in zip(writes, ended, strict=True)
        ]
        try:
            await self._claims.end(order.proposal, ends)
        except StoreError as exc:
            log.error("outcome of proposal %s cannot be recorded: %s: %s", order.proposal, [end.outcome for end in ends], exc)  # noqa: TRY400 - one line


def _stopped(writes: Sequence[OrderedWrite], code: str, why: Text) -> list[Ended]:
    first, *rest = writes
    return [
        Ended(tag=first.tag, outcome="refused", code=code, message=not_sent_because(first.tag, why)),
        *(_not_sent(write) for write in rest),
    ]


def _not_sent(write: OrderedWrite) -> Ended:
    return Ended(tag=write.tag, outcome="not_sent", message=Text(f"{write.tag} was not sent", f"{write.tag} 未发送"))


def _cut_off(write: OrderedWrite, sent: Mapping[str, str]) -> Ended:
    if write.tag not in sent:
        return _not_sent(write)
    known = _OUTCOMES.get(sent[write.tag])
    if known is not None:
        return Ended(tag=write.tag, outcome=known)
    return Ended(tag=write.tag, outcome="unknown", message=UNKNOWN)
