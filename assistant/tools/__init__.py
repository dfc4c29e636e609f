"""The tools of the assistant, one a file, found by folder scan."""

from importlib import import_module
from pkgutil import iter_modules

from assistant.tools.base import ToolSpec


def discover() -> tuple[ToolSpec, ...]:
    """All tools, sorted by name; a module of this package without a `tool` stops the start."""
    found: list[ToolSpec] = [import_module(f"{__name__}.{module.name}").tool for module in iter_modules(__path__) if module.name != "base"]
    return tuple(sorted(found, key=lambda tool: tool.name))
