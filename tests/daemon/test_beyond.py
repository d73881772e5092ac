"""Who is let in from beyond this machine."""

from __future__ import annotations

import pytest

from daemon.beyond import MOST_PEERS, TRIES, WINDOW_S, Beyond
from daemon.callers import PREFIX, Callers, token_hash
from daemon.errors import NearloopError, Refused, TooManyTries, Unauthorised
from daemon.settings import Client
from tests.fakes.clock import HeldClock

ADMIN, EDITOR, READER, OWNER = (PREFIX + letter * 43 for letter in "aero")
FAR = "192.168.1.77"


def with_token(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
def out(clock: HeldClock) -> Beyond:
    callers = Callers(
        ADMIN,
        {
            "editor": Client(token_hash(EDITOR)),
            "reader": Client(token_hash(READER), ("read:records",)),
            "owner": Client(token_hash(OWNER), ("infer:local", "admin")),
        },
    )
    return Beyond(callers, clock.monotonic)


def guess(out: Beyond, address: str = FAR, times: int = TRIES) -> list[type[NearloopError]]:
    """What wrong tokens are told."""
    told: list[type[NearloopError]] = []
    for number in range(times):
        with pytest.raises(NearloopError) as caught:
            out.admit(address, with_token(f"{PREFIX}guess{number}"))
        told.append(caught.type)
    return told


def test_a_clients_token_opens(out: Beyond) -> None:
    """As a bearer or as an API key, whatever it may do short of changing this machine."""
    out.admit(FAR, with_token(EDITOR))
    out.admit(FAR, {"x-api-key": READER})


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer sk-dummy"}, {"authorization": f"Basic {EDITOR}"}])
def test_nobody_is_let_in_without_one(out: Beyond, headers: dict[str, str]) -> None:
    """There is nothing anonymous out there; the refusal says how to get a token."""
    with pytest.raises(Unauthorised, match="client add"):
        out.admit(FAR, headers)


@pytest.mark.parametrize("token", [ADMIN, OWNER])
def test_who_changes_this_machine_is_at_it(out: Beyond, token: str) -> None:
    """Neither the admin token nor a client's with the scope admin is taken."""
    with pytest.raises(Refused, match="admin"):
        out.admit(FAR, with_token(token))


def test_guessing_has_to_wait(out: Beyond, clock: HeldClock) -> None:
    """After ten wrong tokens in a minute even a right one is not looked at, until the minute is over."""
    assert guess(out, times=TRIES + 5) == [Unauthorised] * TRIES + [TooManyTries] * 5
    for token in (EDITOR, OWNER, ADMIN):
        with pytest.raises(TooManyTries) as caught:
            out.admit(FAR, with_token(token))
        assert caught.value.retry_after_s == WINDOW_S

    clock.advance(WINDOW_S)
    out.admit(FAR, with_token(EDITOR))


def test_who_was_let_in_before_is_not_made_to_wait(out: Beyond) -> None:
    """One program with a revoked token does not lock out the others behind the same address."""
    out.admit(FAR, with_token(EDITOR))
    guess(out)

    out.admit(FAR, with_token(EDITOR))
    with pytest.raises(TooManyTries):
        out.admit(FAR, with_token(READER))


def test_missing_tokens_are_no_guesses(out: Beyond) -> None:
    """A health check without a token is refused each time, and nobody waits for it."""
    for _ in range(TRIES * 3):
        with pytest.raises(Unauthorised):
            out.admit(FAR, {})

    out.admit(FAR, with_token(EDITOR))


def test_addresses_wait_each_for_themselves(out: Beyond) -> None:
    """Another IPv4 address may try at once; of IPv6 a whole /64 is one neighbour."""
    guess(out)
    out.admit("192.168.1.78", with_token(EDITOR))

    guess(out, "fd00::1")
    with pytest.raises(TooManyTries):
        out.admit("fd00::2", with_token(READER))
    out.admit("fd00:0:0:1::1", with_token(READER))


def test_what_is_remembered_is_bounded(out: Beyond) -> None:
    """Any number of addresses takes no more room than some thousand."""
    for number in range(MOST_PEERS + 10):
        guess(out, f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", times=1)

    assert len(out._peers) == MOST_PEERS
