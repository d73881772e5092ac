"""Diffs to show and to keep, without tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.connecting.diffs import applied, hunks, masked, shown
from tests.fakes.texts import PATIENT

TOKEN = "nl_" + "A1-_" * 10 + "xyz"
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "d", f"key: {TOKEN}\n", "\n"]), max_size=8).map("".join)


@PATIENT
@given(LINES, LINES)
def test_hunks_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    """With tokens masked, and no token in them."""
    changes = hunks(before, after)

    assert applied(before, changes) == masked(after)
    assert TOKEN not in repr(changes)


def test_what_is_shown() -> None:
    """Our token is masked in what comes, and other services' keys on the lines around."""
    before = 'apiKey: "sk-live-12345678"\nmodel: x\n'

    lines = shown(before, before + f"token: {TOKEN}\nsecret: plain-value\n", "config.yaml")

    assert "+token: nl_…" in lines
    assert "+secret: plain-value" in lines
    assert ' apiKey: "…"' in lines
    assert not any("sk-live" in line or TOKEN in line for line in lines)
