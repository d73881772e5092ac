"""Who is calling, and what they may do.

No token, or one without our prefix (SDKs insist on sending something): anonymous, answered on this machine only. A token
with our prefix that is not known is refused, because its owner believes in rights that are not there.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Final, get_args

from msgspec import Struct

from daemon.errors import Refused, Unauthorised
from daemon.settings import Client, Scope

PREFIX: Final = "nl_"
_ALL: Final[frozenset[Scope]] = frozenset(get_args(Scope))


class Caller(Struct, frozen=True):
    """Somebody with rights. name: the token's label, None if anonymous; the admin token's label is `admin`."""

    name: str | None
    scopes: frozenset[Scope]

    def may(self, scope: Scope) -> bool:
        """Whether the scope is held; admin holds all."""
        return scope in self.scopes or "admin" in self.scopes


ANONYMOUS: Final = Caller(None, frozenset({"infer:local"}))


def new_token() -> str:
    """256 random bits, with our prefix."""
    return PREFIX + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What is stored of a token. It is random and long, so one round of SHA-256 is as good as many."""
    return hashlib.sha256(token.encode()).hexdigest()


def bearer(headers: Mapping[str, str]) -> str | None:
    """The token that a request carries, as `Authorization: Bearer` or `x-api-key`."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return headers.get("x-api-key") or None


class Callers:
    """The tokens of this run."""

    def __init__(self, admin_token: str, clients: Mapping[str, Client]) -> None:
        self._admin_hash = token_hash(admin_token)
        self._clients = dict(clients)

    @property
    def clients(self) -> int:
        """How many programs have a token."""
        return len(self._clients)

    def replace(self, clients: Mapping[str, Client]) -> None:
        """After settings changed."""
        self._clients = dict(clients)

    def identify(self, token: str | None) -> Caller:
        """Who has this token. Raises Unauthorised for a token of ours that is not, or no longer, valid."""
        if token is None or not token.startswith(PREFIX):
            return ANONYMOUS
        digest = token_hash(token)
        if hmac.compare_digest(digest, self._admin_hash):
            return Caller("admin", _ALL)
        found = ANONYMOUS
        for name, client in self._clients.items():  # all of them, so that the time tells nothing
            if hmac.compare_digest(digest, client.token_hash):
                found = Caller(name, frozenset(client.scopes))
        if found is ANONYMOUS:
            raise Unauthorised(
                "this Nearloop token is not known, or was revoked: `nearloop client add NAME` makes a new one"
            )
        return found


def require(caller: Caller, scope: Scope) -> None:
    """Raises Refused if the caller lacks the scope."""
    if not caller.may(scope):
        raise Refused(
            f"this needs a token with the scope {scope}: `nearloop client add NAME --scope {scope}` makes one"
        )
