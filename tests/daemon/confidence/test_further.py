"""What further answers say of one that was given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.confidence.calibration import Platt
from daemon.confidence.families import Family
from daemon.confidence.further import SAMPLES, TOKENS, Agreed, Agreement, Further, Kinds, compared, is_comparable
from tests.fakes.recordings import drawn_rows

AGREEMENT = Agreement(0.8, 1.0, -0.4, {"short": Agreed(100, Platt(1.2, -0.3), 0.0, 0.0)})
FORMS = st.sampled_from(["own", "b", "c", "d", ""])


def stated(forms: list[str], odds: float) -> float:
    return Platt(1.2, -0.3).probability(AGREEMENT.weighed(odds, compared("own", forms)))


@given(st.lists(FORMS, min_size=SAMPLES, max_size=SAMPLES), st.integers(0, SAMPLES), st.floats(-6, 6))
def test_where_it_ends_was_told_before(forms: list[str], drawn: int, odds: float) -> None:
    """Whatever is still drawn, the probability ends between the two that were told, and with all of it they are one."""
    told = AGREEMENT.reach(odds, "short", compared("own", forms[:drawn]))
    at_last = AGREEMENT.reach(odds, "short", compared("own", forms))
    assert told
    assert at_last

    assert told.least - 1e-12 <= stated(forms, odds) <= told.most + 1e-12
    assert at_last.least == at_last.most == stated(forms, odds)


def test_agreeing_speaks_for_it() -> None:
    """More that agree and fewer kinds make it likelier."""
    assert compared("a", ["a", "b", ""]) == Further(3, 1, 3)
    assert stated(["own", "own", "own"], 0) > stated(["own", "own", "b"], 0) > stated(["own", "b", "c"], 0)


@given(
    st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=SAMPLES, max_size=SAMPLES), st.integers(0, 3)
)
def test_where_prose_ends_was_told_before(drawn: list[list[float]], before: int) -> None:
    """However like the answers still to come are, the probability ends between the two that were told."""
    kinds = Kinds("first")
    seen = [Further()]
    for number, likenesses in enumerate(drawn):
        seen.append(kinds.take(str(number), likenesses[: len(kinds.each)]))
    told, at_last = (AGREEMENT.reach(0.3, "short", each) for each in (seen[before], seen[-1]))
    assert told
    assert at_last

    assert told.least - 1e-12 <= at_last.least == at_last.most <= told.most + 1e-12


def test_answers_in_prose_are_sorted_into_kinds() -> None:
    """One that is like none of those before is of a kind of its own; how like they are the first is added up."""
    kinds = Kinds("it melts")

    assert kinds.take("it thaws", [0.8]) == Further(1, 0.8, 1)
    assert kinds.take("it burns", [0.1]) == Further(2, 0.9, 2)
    assert kinds.take("it catches fire", [0.1, 0.7]) == Further(3, 1.0, 2)
    assert kinds.each == ["it melts", "it burns"]


def test_of_a_family_that_was_not_recorded_nothing_is_known() -> None:
    """It has no numbers of its own, and gets nobody else's."""
    assert AGREEMENT.reach(1.0, "number", Further()) is None


@pytest.mark.parametrize(
    ("family", "change", "comparable"),
    [
        ("short", {}, True),
        ("structured", {}, True),
        ("prose", {}, True),
        ("short", {"ended": None}, False),
        ("short", {"ended": False}, False),
        ("short", {"tokens": TOKENS + 1}, False),
    ],
)
def test_only_whole_short_answers_compare(family: Family, change: dict[str, object], comparable: bool) -> None:
    """Beginnings, what was cut off and long answers are not asked for again."""
    assert is_comparable(replace(drawn_rows(1)[0].features, **change), family) is comparable
