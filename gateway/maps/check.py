"""What is wrong with a map file, all at once."""

from pathlib import Path

from gateway.errors import Finding
from gateway.maps.inspect import inspect_map


def check_map(path: Path) -> list[Finding]:
    """Every error and warning of a map file, in the order of its lines."""
    return list(inspect_map(path).findings)
