"""What the user let pass: values that a privacy signal found, and that may leave all the same.

Nothing is stored but keyed hashes of (label, value). `once` holds for the next request of the same client that has the
value; `project` holds for good, and only for a client with a token, because anybody can claim a project's name. The key
lies beside the hashes, both readable by this user alone: they keep values out of sight, not from whoever holds the disk.
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

Scope = Literal["once", "project"]
REMEMBERED: Final = 500
"""Requests whose findings can still be let pass."""


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

    def hashes(self, spans: Iterable[Span], texts: Mapping[str, str]) -> dict[Span, str]:
        """Each span's value as a keyed hash. texts: field path to text."""
        made = {}
        for span in spans:
            value = texts[span.path][span.start : span.end]
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
        if scope == "project":
            if client is None:
                raise BadRequest("--project needs a client with a token: `nearloop client add NAME` makes one", "scope")
            kept = self._file.clients.setdefault(client, [])
            kept += sorted(hashes - set(kept))
            self._write()
        else:
            self._once.setdefault(client, set()).update(hashes)
        return len(hashes)

    def allowed(self, client: str | None, hashes: Mapping[Span, str]) -> frozenset[Span]:
        """The spans that may pass for this client."""
        for_good = set(self._file.clients.get(client, ())) if client is not None else set()
        good = for_good | self._once.get(client, set())
        return frozenset(span for span, made in hashes.items() if made in good)

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
