"""The error tree of the gateway.

```
GatewayError
  ConfigError                 settings or map wrong; names file, line, key and the fix
    MapError
  LinkError                   names link, device, operation with its arguments
    LinkDownError             refused, lost, port gone
    LinkTimeoutError          no reply in time (also TimeoutError)
    FrameError                wrong unit, function, length, transaction id
    DeviceExceptionError      the device refused; one subclass per exception code
    RequestRefusedError       the request may not be sent; nothing went on the wire
    LinkBusyError             the link's queue is full; nothing went on the wire
  WriteRefusedError           a rule says no; carries the refusal code
  UnknownTagError             no point of that name
  StoreError
```

Foreign errors become one of these at a boundary, by `map_exceptions`, and nowhere else. Device data never
raises above `gateway.link`: it becomes quality.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar


class GatewayError(Exception):
    """Root of all errors the gateway raises on purpose.

    `code` is stable and machine-readable, `fix` says in one sentence what to do.
    """

    code: ClassVar[str] = "ERROR"

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message}: {self.fix}" if self.fix else self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing wrong in a file: where it stands, what it is, how to mend it."""

    code: str
    message: str
    fix: str = ""
    file: str = ""
    line: int = 0
    path: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (where, self.path, self.message, self.fix) if part)


class ConfigError(GatewayError):
    """Settings or a map are wrong; `findings` names every place, the message the first."""

    code = "CONFIG"

    def __init__(self, findings: Sequence[Finding]) -> None:
        first = findings[0]
        super().__init__(str(first))
        self.fix = first.fix
        self.findings = tuple(findings)

    def __str__(self) -> str:
        more = len(self.findings) - 1
        return f"{self.message} (and {more} more)" if more else self.message


class MapError(ConfigError):
    """A register map is wrong."""

    code = "MAP"


class LinkError(GatewayError):
    """An exchange failed; names link, device (unit id) and operation with its arguments. `cause` is what happened, without them."""

    code = "LINK"
    reason: ClassVar[str] = "protocol_error"

    def __init__(self, message: str, *, link: str = "", unit_id: int | None = None, operation: str = "", fix: str = "") -> None:
        place = " ".join(
            part for part in (f"link {link}" if link else "", f"unit {unit_id}" if unit_id is not None else "", operation) if part
        )
        super().__init__(f"{place}: {message}" if place else message, fix=fix)
        self.cause = message
        self.link = link
        self.unit_id = unit_id
        self.operation = operation


class LinkDownError(LinkError):
    """The link is refused, lost, or its port is gone. `sent` tells whether a byte may have left."""

    code = "LINK_DOWN"
    reason = "link_down"

    def __init__(
        self, message: str, *, sent: bool = False, link: str = "", unit_id: int | None = None, operation: str = "", fix: str = ""
    ) -> None:
        super().__init__(message, link=link, unit_id=unit_id, operation=operation, fix=fix)
        self.sent = sent


class LinkTimeoutError(LinkError, TimeoutError):
    """No reply in time."""

    code = "TIMEOUT"
    reason = "timeout"


class FrameError(LinkError):
    """The reply does not belong to its request; `kind` is the BAD reason of INTERFACES."""

    code = "FRAME"

    def __init__(self, message: str, *, kind: str, link: str = "", unit_id: int | None = None, operation: str = "") -> None:
        super().__init__(message, link=link, unit_id=unit_id, operation=operation)
        self.kind = kind


class DeviceExceptionError(LinkError):
    """The device answered with a Modbus exception (V1.1b3 section 7)."""

    code = "DEVICE"
    by_code: ClassVar[dict[int, type["DeviceExceptionError"]]] = {}
    exception_code: ClassVar[int] = 0
    words: ClassVar[str] = "exception"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.by_code[cls.exception_code] = cls

    def __init__(self, number: int, *, link: str = "", unit_id: int | None = None, operation: str = "") -> None:
        super().__init__(f"device answered exception {number} ({self.words})", link=link, unit_id=unit_id, operation=operation)
        self.number = number

    @classmethod
    def of(cls, number: int, *, link: str = "", unit_id: int | None = None, operation: str = "") -> "DeviceExceptionError":
        """The subclass for exception code `number`, 1 to 255."""
        return cls.by_code.get(number, cls)(number, link=link, unit_id=unit_id, operation=operation)


class IllegalFunctionError(DeviceExceptionError):
    """Exception 1: the device does not know the function; proves that nothing was done."""

    exception_code = 1
    words = "illegal function"


class IllegalAddressError(DeviceExceptionError):
    """Exception 2: an address in the request does not exist."""

    exception_code = 2
    words = "illegal data address"


class IllegalValueError(DeviceExceptionError):
    """Exception 3: the request's structure or quantity is refused."""

    exception_code = 3
    words = "illegal data value"


class DeviceFailureError(DeviceExceptionError):
    """Exception 4: the device failed while doing it."""

    exception_code = 4
    words = "server device failure"


class AcknowledgeError(DeviceExceptionError):
    """Exception 5: accepted, takes long; ask again later."""

    exception_code = 5
    words = "acknowledge, in progress"


class DeviceBusyError(DeviceExceptionError):
    """Exception 6: busy; ask again later."""

    exception_code = 6
    words = "server device busy"


class MemoryParityError(DeviceExceptionError):
    """Exception 8: memory parity error."""

    exception_code = 8
    words = "memory parity error"


class GatewayPathError(DeviceExceptionError):
    """Exception 10: a Modbus gateway on the way has no path to the unit."""

    exception_code = 10
    words = "gateway path unavailable"


class GatewayTargetError(DeviceExceptionError):
    """Exception 11: the unit behind a Modbus gateway does not answer."""

    exception_code = 11
    words = "gateway target device failed to respond"


class RequestRefusedError(LinkError):
    """The request breaks a rule of Modbus or of the device; nothing went on the wire."""

    code = "REQUEST"


class LinkBusyError(LinkError):
    """The link's queue is full; nothing went on the wire."""

    code = "LINK_BUSY"
    reason = "link_busy"


class WriteRefusedError(GatewayError):
    """A rule says no. `codes` lists all refusals in test order, `code` is the first (INTERFACES: refusal codes)."""

    def __init__(self, codes: Sequence[str], message: str, message_zh: str, *, fix: str = "") -> None:
        super().__init__(message, fix=fix)
        self.codes = tuple(codes)
        self.message_zh = message_zh

    @property
    def refusal(self) -> str:
        """The first refusal code."""
        return self.codes[0]


class UnknownTagError(GatewayError):
    """No point has this tag; `near` offers the closest names."""

    code = "UNKNOWN_TAG"

    def __init__(self, tag: str, *, near: Sequence[str] = ()) -> None:
        offer = f"did you mean {', '.join(near)}?" if near else "list the tags with `busmate plan`"
        super().__init__(f"no point is called {tag}", fix=offer)
        self.tag = tag
        self.near = tuple(near)


class StoreError(GatewayError):
    """The database cannot be read or written."""

    code = "STORE"


@contextmanager
def map_exceptions(to: Mapping[type[BaseException], type[GatewayError]], message: str) -> Iterator[None]:
    """Turn foreign errors into ours at a boundary, keeping the cause: `{OSError: StoreError}` with what was being done."""
    try:
        yield
    except tuple(to) as exc:
        for foreign, ours in to.items():
            if isinstance(exc, foreign):
                raise ours(f"{message}: {exc}") from exc
        raise
