"""Placeholders for values: the same value gets the same placeholder as long as the daemon runs.

A placeholder is made of the value by a keyed hash, so the next turn of a conversation has the same bytes as this one and a
provider's prompt cache still hits, without any value being stored. The key lives and dies with the process.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Final

PLACEHOLDER: Final = re.compile(r"<[A-Z][A-Z0-9_]*_[0-9a-f]{6,16}>")
_DIGEST_BYTES: Final = (3, 4, 6, 8)


class Vault:
    """Makes placeholders. key: 32 random bytes, for tests to hold."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)

    def placeholder(self, label: str, value: str, taken: dict[str, str]) -> str:
        """For one value. taken: placeholder to value of this request so far; two values never share one."""
        for size in _DIGEST_BYTES:
            digest = hashlib.blake2b(value.encode(errors="surrogatepass"), key=self._key, digest_size=size).hexdigest()
            made = f"<{label}_{digest}>"
            if taken.get(made, value) == value:
                return made
        raise RuntimeError("two values have the same 64-bit hash")
