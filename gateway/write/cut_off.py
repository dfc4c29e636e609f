"""What is known of an order that a crash cut off. Nothing of it is ever sent again."""

from collections.abc import Mapping

from gateway.poll.written import Outcome
from gateway.write.order import DONE, Ended, Order, OrderedWait, OrderedWrite
from gateway.write.words import CUT_OFF_WAIT, UNKNOWN, not_sent

_OUTCOMES: dict[str, Outcome] = {
    "verified": "verified",
    "differs": "differs",
    "acknowledged": "acknowledged",
    "changed_before": "changed_before",
    "refused": "refused",
    "not_sent": "not_sent",
}


def cut_off(order: Order, known: Mapping[int, str]) -> list[Ended]:
    """How each step ended: `known` holds the outcomes of the steps begun, empty where it is not known.

    A write that was begun may have been sent; a wait that came next was not met; all the rest was not sent.
    """
    ended: list[Ended] = []
    for step in order.steps:
        is_next = all(one.outcome in DONE for one in ended)
        ended.append(_wait(step, known, is_next=is_next) if isinstance(step, OrderedWait) else _write(step, known))
    return ended


def _write(write: OrderedWrite, known: Mapping[int, str]) -> Ended:
    if write.step not in known:
        return not_sent(write)
    outcome = _OUTCOMES.get(known[write.step])
    if outcome is not None:
        return Ended(step=write.step, tag=write.tag, outcome=outcome)
    return Ended(step=write.step, tag=write.tag, outcome="unknown", message=UNKNOWN)


def _wait(wait: OrderedWait, known: Mapping[int, str], *, is_next: bool) -> Ended:
    match known.get(wait.step):
        case "met":
            return Ended(step=wait.step, tag=wait.tag, outcome="met")
        case "not_met":
            return Ended(step=wait.step, tag=wait.tag, outcome="not_met")
        case _ if is_next and wait.step not in known:
            return Ended(step=wait.step, tag=wait.tag, outcome="not_met", message=CUT_OFF_WAIT)
        case _:
            return not_sent(wait)
