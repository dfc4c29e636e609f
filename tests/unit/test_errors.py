"""The error tree."""

import pytest

from gateway import errors
from gateway.errors import (
    ConfigError,
    DeviceExceptionError,
    Finding,
    GatewayError,
    LinkTimeoutError,
    StoreError,
    UnknownTagError,
    map_exceptions,
)


def test_the_docstring_draws_the_tree() -> None:
    drawn = errors.__doc__ or ""
    names = [name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, GatewayError)]
    exceptions = {kind.__name__ for kind in DeviceExceptionError.by_code.values()}
    assert [name for name in names if name not in drawn and name not in exceptions] == []


@pytest.mark.parametrize(
    ("number", "kind"), [(2, "IllegalAddressError"), (6, "DeviceBusyError"), (11, "GatewayTargetError"), (0x55, "DeviceExceptionError")]
)
def test_exception_codes_have_their_class(number: int, kind: str) -> None:
    error = DeviceExceptionError.of(number, link="line1", unit_id=3, operation="read holding 0..9")
    assert type(error).__name__ == kind
    assert error.number == number
    assert str(error).startswith("link line1 unit 3 read holding 0..9: device answered exception")


def test_config_error_counts_what_else_is_wrong() -> None:
    found = [
        Finding(code="x", message="no such link", fix="use line1", file="a.yaml", line=7, path="devices[0].link"),
        Finding(code="y", message="m"),
    ]
    assert str(ConfigError(found)) == "a.yaml:7: devices[0].link: no such link: use line1 (and 1 more)"


def test_time_out_is_also_the_builtin_one() -> None:
    with pytest.raises(TimeoutError):
        raise LinkTimeoutError("no reply within 0.5 s", link="line1", unit_id=2)


def test_unknown_tag_offers_near_names() -> None:
    assert str(UnknownTagError("lt1.levle", near=["lt1.level"])) == "no point is called lt1.levle: did you mean lt1.level?"


def test_foreign_errors_are_mapped_with_their_cause() -> None:
    with pytest.raises(StoreError, match="open database: disk full") as caught, map_exceptions({OSError: StoreError}, "open database"):
        raise OSError("disk full")
    assert isinstance(caught.value.__cause__, OSError)
