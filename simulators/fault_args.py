"""Faults by name: the catalogue, and how `NAME=ARGS` is read."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from gateway.errors import ConfigError, Finding
from simulators import faults
from simulators.fault import Aim, Fault

Arg = bool | int | float | str
_AIMS = frozenset(field.name for field in fields(Aim)) | {"device"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultSpec:
    """A fault as it was asked for: its name, its own arguments, and where it is aimed."""

    name: str
    args: Mapping[str, Arg]
    aim: Mapping[str, Arg]


def catalogue() -> dict[str, Callable[..., Fault]]:
    """Every fault function by name, sorted."""
    return {
        name: made
        for name, made in sorted(vars(faults).items())
        if inspect.isfunction(made) and not name.startswith("_") and made.__annotations__.get("return") is Fault
    }


def parse_fault(text: str) -> FaultSpec:
    """`late`, `late=0.5`, `late=0.5,unit_id=2,times=3`, `mute,times=1`, `hole=50..59`: first values in order, then named ones.

    Raises ConfigError that names what is known.
    """
    name, rest = re.split(r"[=,]|$", text, maxsplit=1)
    parameters = list(_parameters(name))
    given: dict[str, Arg] = {}
    for place, part in enumerate(part for part in rest.split(",") if part):
        key, is_named, value = part.partition("=")
        if not is_named:
            if place >= len(parameters):
                raise _wrong(f"{part!r} is one value too many for {name}", _usage(name))
            key, value = parameters[place], part
        given[key.strip()] = value.strip()
    return spec_of(name, given)


def spec_of(name: str, given: Mapping[str, Arg]) -> FaultSpec:
    """Arguments checked and turned into the types that the fault's function and `Aim` state; raises ConfigError."""
    own, aim = _parameters(name), {"link": str, "device": str, "unit_id": int, "function": int, "skip": int, "times": int, "chance": float}
    args: dict[str, Arg] = {}
    aims: dict[str, Arg] = {}
    for key, value in given.items():
        kind = own.get(key) or aim.get(key)
        if kind is None:
            raise _wrong(f"{name} has no argument {key!r}", _usage(name))
        try:
            (args if key in own else aims)[key] = kind(value)
        except ValueError:
            raise _wrong(f"{name}: {key}={value} is no {kind.__name__}", _usage(name)) from None
    missing = [
        key
        for key, parameter in inspect.signature(catalogue()[name]).parameters.items()
        if parameter.default is parameter.empty and key not in args
    ]
    if missing:
        raise _wrong(f"{name} needs {', '.join(missing)}", _usage(name))
    return FaultSpec(name=name, args=args, aim=aims)


def make_fault(spec: FaultSpec) -> Fault:
    """The fault's hooks."""
    return catalogue()[spec.name](**spec.args)


def _parameters(name: str) -> dict[str, type[Arg]]:
    made = catalogue().get(name)
    if made is None:
        raise _wrong(f"no fault is called {name!r}", f"known are {', '.join(catalogue())}")
    return {key: parameter.annotation for key, parameter in inspect.signature(made).parameters.items()}


def _usage(name: str) -> str:
    parameters = inspect.signature(catalogue()[name]).parameters.values()
    own = [str(parameter).replace(" = ", "=").split(":")[0] for parameter in parameters]
    return f"{name} takes {', '.join([*own, *sorted(_AIMS)])}"


def _wrong(message: str, fix: str) -> ConfigError:
    return ConfigError([Finding(code="FAULT", message=message, fix=fix)])
