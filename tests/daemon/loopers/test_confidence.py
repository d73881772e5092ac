"""Cheap first, up when unsure, and never two answers in one stream."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from daemon.confidence.recovery import HOLD_S, JUDGED_TOKENS
from daemon.decision.rules import Candidate, Decision
from daemon.errors import BudgetSpent, NoCandidate
from daemon.loopers.confidence import confidence
from providers.contract import Delta, Finish, Progress, TextDelta, Unreachable
from tests.fakes.edits import Edit, edit
from tests.fakes.stage import END, Stage, Step, said

SURER = Candidate("local", "small", 0.9)
SMALL, MIDDLE, CLOUD = Candidate("local", "small", 0.5), Candidate("local", "middle", 0.5), Candidate("work", "big")


def decision(*candidates: Candidate) -> Decision:
    return Decision("test", "confidence", candidates)


async def play(stage: Stage, *candidates: Candidate) -> list[Delta]:
    return [delta async for delta in confidence(decision(*candidates), stage)]


def text(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


async def test_a_sure_draft_is_the_answer() -> None:
    """At the threshold or above, the draft goes out and nobody else is asked."""
    stage = Stage({SMALL: [said("four", -0.01), END], CLOUD: [said("4", 0.0), END]})

    assert text(await play(stage, SMALL, CLOUD)) == "four"
    assert (stage.asked, stage.winner) == (["small"], "small")
    assert (judged := stage.scores["small"])
    assert judged.passed


async def test_an_unsure_draft_is_never_seen() -> None:
    """Below it, the next one's answer is the only one, and the draft is ended before it is over."""
    stage = Stage({SMALL: [said("five", -5.0), END], CLOUD: [said("4", 0.0), said("!", 0.0), END]})

    assert text(await play(stage, SMALL, CLOUD)) == "4!"
    assert stage.closed == ["small", "big"]


async def test_a_long_draft_is_judged_by_its_beginning() -> None:
    """JUDGED_TOKENS tokens are held back, then a sure draft streams on."""
    many: list[Step] = [said(f"w{n} ", -0.01) for n in range(JUDGED_TOKENS * 3)]
    stage = Stage({SMALL: [*many, END], CLOUD: []})

    deltas = confidence(decision(SMALL, CLOUD), stage)
    first = await anext(deltas)
    assert stage.ended == []
    rest = [delta async for delta in deltas]

    assert text([first, *rest]) == "".join(f"w{n} " for n in range(JUDGED_TOKENS * 3))


async def test_a_slow_draft_is_judged_after_a_while() -> None:
    """HOLD_S seconds of generation are enough, however few tokens came."""
    stage = Stage({SMALL: [], CLOUD: [said("4", 0.0), END]})
    stage.plays[SMALL] = [said("a", -6.0), stage.wait(HOLD_S), said("b", -6.0), said("c", 0.0), END]

    assert text(await play(stage, SMALL, CLOUD)) == "4"
    assert "small" not in stage.ended


async def test_when_the_cloud_fails_the_draft_is_the_answer() -> None:
    """A provider that is away costs the better answer, not the answer: the whole draft goes out, marked as below."""
    stage = Stage({SMALL: [said("five", -5.0), said(" or", -5.0), END], CLOUD: [Unreachable("away")]})

    assert text(await play(stage, SMALL, CLOUD)) == "five or"
    assert stage.winner == "small"
    assert not ((judged := stage.scores["small"]) and judged.passed)


async def test_a_wait_is_no_answer() -> None:
    """Who only said what it waits for has not begun: if it fails then, the draft still answers."""
    stage = Stage({SMALL: [said("five", -5.0), END], CLOUD: [Progress("loading", 0.5), Unreachable("away")]})

    deltas = await play(stage, SMALL, CLOUD)

    assert text(deltas) == "five"
    assert stage.winner == "small"


