"""Who vouches for a host: what is worth a warning and what is not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from daemon.receipts.issuers import REMEMBERED, Issuers
from daemon.wire import Receipt, Tls

AT = datetime(2026, 1, 2, tzinfo=UTC)
ONE = Tls("TLSv1.3", "Let's Encrypt", "R10", "public")
NEXT = replace(ONE, issuer_name="R11")
OTHER = Tls("TLSv1.3", "Google Trust Services", "WE1", "public")
OWN = Tls("TLSv1.3", "Watcher Inc.", "Box", "private")
RECEIPT = Receipt(AT, "work", "big", "api.example", "cloud", 1, "00", {}, 1, tls=ONE)


def warned(*seen: Tls | None, later: timedelta = timedelta(hours=1), **more: object) -> list[str]:
    issuers = Issuers()
    issuers.see(replace(RECEIPT, tls=tls, **more) for tls in seen)
    return [warning.code for warning in issuers.warnings(AT + later)]


@pytest.mark.parametrize(
    ("seen", "codes"),
    [
        ((), []),
        ((None,), []),
        ((ONE, ONE), []),
        ((ONE, NEXT), []),
        ((ONE, OTHER), ["tls-issuer-changed"]),
        ((ONE, OWN), ["tls-private-root"]),
        ((OWN,), ["tls-private-root"]),
        ((OWN, ONE), ["tls-issuer-changed"]),
        ((ONE, replace(ONE, root="private")), ["tls-private-root"]),
        ((ONE, None, OTHER), ["tls-issuer-changed"]),
    ],
)
def test_what_is_told(seen: tuple[Tls | None, ...], codes: list[str]) -> None:
    """Another organisation, and a private root; not another certificate of the same organisation."""
    assert warned(*seen) == codes


def test_a_change_is_news_for_a_week_and_a_private_root_stays_one() -> None:
    """What changed long ago is no warning any more; who reads along is, as long as he does."""
    assert warned(ONE, OTHER, later=REMEMBERED) == []
    assert warned(ONE, OWN, later=REMEMBERED * 100) == ["tls-private-root"]


def test_downloads_are_not_compared() -> None:
    """A hub sends on to hosts of many."""
    assert warned(ONE, OTHER, purpose="download") == []


def test_hosts_are_apart() -> None:
    """Two hosts of two organisations are no change."""
    issuers = Issuers()
    issuers.see([RECEIPT, replace(RECEIPT, host="other.example", tls=OTHER)])

    assert issuers.warnings(AT) == ()
