"""Further answers are drawn where they can lift a draft, and no more than that takes."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from daemon.certifying.fit import fitted
from daemon.confidence.families import Family
from daemon.confidence.further import TEMPERATURE, TOKENS
from daemon.confidence.judgement import Known, Sought
from daemon.decision.rules import Candidate, Decision
from daemon.errors import BudgetSpent
from daemon.loopers.confidence import confidence
from providers.contract import Delta, NoAnswer, TextDelta, ToolCallDelta, Unreachable
from tests.fakes.recordings import drawn_rows
from tests.fakes.stage import END, Stage, said

SMALL, CLOUD = Candidate("local", "small", 0.8), Candidate("work", "big")
MIDDLING: Final = -0.6
"""A log-probability with which a draft fails alone and passes if others agree, by `measured`."""


@pytest.fixture(scope="module")
def measured() -> Known:
    return Known(fitted(drawn_rows(3000, good=2.5)), exact=True)


@pytest.fixture(scope="module")
def likened() -> Known:
    rows = drawn_rows(1500, good=2.5) + drawn_rows(1500, family="prose", author="bea", good=2.5, by="ear")
    return Known(fitted(rows), exact=True, likens="ear")


async def answers(stage: Stage, family: Family = "short", whole: bool = False) -> str:
    asked = Decision("test", "confidence", (SMALL, CLOUD), said="Where?", sought=Sought(family), whole=whole)
    deltas: list[Delta] = [delta async for delta in confidence(asked, stage)]
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def stage(known: Known, *beside: str | Exception, logprob: float = MIDDLING) -> Stage:
    return Stage({SMALL: [said("Paris", logprob), END], CLOUD: [said("Lyon", 0.0), END]}, known, beside)


async def test_agreement_keeps_a_draft(measured: Known) -> None:
    """Same answers in other words let it pass: nobody else is asked, and the draft itself is the answer."""
    here = stage(measured, "paris.", "The Paris", "PARIS!")

    assert await answers(here) == "Paris"
    assert here.asked == ["small"]
    assert (judged := here.scores["small"])
    assert (judged.passed, judged.standing) == (True, "calibrated")
    first = here.errands[0]
    assert (first.role, first.temperature, first.max_tokens) == ("sample", TEMPERATURE, TOKENS)
    assert [errand.draw for errand in here.errands] == list(range(1, len(here.errands) + 1))


async def test_disagreement_ends_it_at_once(measured: Known) -> None:
    """When what is left to draw can't lift it any more, it isn't drawn, and the next candidate answers."""
    here = stage(measured, "Rome", "Bern", "Oslo")

    assert await answers(here) == "Lyon"
    assert len(here.errands) < 3


@pytest.mark.parametrize("logprob", [-0.001, -6.0])
async def test_nothing_is_drawn_for_a_decided_draft(measured: Known, logprob: float) -> None:
    """One that passes alone, and one that no agreement lifts."""
    here = stage(measured, logprob=logprob)

    await answers(here)

    assert here.errands == []


async def test_answers_in_prose_are_held_against_each_other(likened: Known) -> None:
    """Those that say the same let it pass, whatever their words; those that don't end it as soon as the rest can't help."""
    agreeing = stage(likened, "the French capital", "the capital of France", "it is Paris")
    agreeing.likeness = lambda one, other: 0.95
    differing = stage(likened, "Rome", "Bern", "Oslo")
    differing.likeness = lambda one, other: 0.0

    assert await answers(agreeing, "prose") == "Paris"
    assert (judged := agreeing.scores["small"])
    assert (judged.passed, judged.standing, judged.family) == (True, "calibrated", "prose")
    assert await answers(differing, "prose") == "Lyon"
    assert len(differing.errands) < 3


async def test_prose_counts_only_by_who_it_was_measured_by(likened: Known) -> None:
    """Told by somebody else here, or by nobody, likeness has no weight, and nothing is drawn."""
    for likens in ("", "another"):
        here = stage(replace(likened, likens=likens))
        here.likeness = lambda one, other: 1.0

        assert await answers(here, "prose") == "Lyon"
        assert here.errands == []


async def test_likeness_that_can_t_be_told_leaves_the_draft_as_it_stood(likened: Known) -> None:
    """The failure is noted, and the next candidate answers."""
    here = stage(likened, "the capital of France")

    assert await answers(here, "prose") == "Lyon"
    assert here.notes == ["samples-failed"]
    assert len(here.errands) == 1


async def test_an_empty_answer_in_prose_is_like_nothing(likened: Known) -> None:
    """Nobody is asked how like it is."""
    here = stage(likened, NoAnswer(), NoAnswer(), NoAnswer())

    assert await answers(here, "prose") == "Lyon"
    assert here.notes == []


async def test_without_weights_nothing_is_drawn(measured: Known) -> None:
    """A profile that knows nothing of further answers costs none, and no profile neither."""
    assert measured.profile
    mute = Known(replace(measured.profile, agreement=None), exact=True)

    for known in (mute, Known()):
        here = stage(known)
        assert await answers(here) == "Lyon"
        assert here.errands == []


async def test_beginnings_and_calls_are_not_drawn_again(measured: Known) -> None:
    """A draft that goes on, one that calls a tool, one without a form to compare by."""
    long = Stage({SMALL: [said("so ", MIDDLING)] * 80, CLOUD: [said("Lyon", 0.0), END]}, measured)
    calling = stage(measured)
    calling.plays[SMALL].insert(1, ToolCallDelta(0, "call_1", "look", "{}"))
    formless = stage(measured)
    formless.plays[SMALL][0] = said("!", MIDDLING)

    for here in (long, calling, formless):
        assert await answers(here) == "Lyon"
        assert here.errands == []


@pytest.mark.parametrize("problem", [BudgetSpent("calls"), Unreachable("gone")])
async def test_what_can_t_be_drawn_leaves_the_draft_as_it_stood(measured: Known, problem: Exception) -> None:
    """The failure is noted, and the next candidate answers."""
    here = stage(measured, "Paris", problem)

    assert await answers(here) == "Lyon"
    assert here.notes == ["samples-failed"]


async def test_an_empty_answer_agrees_with_nothing(measured: Known) -> None:
    """It counts as one that says something else."""
    here = stage(measured, NoAnswer(), NoAnswer(), NoAnswer())

    assert await answers(here) == "Lyon"
    assert here.notes == []


async def test_a_whole_draft_is_asked_about(measured: Known) -> None:
    """What its model says of it is part of what is judged; of a beginning nothing is asked."""
    here, long = stage(measured, logprob=-0.001), Stage({SMALL: [said("so ", -0.001)] * 80, CLOUD: []}, measured)
    here.checks = 1.5

    await answers(here)
    await answers(long)

    assert here.checked == ["small"]
    assert long.checked == []
    assert (judged := here.scores["small"])
    assert judged.seen
    assert judged.seen.self_check == 1.5