async def test_the_best_draft_wins_not_the_last() -> None:
    """When nobody passes, the highest score is released."""
    stage = Stage({SMALL: [said("a", -2.0), END], MIDDLE: [said("b", -4.0), END]})

    assert text(await play(stage, SMALL, MIDDLE)) == "a"
    assert stage.winner == "small"


async def test_a_cut_after_the_first_delta_is_an_error() -> None:
    """Once the cloud's words are out, a cut is told and no draft is appended: never two answers in one stream."""
    stage = Stage({SMALL: [said("five", -5.0), END], CLOUD: [said("4", 0.0), Unreachable("cut")]})
    out: list[Delta] = []

    with pytest.raises(Unreachable):
        async for delta in confidence(decision(SMALL, CLOUD), stage):
            out.append(delta)

    assert text(out) == "4"


async def test_a_cut_that_nobody_has_seen_costs_nothing() -> None:
    """A client that reads whole answers gets the draft instead of a cloud answer that broke off."""
    stage = Stage({SMALL: [said("five", -5.0), END], CLOUD: [said("4", 0.0), Unreachable("cut")]})
    whole = Decision("test", "confidence", (SMALL, CLOUD), whole=True)

    assert text([delta async for delta in confidence(whole, stage)]) == "five"
    assert stage.winner == "small"


async def test_when_everybody_fails_the_last_reason_is_told() -> None:
    """The error of the last one asked is the answer's."""
    stage = Stage({SMALL: [NoCandidate("no model")], CLOUD: [Unreachable("away")]})

    with pytest.raises(Unreachable, match="away"):
        await play(stage, SMALL, CLOUD)


async def test_a_draft_without_logprobs_does_not_pass() -> None:
    """No evidence is no confidence."""
    stage = Stage({SMALL: [TextDelta("four"), END], CLOUD: [said("4", 0.0), END]})

    assert text(await play(stage, SMALL, CLOUD)) == "4"


async def test_hanging_up_ends_everybody() -> None:
    """Closing the looper closes the draft and whoever is being asked."""
    stage = Stage({SMALL: [said("five", -5.0), END], CLOUD: [said("4", 0.0), said("5", 0.0), END]})
    deltas = confidence(decision(SMALL, CLOUD), stage)
    await anext(deltas)

    await deltas.aclose()

    assert sorted(stage.closed) == ["big", "small"]


async def test_a_spent_budget_leaves_the_draft() -> None:
    """If nobody else may be asked any more, the best so far is the answer; without a draft it is the error."""
    unsure = [said("maybe", -3.0), END]
    stage = Stage({SMALL: unsure, CLOUD: [BudgetSpent("calls")]})

    assert [delta async for delta in confidence(decision(SMALL, CLOUD), stage)] == unsure
    assert stage.winner == "small"
    with pytest.raises(BudgetSpent):
        [delta async for delta in confidence(decision(CLOUD), Stage({CLOUD: [BudgetSpent("calls")]}))]


def unsure(count: int, logprob: float = -4.0) -> list[Step]:
    return [said(f"w{n} ", logprob) for n in range(count)]


async def test_a_hopeless_draft_is_stopped() -> None:
    """Once no end can mend it, its tokens are waste: it is closed where that is seen, and the next one asked."""
    stage = Stage({SMALL: [*unsure(60), END], CLOUD: [said("4", 0.0), END]})

    assert text(await play(stage, SMALL, CLOUD)) == "4"
    assert stage.looked[-1] < 60
    assert stage.ended == ["big"]
    assert stage.notes == ["stopped-early"]


async def test_a_stopped_draft_is_asked_anew_if_nobody_better_answers() -> None:
    """The client gets a whole answer, not the beginning that was held, and it counts as below."""
    stage = Stage({SMALL: [*unsure(60), END], CLOUD: [Unreachable("away")]})

    deltas = await play(stage, SMALL, CLOUD)

    assert text(deltas) == "".join(f"w{n} " for n in range(60))
    assert stage.asked == ["small", "big", "small"]
    assert stage.winner == "small"


