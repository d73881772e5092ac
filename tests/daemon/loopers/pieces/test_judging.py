"""Which pieces of a draft fail."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.loopers.pieces.judging import split
from tests.fakes.edits import FORMS, PLANTS, Form, Plant, edit


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("count", [3, 8])
def test_the_planted_one_fails_and_no_other(form: Form, plant: Plant, count: int) -> None:
    """By its form, whatever its tokens say; or by its tokens, whatever its form."""
    made = edit(count, form, plant, count)

    found = split(made.generation, made.judgement, made.conversation.__contains__)

    assert found is not None
    assert found.failing == (made.fault,)


def test_half_of_them_is_too_many() -> None:
    """Of two pieces one is no minority: who asks for it might as well ask for all."""
    made = edit(1, "diff", "form", 2)

    assert split(made.generation, made.judgement, made.conversation.__contains__) is None


def test_without_log_probabilities_nothing_is_known_to_be_good() -> None:
    """Pieces that nobody can vouch for are not kept."""
    made = edit(1, "diff", "form", 5)

    assert (
        split(replace(made.generation, tokens=made.tokens[:-1]), made.judgement, made.conversation.__contains__) is None
    )


def test_a_file_that_nobody_showed_may_hold_anything() -> None:
    """If nothing of what is searched for stands in the conversation, that says nothing."""
    made = edit(3, "search-replace", "form", 4)

    assert split(made.generation, made.judgement, lambda text: False) is None


def test_prose_has_no_pieces() -> None:
    """An answer of no format is judged as a whole, as ever."""
    made = edit(1, "diff", "form", 5)
    prose = replace(made.generation, text="It is slow because of the loop.")

    assert split(prose, made.judgement, made.conversation.__contains__) is None
