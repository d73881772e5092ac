"""Tests of upstream's response headers; the whole set is held to a daemon in tests/e2e/test_routing.py."""

from __future__ import annotations

from daemon.surfaces.vsr import MATCHED, _plain


def test_names_of_the_debug_set() -> None:
    """Upstream's spelling, with its plurals."""
    assert MATCHED["keyword"] == b"x-vsr-matched-keywords"
    assert MATCHED["fact_check"] == b"x-vsr-matched-fact-check"
    assert MATCHED["projection"] == b"x-vsr-matched-projections"
    assert MATCHED["language"] == b"x-vsr-matched-language"


def test_names_that_headers_cannot_hold() -> None:
    """A recipe's names may be in any script, and hold anything."""
    assert _plain("a/b c:d") == b"a/b c:d"
    assert _plain("법") == b"%EB%B2%95"
    assert _plain("x\r\ny%") == b"x%0D%0Ay%25"