async def test_a_hedge_is_asked_while_the_draft_goes_on() -> None:
    """Where the user allows it, the cloud is asked as soon as the draft would not pass, and its words are the answer."""
    stage = Stage({SMALL: [*unsure(10, -1.0), END], CLOUD: [said("4", 0.0), said("!", 0.0), END]})
    stage.hedges = True
    whole = Decision("test", "confidence", (SMALL, CLOUD), whole=True)

    assert text([delta async for delta in confidence(whole, stage)]) == "4!"
    assert stage.asked == ["small", "big"]


async def test_a_hedge_that_won_is_named_before_its_first_word() -> None:
    """The draft spoke last, and still it is not its answer: headers go out with the first words."""
    stage = Stage({SMALL: [*unsure(10, -1.0), END], CLOUD: [said("4", 0.0), said("!", 0.0), END]})
    stage.plays[SMALL].insert(8, stage.pause)
    stage.hedges = True

    deltas = confidence(decision(SMALL, CLOUD), stage)
    await anext(deltas)

    assert stage.winner == "big"
    await deltas.aclose()


async def test_a_hedge_that_was_not_needed_is_ended() -> None:
    """A draft that comes round is the answer, and the call beside it is closed before it goes out."""
    comes_round: list[Step] = [*unsure(4, -0.9), *unsure(40, -0.001)]
    stage = Stage({SMALL: [*comes_round, END], CLOUD: [said("4", 0.0), END]})
    stage.plays[SMALL].insert(5, stage.pause)
    stage.hedges = True

    deltas = confidence(Decision("test", "confidence", (SMALL, CLOUD)), stage)
    first = await anext(deltas)

    assert stage.asked == ["small", "big"]
    assert stage.closed == ["big"]
    assert text([first, *[delta async for delta in deltas]]) == "".join(f"w{n} " for n in [*range(4), *range(40)])
    assert stage.winner == "small"


async def test_a_hedge_that_fails_costs_nothing() -> None:
    """If the call beside a draft fails and the draft does not pass, the draft is the answer; if it does, nobody hears of it."""
    poor = Stage({SMALL: [*unsure(10, -1.0), END], CLOUD: [Unreachable("away")]})
    good = Stage({SMALL: [*unsure(4, -0.9), *unsure(40, -0.001), END], CLOUD: [Unreachable("away")]})
    poor.hedges = good.hedges = True

    assert text(await play(poor, SMALL, CLOUD)) == "".join(f"w{n} " for n in range(10))
    assert text(await play(good, SMALL, CLOUD)).startswith("w0 w1 w2 w3 w0 ")


async def test_nobody_is_asked_beside_a_draft_unless_allowed() -> None:
    """Without the user's word an unsure draft is judged first."""
    stage = Stage({SMALL: [*unsure(4, -0.9), *unsure(40, -0.001), END], CLOUD: [said("4", 0.0), END]})

    await play(stage, SMALL, CLOUD)

    assert stage.asked == ["small"]


async def test_hanging_up_ends_the_hedge_too() -> None:
    """A client that goes while both are written leaves nobody writing."""
    stage = Stage({SMALL: [], CLOUD: [said("4", 0.0), END]})
    stage.plays[SMALL] = [*unsure(4, -0.9), stage.forever]
    stage.hedges = True
    whole = Decision("test", "confidence", (SMALL, CLOUD), whole=True)
    reading = asyncio.create_task(anext(confidence(whole, stage)))
    await stage.opened.wait()

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert sorted(stage.closed) == ["big", "small"]


