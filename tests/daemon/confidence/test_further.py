"""What further answers say of one that was given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.confidence.calibration import Platt
from daemon.confidence.families import Family
from daemon.confidence.further import SAMPLES, TOKENS, Agreed, Agreement, Further, compared, is_comparable
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


def test_of_a_family_that_was_not_recorded_nothing_is_known() -> None:
    """It has no numbers of its own, and gets nobody else's."""
    assert AGREEMENT.reach(1.0, "number", Further()) is None


@pytest.mark.parametrize(
    ("family", "change", "comparable"),
    [
        ("short", {}, True),
        ("structured", {}, True),
        ("prose", {}, False),
        ("short", {"ended": None}, False),
        ("short", {"ended": False}, False),
        ("short", {"tokens": TOKENS + 1}, False),
    ],
)
def test_only_whole_short_answers_compare(family: Family, change: dict[str, object], comparable: bool) -> None:
    """Beginnings, what was cut off, long answers and prose are not asked for again."""
    assert is_comparable(replace(drawn_rows(1)[0].features, **change), family) is comparable
