"""How local answers turned out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from daemon.confidence.calibration import sigmoid
from daemon.confidence.outcomes import COMPLAINTS, MOST, STRONG, WEIGHTS, Outcome, Outcomes, Via, outcome_of
from daemon.wire import Attempt, Ledger, Record

AT = datetime(2026, 5, 1, tzinfo=UTC)


def outcome(number: int, right: bool, kept: bool = True, odds: float = 2.0, via: Via = "feedback") -> Outcome:
    return Outcome(AT, f"{number:016x}", "setup", "short", odds, right, kept, via)


def attempt(**more: Any) -> Attempt:
    plain: dict[str, Any] = {
        "outcome": "answered",
        "odds": 1.5,
        "setup": "setup",
        "family": "short",
        "standing": "certified",
        "passed": True,
    }
    return Attempt("local", "small", took_ms=1.0, **{**plain, **more})


def record(*attempts: Attempt) -> Record:
    return Record(
        id="0" * 16,
        at=AT,
        protocol="openai-chat",
        client=None,
        project=None,
        session=None,
        model="auto",
        streamed=False,
        outcome="answered",
        egress="none",
        took_ms=1.0,
        waited_ms=0.0,
        messages=1,
        prompt_chars=1,
        answer_chars=1,
        decision=None,
        attempts=attempts,
        ledger=Ledger(),
    )


def test_outcomes_are_there_after_a_restart(tmp_path: Path) -> None:
    """They are written as they come; a line that was cut off is left out, and does not spoil the next."""
    file = tmp_path / "new" / "outcomes.jsonl"
    first = Outcomes(file)
    first.add(outcome(1, True))
    with file.open("ab") as opened:
        opened.write(b"\n" + b"[" * 100_000 + b'\n{"at":"20')
    Outcomes(file).add(outcome(2, False))

    again = Outcomes(file)
    again.read()

    assert again.count("setup", "short") == 2
    assert again.count("setup", "code") == 0


def test_a_second_word_on_an_answer_replaces_the_first(tmp_path: Path) -> None:
    """Who takes a verdict back is not counted twice."""
    known = Outcomes(tmp_path / "outcomes.jsonl")
    known.add(outcome(1, False))
    known.add(outcome(1, True))

    assert known.count("setup", "short") == 1
    assert known.watch("setup", "short", 0.05, 0.05).wrong == 0


def test_wrong_answers_lower_what_is_stated(tmp_path: Path) -> None:
    """Each wrong one lowers it, right ones raise it, and nothing known changes nothing."""
    known = Outcomes(tmp_path / "outcomes.jsonl")
    assert known.refined("setup") == {}
    for number in range(10):
        known.add(outcome(number, right=False))

    refined = known.refined("setup")["short"].probability(2.0)

    assert refined < 0.8 < 0.88  # what odds of 2 state by themselves
    assert known.refined("other") == {}


def test_a_promise_is_watched_by_what_was_kept_on_it(tmp_path: Path) -> None:
    """Wrong answers that were kept break it; those that were shown for lack of better ones don't."""
    known = Outcomes(tmp_path / "outcomes.jsonl")
    for number in range(12):
        known.add(outcome(number, right=False, kept=False))
    assert not known.watch("setup", "short", 0.05, 0.05).broken

    for number in range(12, 24):
        known.add(outcome(number, right=False))

    assert known.watch("setup", "short", 0.05, 0.05).broken


@pytest.mark.parametrize(
    ("attempts", "learned"),
    [
        ((attempt(),), True),
        ((attempt(outcome="cancelled", passed=False), attempt(passed=None, odds=None, setup=None, family=None)), False),
        ((attempt(passed=False), attempt(outcome="failed", odds=None)), True),
        ((attempt(passed=False), attempt(passed=False)), False),
        ((attempt(odds=None),), False),
        ((), False),
        ((attempt(), attempt(role="audit", passed=None, odds=None, setup=None, family=None)), True),
    ],
    ids=["kept", "cloud answered", "cloud failed", "two drafts", "not calibrated", "nobody", "audited"],
)
def test_what_can_be_learned_from_a_record(attempts: tuple[Attempt, ...], learned: bool) -> None:
    """An outcome speaks of the draft that was shown, and only if a calibration had spoken for it."""
    found = outcome_of(record(*attempts), True, AT)

    assert (found is not None) == learned
    assert found is None or (found.odds, found.kept) == (1.5, attempts[0].passed)


def test_the_weightier_word_on_an_answer_stands(tmp_path: Path) -> None:
    """Whatever came first, and after a restart; both lines are in the file."""
    file = tmp_path / "outcomes.jsonl"
    known = Outcomes(file)
    known.add(outcome(1, True))
    known.add(outcome(1, False, via="regenerate"))
    known.add(outcome(2, False, via="regenerate"))
    known.add(outcome(2, True))

    again = Outcomes(file)
    again.read()

    for each in (known, again):
        assert [each.of(f"{number:016x}")[0].right for number in (1, 2)] == [True, True]
    assert known.of("f" * 16) == ()
    assert file.read_bytes().count(b"regenerate") == 2


@pytest.mark.parametrize("via", sorted(WEIGHTS))
def test_what_a_promise_is_held_to(tmp_path: Path, via: Via) -> None:
    """Feedback and audits of kept answers break it; what is only ever said of wrong ones can't, however often."""
    known = Outcomes(tmp_path / "outcomes.jsonl")
    for number in range(30):
        known.add(outcome(number, right=False, via=via))

    assert known.watch("setup", "short", 0.05, 0.05).broken == (via in STRONG)


@pytest.mark.parametrize("via", sorted(COMPLAINTS))
def test_complaints_nudge_and_no_more(tmp_path: Path, via: Via) -> None:
    """One lowers what is stated by less than feedback would, and a thousand can't talk a good model down."""
    few, sure, many = (Outcomes(tmp_path / name) for name in ("few", "sure", "many"))
    few.add(outcome(1, right=False, via=via))
    sure.add(outcome(1, right=False))
    for number in range(1000):
        many.add(outcome(number, right=False, via=via))

    plain = sigmoid(2.0)
    stated = {each: each.refined("setup")["short"].probability(2.0) for each in (few, sure, many)}
    assert stated[sure] < stated[few] < plain
    assert 0.6 < stated[many] < stated[few]


def test_complaints_are_forgotten_before_others(tmp_path: Path) -> None:
    """Many of them don't push the user's own word out."""
    known = Outcomes(tmp_path / "outcomes.jsonl")
    known.add(outcome(0, right=True))
    for number in range(1, MOST + 2):
        known.add(outcome(number, right=False, via="regenerate"))

    assert known.count("setup", "short") == MOST
    assert known.of("0" * 16)
    assert not known.of(f"{1:016x}")


def test_what_was_asked_about_a_draft_is_no_answer() -> None:
    """Further answers and grades stand behind the draft in the record, and the outcome is the draft's."""
    about = [attempt(role=role, odds=None, passed=None, standing=None) for role in ("sample", "verifier")]

    found = outcome_of(record(attempt(odds=1.5), *about), True, AT)

    assert found
    assert found.odds == 1.5
