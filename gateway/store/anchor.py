"""The audit's files outside the database: its key, and the signed head of the chain."""

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

import simplejson

from gateway.errors import StoreError, map_exceptions
from gateway.store.base import Anchor

_KEY_BYTES = 32


def load_key(path: Path, *, is_new: bool) -> bytes:
    """The key in `path`; made if the audit is new and there is none. Raises StoreError."""
    with map_exceptions({OSError: StoreError}, f"audit key {path}"):
        if is_new and not path.exists():
            _write_private(path, secrets.token_bytes(_KEY_BYTES))
        if not path.exists():
            raise StoreError(f"the key of the audit, {path}, is gone", fix="put it back; without it the audit cannot be continued")
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise StoreError(f"the key of the audit, {path}, can be read by others", fix=f"chmod 600 {path}")
        key = path.read_bytes()
    if len(key) < _KEY_BYTES:
        raise StoreError(f"the key of the audit, {path}, is too short", fix="put the right file back")
    return key


class AnchorFile:
    """The signed head, replaced as the chain grows."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._path = path
        self._key = key

    def sign(self, seq: int, mac: str) -> Anchor:
        """A signed head for `seq`."""
        return Anchor(seq=seq, mac=mac, signature=self._signature(seq, mac))

    def is_ours(self, anchor: Anchor) -> bool:
        """True if the anchor was signed with this key."""
        return hmac.compare_digest(anchor.signature.encode(errors="replace"), self._signature(anchor.seq, anchor.mac).encode())

    def write(self, seq: int, mac: str) -> None:
        """Replace the head in one step. Raises StoreError."""
        anchor = self.sign(seq, mac)
        text = simplejson.dumps({"seq": anchor.seq, "mac": anchor.mac, "signature": anchor.signature})
        beside = self._path.with_name(f"{self._path.name}.{secrets.token_hex(8)}")
        with map_exceptions({OSError: StoreError}, f"audit anchor {self._path}"):
            try:
                _write_private(beside, text.encode())
                beside.replace(self._path)
            finally:
                beside.unlink(missing_ok=True)

    def read(self) -> Anchor | None:
        """The head in the file; None if there is none, or none that we signed."""
        try:
            found = simplejson.loads(self._path.read_text())
            anchor = Anchor(seq=int(found["seq"]), mac=str(found["mac"]), signature=str(found["signature"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return anchor if self.is_ours(anchor) else None

    def _signature(self, seq: int, mac: str) -> str:
        return hmac.new(self._key, f"anchor {seq} {mac}".encode(), hashlib.sha256).hexdigest()


def _write_private(path: Path, content: bytes) -> None:
    """A new file that only its owner may read, on the disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
