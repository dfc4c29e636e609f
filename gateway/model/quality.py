"""Quality of a value and the reasons for it (INTERFACES: qualities)."""

from enum import StrEnum


class Quality(StrEnum):
    """How far a value may be trusted; BAD means that there is no value."""

    GOOD = "GOOD"
    UNCERTAIN = "UNCERTAIN"
    BAD = "BAD"


# Reasons of UNCERTAIN.
STALE = "stale"
OUT_OF_RANGE = "out_of_range"

# Reasons of BAD that come from the value.
NOT_AVAILABLE = "not_available"
NOT_FINITE = "not_finite"
BAD_BCD_DIGIT = "bad_bcd_digit"
BAD_MOD10_GROUP = "bad_mod10_group"
BAD_TEXT = "bad_text"
BAD_DATE = "bad_date"
BAD_SCALE_FACTOR = "bad_scale_factor"

# Reasons of BAD that come from the wire; a device's exception code n gives `exception_n`.
WAITING = "waiting"
TIMEOUT = "timeout"
LINK_DOWN = "link_down"
CRC_ERROR = "crc_error"
LENGTH_MISMATCH = "length_mismatch"
FUNCTION_MISMATCH = "function_mismatch"
UNIT_MISMATCH = "unit_mismatch"
TRANSACTION_MISMATCH = "transaction_mismatch"
ECHO_MISMATCH = "echo_mismatch"
PROTOCOL_ERROR = "protocol_error"
OUT_OF_SERVICE = "out_of_service"
LINK_BUSY = "link_busy"

_UNCERTAIN = frozenset({STALE, OUT_OF_RANGE})


def quality_of(reason: str | None) -> Quality:
    """The quality a reason stands for: none is GOOD, `stale` and `out_of_range` are UNCERTAIN, all others BAD.

    >>> quality_of(None), quality_of("stale"), quality_of("exception_2")
    (<Quality.GOOD: 'GOOD'>, <Quality.UNCERTAIN: 'UNCERTAIN'>, <Quality.BAD: 'BAD'>)
    """
    if reason is None:
        return Quality.GOOD
    return Quality.UNCERTAIN if reason in _UNCERTAIN else Quality.BAD
