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


def test_what_was_only_measured_does_not_match() -> None:
    """Its numbers are there for projections and for tests of a label."""
    seen = Seen(
        [
            observation("structure", "long", value=12.0, matched=False),
            observation("classifier", "risk", label="RISKY", score=0.2, matched=False),
            observation("classifier", "risk", label="SAFE", score=0.8),
            observation("kb_metric", "base:best_score", value=0.4, matched=False),
        ],
        frozenset({"structure", "classifier"}),
    )

    assert (seen.truth("structure", "long"), seen.value("structure", "long")) == (FALSE, 12.0)
    assert (seen.truth("classifier", "risk:RISKY"), seen.label_score("classifier", "risk", "RISKY")) == (FALSE, 0.2)
    assert seen.truth("classifier", "risk") == TRUE
    assert seen.value("kb_metric", "base:best_score") == 0.4


def test_a_single_rule_that_could_not_look() -> None:
    """Nothing is known of it and its labels; of the family's other rules it is."""
    seen = Seen(
        [observation("jailbreak", "attack", error="NoModel", only=True), observation("jailbreak", "other")],
        frozenset({"jailbreak"}),
    )

    assert (seen.truth("jailbreak", "attack"), seen.truth("jailbreak", "attack:harm")) == (UNKNOWN, UNKNOWN)
    assert (seen.truth("jailbreak", "other"), seen.truth("jailbreak", "third")) == (TRUE, FALSE)
    assert seen.value("jailbreak", "attack") is None
    assert seen.label_score("jailbreak", "attack", "harm") is None


@pytest.mark.parametrize(("counts", "truth"), [("match", TRUE), ("no_match", FALSE), ("unknown", UNKNOWN)])
@pytest.mark.parametrize("only", [True, False])
def test_what_a_failure_counts_as(counts: str, truth: int, only: bool) -> None:
    """If somebody said so, of a rule or a family, whatever its kind."""
    broken = Observation(signal="pii", kind=Kind.PRIVACY, name="p", error="Late", only=only, counts=counts)  # type: ignore[arg-type]

    assert Seen([broken], frozenset({"pii"})).truth("pii", "p") == truth
