"""What a model says of its own answer."""

from __future__ import annotations

from daemon.confidence.self_check import CHECKS, sureness


def test_the_last_words_are_compared() -> None:
    """Both ways share what stands before them, which says nothing of the answer."""
    yes, no = CHECKS
    assert (yes.removesuffix("Yes"), yes == no) == (no.removesuffix("No"), False)

    assert sureness(((-9.0, -0.5), (-9.0, -2.0))) == 1.5
    assert sureness(((), ())) is None
