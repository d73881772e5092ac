"""The key of all aliases, and what providers signed: they live and die with the process, and nothing else is kept.

Each client has aliases of its own, and each session that it names: who sees two of them can't tell that a value is the same.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b

from daemon.boundary.masker import Masker
from daemon.boundary.signed import SignedThoughts
from daemon.clock import Clock, SystemClock
from providers.contract import Request
from providers.texts import fields


class Vault:
    """Makes maskers. key: 32 random bytes, for tests to hold."""

    def __init__(self, key: bytes | None = None, clock: Clock | None = None) -> None:
        self._key = key or secrets.token_bytes(32)
        self.signed = SignedThoughts(clock or SystemClock())

    def masker(self, request: Request, trial: int = 0) -> Masker:
        """For one request's values. trial: other ones give other aliases."""
        hashed = blake2b(key=self._key, digest_size=32)
        for name in (request.client or "", request.session or "", str(trial)):
            hashed.update(name.encode(errors="surrogatepass") + b"\0")
        return Masker(hashed.digest(), (field.text for field in fields(request)))
