"""What was seen, and what nobody looked for."""

from __future__ import annotations

import pytest

from daemon.decision.seen import FALSE, TRUE, UNKNOWN, Seen
from daemon.signals.base import Kind, Observation


def observation(signal: str, name: str, **more: object) -> Observation:
    return Observation(signal=signal, kind=Kind.ROUTE, name=name, **more)  # type: ignore[arg-type]


def test_a_rule_matched_or_not_or_nobody_knows() -> None:
    """A signal that looked and found nothing says no; one that isn't here says nothing."""
    seen = Seen([observation("keyword", "urgent", score=0.75)], frozenset({"keyword"}))

    assert seen.truth("keyword", "urgent") == TRUE
    assert seen.truth("keyword", "other") == FALSE
    assert seen.truth("embedding", "other") == UNKNOWN
    assert seen.confidence("keyword", "urgent") == 0.75


@pytest.mark.parametrize(("kind", "truth"), [(Kind.PRIVACY, TRUE), (Kind.ROUTE, UNKNOWN)])
def test_a_signal_that_broke(kind: Kind, truth: int) -> None:
    """A privacy signal that broke counts as a find; of another nothing is known."""
    seen = Seen([Observation(signal="pii", kind=kind, name="pii", error="ValueError")], frozenset({"pii"}))

    assert seen.truth("pii", "personal") == truth
    assert seen.value("pii", "personal") is None


def test_levels_and_labels() -> None:
    """A label is asked for behind a colon, or by its score."""
    seen = Seen(
        [
            observation("complexity", "task", label="hard", score=0.3),
            observation("classifier", "risk", label="RISKY", score=0.7),
        ],
        frozenset({"complexity", "classifier"}),
    )

    assert seen.truth("complexity", "task:hard") == TRUE
    assert seen.truth("complexity", "task:easy") == FALSE
    assert seen.label_score("classifier", "risk", "RISKY") == 0.7
    assert seen.label_score("classifier", "risk", "SAFE") == 0.0
    assert Seen([], frozenset()).label_score("classifier", "risk", "SAFE") is None


def test_the_surest_label_counts() -> None:
    """A rule that found several things is as sure as the surest."""
    seen = Seen(
        [observation("pii", "p", label="US_SSN", score=0.6), observation("pii", "p", label="IBAN_CODE", score=0.9)],
        frozenset({"pii"}),
    )

    assert seen.confidence("pii", "p") == 0.9


def test_numbers() -> None:
    """What was measured, 0 where nothing was found, nothing where nobody looked."""
    seen = Seen([observation("context", "long", value=9000.0)], frozenset({"context", "structure"}))

    assert seen.value("context", "long") == 9000.0
    assert seen.value("structure", "s") == 0.0
    assert seen.value("kb_metric", "k:m") is None
