"""Transports, one per kind of link; found by folder scan, each with `make(options, clock)`."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping

from gateway.clock import Clock
from gateway.link.base import Transport
from gateway.link.options import LinkOptions

Make = Callable[[LinkOptions, Clock], Transport]


def discover() -> Mapping[str, Make]:
    """All transports by name, sorted; a broken one stops the start."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return {name: importlib.import_module(f"{__name__}.{name}").make for name in names}


def open_transport(options: LinkOptions, clock: Clock) -> Transport:
    """The transport that `options` ask for; it connects when its bus needs it."""
    make: Make = importlib.import_module(f"{__name__}.{options.transport}").make
    return make(options, clock)
