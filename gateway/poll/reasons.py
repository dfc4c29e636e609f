"""Link errors as reasons of BAD (INTERFACES: qualities)."""

from gateway.errors import DeviceExceptionError, FrameError, GatewayPathError, GatewayTargetError, LinkError, LinkTimeoutError
from gateway.model.quality import CRC_ERROR


def reason_of(error: LinkError) -> str:
    """The reason that stands for `error`.

    >>> from gateway.errors import IllegalAddressError
    >>> reason_of(LinkTimeoutError("late")), reason_of(IllegalAddressError(2))
    ('timeout', 'exception_2')
    """
    if isinstance(error, FrameError):
        return error.kind
    if isinstance(error, DeviceExceptionError):
        return f"exception_{error.number}"
    return error.reason


def is_silence(error: LinkError) -> bool:
    """True if the unit gave no sign of life: nothing, nothing usable until the deadline, or a gateway says so (10, 11)."""
    if isinstance(error, FrameError):
        return error.kind != CRC_ERROR
    return isinstance(error, LinkTimeoutError | GatewayPathError | GatewayTargetError)
