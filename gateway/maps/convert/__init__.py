"""Register maps from and to other formats, one format a file, found by folder scan; what they share is in `draft`."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from gateway.maps.convert.draft.base import Converter


def discover() -> Mapping[str, Converter]:
    """All formats by name, sorted; a module of this package without a `converter` stops the start."""
    found: list[Converter] = [import_module(f"{__name__}.{module.name}").converter for module in iter_modules(__path__) if not module.ispkg]
    return {converter.name: converter for converter in sorted(found, key=lambda converter: converter.name)}
