"""Answers that turned out otherwise than they began."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.confidence.collapse import collapse
from daemon.confidence.features import Features, Generation, features
from daemon.confidence.judgement import Judgement
from providers.contract import Logprob


def seen(words: int = 80, **more: Any) -> Features:
    tokens = tuple(Logprob(b"word", -0.1) for _ in range(words))
    found = features(Generation(tokens, "all different words here", reason="stop"))
    assert found
    return Features(**{**{name: getattr(found, name) for name in Features.__struct_fields__}, **more})


def judgement(score: float, required: float = 0.8, **more: Any) -> Judgement:
    return Judgement(score, required, "calibrated", "short", seen(**more))


BEGUN = judgement(0.9)


@pytest.mark.parametrize(
    ("whole", "turned_out"),
    [
        (judgement(0.9), None),
        (judgement(0.7), None),
        (judgement(0.6), None),
        (judgement(0.59), "fell"),
        (judgement(0.9, valid=False, ended=True), "unusable"),
        (judgement(0.9, valid=False, ended=False), None),
        (judgement(0.9, repetition=0.9), "repetitive"),
        (judgement(0.9, repetition=0.3), None),
        (judgement(0.9, repetition=0.9, words=20), None),
        (judgement(0.7, required=0.99), None),
    ],
    ids=[
        "sure",
        "a little less",
        "below",
        "far below",
        "invalid",
        "cut",
        "a loop",
        "a list",
        "short",
        "a stricter promise",
    ],
)
def test_collapse(whole: Judgement, turned_out: str | None) -> None:
    """It is held against what the beginning needed."""
    assert collapse(BEGUN, whole) == turned_out


def test_what_was_bad_from_the_beginning_is_no_surprise() -> None:
    """A recipe's threshold of nothing lets it through, and it turns out as it began."""
    bad = judgement(0.1, required=0.0, valid=False, ended=True, repetition=0.9)

    assert collapse(bad, bad) is None
