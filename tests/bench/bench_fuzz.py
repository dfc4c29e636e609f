"""Random and spoiled frames into every framer, 10^6 each in the full form: no crash, no hang, no wrong value.

Beside it, the same spoiled replies are given to pymodbus's own framers: how many of them it takes for a reply, and how many it dies of.
"""

import random
from collections import Counter
from time import perf_counter

from pymodbus.exceptions import ModbusException
from pymodbus.framer import FramerAscii, FramerRTU, FramerSocket
from pymodbus.framer.base import FramerBase
from pymodbus.pdu import DecodePDU

from tests.bench.report import Result, Run, say
from tests.fuzz.broken_frames import FAULTS, replies, requests, spoiled
from tests.fuzz.right_replies import FRAMINGS, Framing, any_request, right_reply, said_in
from tests.fuzz.small_bank import bank

_THEIRS: dict[Framing, type[FramerBase]] = {"tcp": FramerSocket, "rtu": FramerRTU, "ascii": FramerAscii}


def measure(run: Run) -> Result:
    """Replies and requests of all framings."""
    count = 1_000_000 if run.full else 10_000
    began = perf_counter()
    ends = {f"{framing}_replies": replies(framing, count, run.seed) for framing in FRAMINGS}
    ends |= {f"{framing}_requests": requests(framing, count, run.seed, bank()) for framing in FRAMINGS}
    faults = sum(each[fault] for each in ends.values() for fault in FAULTS)
    took = perf_counter() - began
    return Result(
        figures={"frames": count * len(ends), "faults": faults, "seconds": took, "seed": run.seed, "ends": ends},
        baseline={"frames": 5000, **{f"pymodbus_{framing}": pymodbus_replies(framing, 5000, run.seed) for framing in FRAMINGS}},
        meets_aim=faults == 0,
        is_right=faults == 0,
    )


def pymodbus_replies(framing: Framing, count: int, seed: int) -> Counter[str]:
    """How pymodbus's framer and decoder take spoiled replies; "unsupported" if no right reply stands in the bytes."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, no secret
    ends: Counter[str] = Counter()
    for _ in range(count):
        request = any_request(chance)
        tid = 1
        stream = spoiled(chance, right_reply(request, chance), request.unit_id, framing, tid)
        framer = _THEIRS[framing](DecodePDU(is_server=False))
        try:
            _, reply = framer.handleFrame(stream, request.unit_id, tid)
        except ModbusException:
            ends["refused"] += 1
        except Exception as error:  # noqa: BLE001 - what it dies of is what is counted
            ends[type(error).__name__] += 1
        else:
            is_there = any(True for _ in said_in(stream, request, framing, tid))
            ends["nothing" if reply is None else "value" if is_there else "unsupported"] += 1
    return ends


if __name__ == "__main__":
    say("fuzz", measure)
