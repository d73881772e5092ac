"""The failing piece instead of the whole answer."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.decision.rules import Candidate
from daemon.errors import Private
from daemon.loopers.mending import mended
from providers.contract import Logprob, Unreachable
from tests.fakes.edits import FORMS, PLANTS, SURE, Edit, Form, Plant, edit
from tests.fakes.panel import Panel, Say

BIG = Candidate("work", "big")


async def mend(made: Edit, *says: Say) -> tuple[str | None, Panel]:
    ask = Panel({"big repair": list(says)})
    ask.conversation = made.conversation
    return await mended(made.generation, made.judgement, BIG, ask), ask


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plant", PLANTS)
async def test_one_piece_is_asked_for_and_put_in_its_place(form: Form, plant: Plant) -> None:
    """The answer is the right one to the byte, and whoever mended it was asked once, for the gap."""
    made = edit(5, form, plant, 5)

    text, ask = await mend(made, f"Here it is:\n\n{made.pieces[made.fault]}\n")

    assert text == made.right
    assert ask.notes == ["mended"]
    ((_, errand),) = ask.asked_as("repair")
    assert errand.own
    assert errand.spare is not made.judgement.passed  # a draft that passed is the answer anyway
    assert "GAP 1" in errand.words
    assert all(piece in errand.words for number, piece in enumerate(made.pieces) if number != made.fault)


@pytest.mark.parametrize("case", ["two", "none", "faulty", "another-format", "not-there"])
async def test_what_comes_back_has_to_fit(case: str) -> None:
    """As many whole pieces as there are gaps, of the same format, each of which can be used; else nothing is mended."""
    made = edit(6, "search-replace", "words", 5)
    right = made.pieces[made.fault]
    answers = {
        "two": f"{right}\n\n{right}",
        "none": "I would not change that.",
        "faulty": "<<<<<<< SEARCH\nsame\n=======\nsame\n>>>>>>> REPLACE",
        "another-format": "```python\nx = 1\n```",
        "not-there": right.replace("limit", "limits"),
    }

    text, ask = await mend(made, answers[case])

    assert text is None
    assert ask.notes == ["mending-failed"]


@pytest.mark.parametrize("error", [Unreachable("away"), Private("it stays")])
async def test_who_may_not_or_can_not_is_no_harm(error: Exception) -> None:
    """The whole answer is asked for then, which has its own way of failing."""
    text, ask = await mend(edit(7, "diff", "form", 4), error)

    assert (text, ask.notes) == (None, [])


async def test_a_right_draft_is_left_alone() -> None:
    """Nobody is asked where nothing fails."""
    made = edit(8, "fenced", "words", 4)
    good = replace(made, draft=made.right, tokens=(Logprob(made.right.encode(), SURE),))

    text, ask = await mend(good, "never")

    assert (text, ask.asked) == (None, [])
