"""Why a request stays, in words."""

from __future__ import annotations

import pytest

from daemon.boundary.judge import IDENTIFYING, Clearance, Finding
from daemon.boundary.staying import _WHY, CROWDED, DENIED, NOT_ANSWERED, private
from daemon.cli.why_codes import WHY_HERE

RECORD = "0123456789abcdef"


def test_class_count_and_field() -> None:
    """What was found is told without any of it, with the command that lets it leave."""
    finding = Finding("CREDIT_CARD", 2, "messages[0].parts[0]", "stay")

    told = str(private(Clearance("device", findings=(finding,), why=("private",)), RECORD))

    assert "it holds private values (2 CREDIT_CARD in messages[0].parts[0])" in told
    assert f"`nearloop allow {RECORD} --once`" in told


@pytest.mark.parametrize(
    ("why", "can_pass"),
    [
        (("private",), True),
        (("not-maskable", "not-readable"), True),
        ((DENIED,), True),
        ((NOT_ANSWERED,), True),
        ((CROWDED,), True),
        (("asked",), False),
        (("local-only",), False),
        (("private", "signal-failed"), False),
        (("signal-late",), False),
    ],
)
def test_only_what_can_be_let_pass_is_offered(why: tuple[str, ...], can_pass: bool) -> None:
    """A failed check, the switch and the client's own wish are ended by no approval."""
    told = str(private(Clearance("device", why=why), RECORD))

    assert ("nearloop allow" in told) == can_pass
    assert "Ask for `local`" in told


def test_every_reason_has_words() -> None:
    """In a refusal, and in what `nearloop why` says."""
    assert set(_WHY) == set(WHY_HERE)
    assert IDENTIFYING in _WHY
