"""Who vouches for each provider's host, so that it is seen when somebody else begins to."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.receipts.files import links_of, segments
from daemon.receipts.links import Crossed
from daemon.wire import Receipt, Tls, Warning

REMEMBERED: Final = timedelta(days=7)
"""How long after it a change is told of. A private root is told of as long as it is there."""

READ_BYTES: Final = 8 << 20
"""So much of the chain's end is read at the start, 20,000 links in 0.2 s: the first crossing waits for it."""


class _Seen(Struct, frozen=True):
    """A host's present issuer, since when, and the one before it."""

    provider: str
    tls: Tls
    since: datetime
    before: Tls | None = None


class Issuers:
    """By host, as receipts tell it, in their order."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def see(self, receipts: Iterable[Receipt]) -> None:
        """Take in what was written."""
        for receipt in receipts:
            if receipt.tls is None or receipt.purpose == "download":  # hubs send on to many hosts, and hold to digests
                continue
            known = self._seen.get(receipt.host)
            if known is None:
                self._seen[receipt.host] = _Seen(receipt.provider, receipt.tls, receipt.at)
            elif _who(known.tls) != _who(receipt.tls):
                self._seen[receipt.host] = _Seen(receipt.provider, receipt.tls, receipt.at, known.tls)

    def remember(self, folder: Path) -> None:
        """Take in the chain's end, as far as it can be read."""
        with suppress(OSError):
            for path in _last_files(folder):
                self.see(link.receipt for link in links_of(path) if isinstance(link, Crossed))

    def warnings(self, now: datetime) -> tuple[Warning, ...]:
        """What the user should know of them."""
        return tuple(found for host, seen in list(self._seen.items()) if (found := _warning(host, seen, now)))


def _last_files(folder: Path) -> list[Path]:
    found: list[Path] = []
    size = 0
    for path in reversed(segments(folder)):
        size += path.stat().st_size
        if found and size > READ_BYTES:
            break
        found.append(path)
    return found[::-1]


def _who(tls: Tls) -> tuple[str | None, str]:
    """What makes two issuers the same: an organisation signs with many certificates in turn."""
    return (tls.issuer or tls.issuer_name, tls.root)


def name_of(tls: Tls) -> str:
    """An issuer in words."""
    names = (
        ", ".join(dict.fromkeys(each for each in (tls.issuer, tls.issuer_name) if each)) or "somebody without a name"
    )
    return f"{names} ({_ROOTS[tls.root]})"


_ROOTS: Final = {"public": "a public root", "private": "a private root", "unknown": "root not told"}


def _warning(host: str, seen: _Seen, now: datetime) -> Warning | None:
    fresh = seen.before is not None and now - seen.since < REMEMBERED
    if seen.tls.root == "private":
        text = f"{seen.provider}: the certificate of {host} was signed by {name_of(seen.tls)}"
        if fresh and seen.before:
            text += f", before by {name_of(seen.before)}"
        remedy = (
            "if the CA isn't yours or the provider's own, a proxy on the way reads everything that goes there: ask who "
            "runs the network, or remove the provider"
        )
        return Warning("tls-private-root", "warning", text, remedy)
    if fresh and seen.before:
        now_by, once_by = name_of(seen.tls), name_of(seen.before)
        text = f"{seen.provider}: the certificate of {host} is signed by {now_by}, before by {once_by}"
        return Warning(
            "tls-issuer-changed", "info", text, "providers change their CA now and then; if in doubt, ask them"
        )
    return None
