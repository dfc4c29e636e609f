"""Secrets written in clear: found wherever they stand, named without being repeated."""

import re
from collections.abc import Iterator

from gateway.errors import Finding
from gateway.maps.findings import place
from gateway.yamlfile import YamlFile, YamlPath, YamlValue

_SECRET_KEY = re.compile(r"(^|_)(password|passwd|passphrase|pwd|secret|token|api_?key|private_?key|bearer|authorization)$", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"-----BEGIN|^sk-[A-Za-z0-9_-]{8,}|^Bearer |://[^/@\s:]*:[^/@\s]+@|[?&](password|token|api_?key)=", re.IGNORECASE
)


def secrets_in_clear(yaml: YamlFile) -> Iterator[Finding]:
    """A finding for each secret of the file."""
    yield from _look(yaml, (), yaml.root)


def _look(yaml: YamlFile, path: YamlPath, value: YamlValue) -> Iterator[Finding]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _look(yaml, (*path, key), child)
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from _look(yaml, (*path, number), child)
    elif path and value not in (None, ""):
        key = str(path[-1]).replace("-", "_")
        if _SECRET_KEY.search(key):
            fix = f"put it into a file that only the gateway may read and write `{key}_file: PATH`"
            yield place(yaml, path, "secret_in_clear", f"{path[-1]} stands here in clear", fix)
        elif isinstance(value, str) and _SECRET_VALUE.search(value):
            fix = "take the password out of the address: PGPASSFILE or PGPASSWORD gives it to the database driver"
            other = "put it into a file that only the gateway may read"
            yield place(yaml, path, "secret_in_clear", f"{path[-1]} holds a secret in clear", fix if "://" in value else other)
