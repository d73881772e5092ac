"""Sums of calls as rows, and all that is known of some."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon import wire
from tests.fakes.told_spending import LOCAL, WHOLE, WORK
from tui.tables.sums import apart, cost, costs, detail, row, summed


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        (wire.Sums(""), "$0"),
        (wire.Sums("", 2, free=2), "$0"),
        (wire.Sums("", 2, unpriced=2), "?"),
        (wire.Sums("", 2, plan=2), "plan"),
        (wire.Sums("", 2, priced=2), "$0"),
        (wire.Sums("", 3, 0.000_001, priced=1, plan=1, unpriced=1), "<$0.0001+plan+?"),
        (wire.Sums("", 3, 1.5, priced=3), "$1.50"),
    ],
)
def test_unknown_and_plan_are_not_nothing(sums: wire.Sums, words: str) -> None:
    """Each is told apart from what costs nothing, and so is the least sum."""
    assert cost(sums) == words
    assert costs(sums).words == words


def test_what_the_money_leaves_out() -> None:
    """In words."""
    assert [apart(each) for each in (wire.Sums("", 1), wire.Sums("", 1, plan=1, unpriced=2))] == [
        "all priced", "2 unknown, 1 plan",
    ]  # fmt: skip


def test_a_row_has_its_part_of_the_whole() -> None:
    """The part of the money, counts, and an estimate that is marked as one; what is nothing is a dash."""
    work, local = ([cell.words for cell in row(each, WHOLE)] for each in (WORK, LOCAL))

    assert work == ["work", "$1.90+?", "▰▰▰▰▰▰▰▰", "12", "–", "1", "212k", "30k", "48k", "–", "–"]
    assert local == ["local", "$0", "–", "43", "–", "–", "9.1k", "–", "2.1k", "41", "≈ $0.0123"]
    assert row(replace(WORK, name="", cost_usd=0.9506), WHOLE)[0].words == "(none)"
    assert row(replace(WORK, cost_usd=0.9506), WHOLE)[2].words == "▰▰▰▰▱▱▱▱"


def test_the_detail_tells_all_of_it() -> None:
    """Of calls beyond this machine, and of its own."""
    told = "\n".join(str(line) for line in detail(WHOLE, 200))
    for words in (
        "$1.90 for 11 calls, 3 of them told by the provider",
        "7 calls that a subscription pays for",
        "1 call whose price nobody knows",
        "43 calls on machines of yours or refused, which cost nothing",
        "239k read (30k from a cache, 2.0k stored there), 54k written",
        "1 call, since nobody told what they took",
        "2 calls for nothing (hedges, repetitions): $0.0041",
        "41 answers in 3:07",
        "12.4 kJ of the whole machine, during 40 of 41 answers",
        "3.20 s on drafts that others answered after",
        "≈ $0.0123 by 38 of 41 answers, an estimate: the same tokens",
    ):
        assert words in told


def test_what_is_not_known_is_said() -> None:
    """Where nothing was asked, no price is known, or the machine doesn't tell its energy."""
    assert "nothing was asked" in str(detail(wire.Sums(""), 80))
    told = "\n".join(str(line) for line in detail(replace(LOCAL, compared=0, measured=0), 200))
    assert "not known: no price of a cloud's model is" in told
    assert "the machine doesn't tell" in told
    assert "saved: not known" in str(summed(replace(LOCAL, compared=0), 80))
    assert "nothing was answered on this machine" in str(summed(WORK, 80))
