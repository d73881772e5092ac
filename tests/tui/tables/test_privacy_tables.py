"""Approvals, receipts and the policy in words: every one can be told, in every width, and nothing of them steers."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from daemon import wire
from tests.fakes.told_privacy import BROKEN, CHAIN, NOW, POLICY, asked, asked_for_call, proof, some_receipts, with_words
from tui.tables import approvals, policy, receipts

WIDTHS = (30, 78, 118, 198)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_one_can_be_told(width: int) -> None:
    """Nothing fails or is wider than its place, whatever is missing."""
    told = [
        *(receipts.lines(each, width) for each in some_receipts()),
        receipts.chain_lines(CHAIN, width),
        receipts.chain_lines(BROKEN, width),
        *(
            receipts.proof_lines(each, width)
            for each in (proof(), proof("nothing-left"), proof("not-proven", chain=BROKEN))
        ),
        policy.lines(POLICY, width),
        *(approvals.lines(each, NOW, width) for each in (asked(), with_words(asked()), asked_for_call())),
    ]

    assert all(lines for lines in told)
    assert all(line.cell_length <= max(width, 62) for line in policy.lines(POLICY, width))


def test_rows_have_the_same_cells() -> None:
    """Of every kind."""
    assert len({len(receipts.row(each)) for each in some_receipts()}) == 1
    assert len({len(approvals.row(each, NOW)) for each in (asked(), asked_for_call())}) == 1


def test_time_runs_out() -> None:
    """What ends soon is urgent, and what is over has no time left and none below."""
    left = [approvals.row(asked(), NOW + timedelta(seconds=each))[0] for each in (0, 30, 100)]

    assert [each.tone for each in left] == ["warn", "bad", "bad"]
    assert [each.words.split()[1] for each in left] == ["42.0", "12.0", "0"]


def test_more_values_than_are_shown() -> None:
    """Of many not all are told, and how many aren't is said."""
    many = asked(finds=(wire.HeldFind("PERSON", 40, "messages[0].text", ("Tim", "Jo"), ("Ada", "Max")),))
    shown = "\n".join(line.plain for line in approvals.lines(many, NOW, 80))

    assert "Ada  ◐ Tim" in shown
    assert "and 38 more" in shown


def test_words_of_others_steer_nothing() -> None:
    """A control character among the values is shown as its number."""
    trick = asked(finds=(wire.HeldFind("TERM", 1, "messages[0].text", (), ("\x1b[2J\u202ex",)),), tool="\x1b]52;c")
    shown = "\n".join(line.plain for line in approvals.lines(trick, NOW, 80))

    assert "\x1b" not in shown
    assert "\\x1b[2J\\u202ex" in shown


def test_a_proof_says_what_left_and_what_is_not_known() -> None:
    """The verdict first; then who got how much, what stays here all the same, gaps, evidence, and what isn't covered."""
    left, nothing, unproven = (
        "\n".join(line.plain for line in receipts.proof_lines(each, 100))
        for each in (proof(), proof("nothing-left"), proof("not-proven", chain=BROKEN))
    )

    assert left.startswith("↗ something left this machine through Nearloop since")
    assert "7 requests to work at api.example.com (cloud), 9.0 kB" in left
    assert "an unbroken chain" in left
    assert nothing.startswith("✓ nothing left this machine through Nearloop since")
    assert "2 questions for a list of models to near at 127.0.0.1 (device)" in nothing
    assert unproven.startswith("✗ it is not proven")
    assert "gap: receipts begin" in unproven
    assert "a BROKEN chain" in unproven
    assert all("past Nearloop" in each for each in (left, nothing, unproven))


def test_an_empty_chain_is_no_broken_one() -> None:
    """Nothing has left yet."""
    empty = wire.ReceiptChain(True, 0, None, None, None, None, None)

    assert "nothing has left" in receipts.chain(empty).plain


def test_the_policy_names_what_decides() -> None:
    """A class of the settings is a rule of the user's, and what isn't known here is called by its own name."""
    later = msgspec.structs.replace(POLICY, classes=(wire.Treated("FACE_PRINT", "stay", "class"),))
    shown = "\n".join(line.plain for line in policy.lines(later, 100))

    assert "face print" in shown
    assert "your rule" in shown