async def test_a_whole_answer_is_judged_to_its_end() -> None:
    """Who reads nothing before the end gets the cloud's answer for a draft that broke down behind its sure beginning."""
    breaks: list[Step] = [*unsure(JUDGED_TOKENS, -0.01), *unsure(JUDGED_TOKENS, -5.0)]
    stage = Stage({SMALL: [*breaks, END], CLOUD: [said("4", 0.0), END]})
    whole = Decision("test", "confidence", (SMALL, CLOUD), whole=True)

    assert text([delta async for delta in confidence(whole, stage)]) == "4"

    alone = Stage({SMALL: [*breaks, END], CLOUD: [Unreachable("away")]})
    assert len([delta async for delta in confidence(whole, alone)]) == 2 * JUDGED_TOKENS + 1
    assert alone.asked == ["small", "big"]


async def test_a_draft_that_is_not_ready_in_time_is_not_waited_for() -> None:
    """The next one is asked when the time is over, and the draft is ended: nobody knows how long it would take."""
    stage = Stage({SMALL: [said("a", -0.1), forever], CLOUD: [said("4", 0.0), END]})
    late = replace(decision(SMALL, CLOUD), within_s=0.01)

    assert text([delta async for delta in confidence(late, stage)]) == "4"
    assert (stage.closed, stage.notes) == (["small", "big"], ["not-in-time"])


async def test_if_the_cloud_is_away_a_late_draft_has_its_time() -> None:
    """It is asked anew, and waited for: there is nobody else."""
    pace = Pace()
    stage = Stage({SMALL: [pace.wait, said("four", -0.1), END], CLOUD: [Unreachable("away")]})
    late = replace(decision(SMALL, CLOUD), within_s=0.01)

    assert text([delta async for delta in confidence(late, stage)]) == "four"
    assert stage.winner == "small"


async def test_drafts_share_the_time() -> None:
    """A second one has what the first one left."""
    stage = Stage({SMALL: [forever], MIDDLE: [forever], CLOUD: [said("4", 0.0), END]})
    late = replace(decision(SMALL, MIDDLE, CLOUD), within_s=0.01)

    assert text([delta async for delta in confidence(late, stage)]) == "4"
    assert stage.asked == ["small", "middle", "big"]


async def forever() -> None:
    await asyncio.Event().wait()


class Pace:
    """Silent the first time, and at once afterwards."""

    def __init__(self) -> None:
        self.times = 0

    async def wait(self) -> None:
        self.times += 1
        if self.times == 1:
            await forever()


def in_pieces() -> tuple[Edit, list[Step]]:
    """A draft of three blocks whose last one is unsure, token by token."""
    made = next(each for seed in range(20) if (each := edit(seed, "fenced", "words", 3)).fault == 2)
    return made, [*(TextDelta(token.piece.decode(), (token,)) for token in made.tokens), END]


async def test_of_a_draft_in_pieces_the_failing_one_is_mended() -> None:
    """All of it is there and nobody has seen it: the one piece comes from whoever is behind it, and it is one answer."""
    made, draft = in_pieces()
    stage = Stage({SURER: draft, CLOUD: [said(made.pieces[made.fault], 0.0), END]})

    deltas = [delta async for delta in confidence(replace(decision(SURER, CLOUD), whole=True), stage)]

    assert text(deltas) == made.right
    assert isinstance(deltas[-1], Finish)
    assert [errand.role for errand in stage.errands] == ["repair"]
    assert stage.notes == ["mended"]


async def test_what_can_not_be_mended_is_asked_for_whole() -> None:
    """One call more, and the answer is as good as without it."""
    _, draft = in_pieces()
    stage = Stage({SURER: draft, CLOUD: [said("all of it", 0.0), END]})

    deltas = [delta async for delta in confidence(replace(decision(SURER, CLOUD), whole=True), stage)]

    assert text(deltas) == "all of it"
    assert stage.asked == ["small", "big", "big"]
    assert stage.notes == ["mending-failed"]


async def test_what_a_client_reads_along_is_not_mended() -> None:
    """It is judged by its beginning and goes out from there: what was shown stands."""
    made, draft = in_pieces()
    stage = Stage({SURER: draft, CLOUD: []})

    assert text(await play(stage, SURER, CLOUD)) == made.draft
    assert stage.asked == ["small"]
