"""What the user let pass: values that a privacy signal found, and that may leave all the same.

Nothing is stored but keyed hashes of (label, value). `once` holds for the next request of the same client that has the
value; `session` as long as the daemon runs, for one session of a client; `project` for good, and only for a client with a
token, because anybody can claim a project's name. What was let pass when the user was asked holds for the provider, or the
tool, that the question was about. The key lies beside the hashes, both readable by this user alone: they keep values out of
sight, not from whoever holds the disk.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from daemon.errors import BadRequest, NotFound, StoreError
from daemon.paths import make_private_directory, read_private, write_private
from daemon.signals.base import Span

Scope = Literal["once", "session", "project"]
REMEMBERED: Final = 500
"""Requests whose findings can still be let pass, and sessions of which it is known what was."""


class _File(Struct):
    key: str
    clients: dict[str, list[str]] = {}


class Approvals:
    """The user's yeses. path: where those for good are kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = self._read()
        self._key = bytes.fromhex(self._file.key)
        self._seen: OrderedDict[str, tuple[str | None, frozenset[str]]] = OrderedDict()
        self._once: dict[str | None, set[str]] = {}
        self._sessions: OrderedDict[tuple[str | None, str], set[str]] = OrderedDict()

    def hashes(self, values: Mapping[Span, str]) -> dict[Span, str]:
        """Each span's value as a keyed hash."""
        made = {}
        for span, value in values.items():
            content = f"{span.label}\0{value}".encode(errors="surrogatepass")
            made[span] = hashlib.blake2b(content, key=self._key, digest_size=16).hexdigest()
        return made

    def remember(self, record: str, client: str | None, hashes: Iterable[str]) -> None:
        """Keep in mind what a request held, so that the user can let it pass."""
        self._seen[record] = (client, frozenset(hashes))
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)

    def allow(self, prefix: str, scope: Scope) -> int:
        """Let what one request held pass, and return how many values that are.

        Raises NotFound if the request is not in mind, BadRequest if its client has no token and the scope asks for one,
        StoreError if it can't be kept.
        """
        found = [record for record in self._seen if record.startswith(prefix)] if prefix else []
        if len(found) != 1:
            raise NotFound(
                "no recent request with findings has this id: it has to be one of the last "
                f"{REMEMBERED} since the daemon started, and its id unambiguous"
            )
        client, hashes = self._seen[found[0]]
        if scope == "once":
            self._once.setdefault(client, set()).update(hashes)
        else:
            self._for_longer(client, None, hashes, scope)
        return len(hashes)

    def keep(self, client: str | None, session: str | None, to: str, hashes: Iterable[str], scope: Scope) -> None:
        """Let values pass to somebody for a session, or for good. Raises BadRequest, StoreError."""
        self._for_longer(client, session, frozenset(self._towards(to, made) for made in hashes), scope)

    def _for_longer(self, client: str | None, session: str | None, hashes: frozenset[str], scope: Scope) -> None:
        if scope == "session":
            if session is None:
                raise BadRequest("this client names no session, so nothing can be let pass for one", "scope")
            kept = self._sessions.setdefault((client, session), set())
            self._sessions.move_to_end((client, session))
            kept |= hashes
            while len(self._sessions) > REMEMBERED:
                self._sessions.popitem(last=False)
            return
        if client is None:
            raise BadRequest("--project needs a client with a token: `nearloop client add NAME` makes one", "scope")
        for_good = self._file.clients.setdefault(client, [])
        for_good += sorted(hashes - set(for_good))
        self._write()

    def allowed(
        self, client: str | None, hashes: Mapping[Span, str], session: str | None = None, to: str | None = None
    ) -> frozenset[Span]:
        """The spans that may pass for this client. to: whom they would go to; None: what may pass to everybody."""
        good = set(self._file.clients.get(client, ())) if client is not None else set()
        good |= self._once.get(client, set())
        if session is not None:
            good |= self._sessions.get((client, session), set())
        if not good:
            return frozenset()
        return frozenset(
            span for span, made in hashes.items() if made in good or (to and self._towards(to, made) in good)
        )

    def may_go(self, client: str | None, session: str | None, to: str, hashes: Iterable[str]) -> bool:
        """Whether all of these were let pass to somebody for longer."""
        good = set(self._file.clients.get(client, ())) if client is not None else set()
        if session is not None:
            good |= self._sessions.get((client, session), set())
        return bool(good) and all(self._towards(to, made) in good for made in hashes)

    def _towards(self, to: str, made: str) -> str:
        """A hash for one addressee."""
        content = f"{to}\0{made}".encode(errors="surrogatepass")
        return hashlib.blake2b(content, key=self._key, digest_size=16).hexdigest()

    def used(self, client: str | None, hashes: Iterable[str]) -> None:
        """A request with these values has left: what was let pass once is over."""
        if client in self._once:
            self._once[client] -= set(hashes)

    def _read(self) -> _File:
        try:
            return msgspec.json.decode(read_private(self._path), type=_File)
        except FileNotFoundError:
            return _File(secrets.token_hex(32))
        except (OSError, msgspec.DecodeError) as error:
            raise StoreError(f"{self._path} can't be read: move it away, which forgets what was let pass") from error

    def _write(self) -> None:
        try:
            make_private_directory(self._path.parent)
            write_private(self._path, msgspec.json.encode(self._file))
        except OSError as error:
            raise StoreError(f"{self._path} can't be written: {error.strerror}") from error
