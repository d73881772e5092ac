"""The panels of a request: every record can be told, in every width, and the words of others steer nothing."""

from __future__ import annotations

import msgspec
import pytest

from daemon import wire
from tests.fakes.told_records import a_day, asked_away, draft, escalated, record
from tui.panels import attempts, clearance, decision, ledger, receipts, signals, times, walk
from tui.panels.registry import PANELS
from tui.panels.writing import cell, wrapped


def told(panel: object, of: wire.Record, width: int = 100) -> str:
    return "\n".join(line.plain for line in panel.lines(of, width))  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [40, 78, 118, 198])
@pytest.mark.parametrize("number", range(len(a_day())))
def test_every_record_can_be_told(number: int, width: int) -> None:
    """No panel fails on any kind of record, or in any width, and each has something to say."""
    for panel in PANELS:
        assert panel.lines(a_day()[number], width)


def test_the_walk_tells_the_stages_in_their_order() -> None:
    """On one line where there is room, else under each other."""
    wide, narrow = told(walk, escalated(2), 120), told(walk, escalated(2), 40)

    assert wide.splitlines()[-1].startswith("aider asks auto ─▶ ")
    assert "5 signals ─▶ masked ─▶ hard_code ─▶ 2 attempts ─▶ answered" in wide
    assert narrow.count("▸") == 5
    assert told(walk, escalated(2), 74).splitlines()[-1].count(" ▸ ") == 5
    assert max(len(line) for line in narrow.splitlines()[4:]) <= 40


def test_signals_that_could_not_look_say_so() -> None:
    """They stand last, with their code; the strongest find stands first."""
    lines = told(signals, escalated(2)).splitlines()

    assert lines[0].startswith("email ")
    assert "×2" in lines[0]
    assert "could not look: deadline" in lines[-1]


def test_the_clearance_names_classes_and_counts() -> None:
    """Which values, how many, and what was done, never which."""
    shown = told(clearance, escalated(2))

    assert "may leave with the found values masked" in shown
    assert "2 × email" in shown
    assert "masked  in messages[0].text" in shown


def test_the_clearance_tells_what_the_user_said() -> None:
    """Questions, and what was said with less, have a line."""
    asked = record(
        1,
        asked_away(),
        asked=(wire.Asked("work", "denied", 12.0),),
        reduction=wire.Reduction("rules", {"place": 2}),
        kept_back=1,
    )
    shown = told(clearance, asked)

    assert "asked about work: you didn't let it after 12 s" in shown
    assert "said with less, by rules: 2 place" in shown
    assert "1 tool call kept" in shown


def test_the_decision_is_a_tree() -> None:
    """Recipe, branch, and each candidate with what came of it."""
    shown = told(decision, escalated(2))

    assert "recipe default" in shown
    assert "└▶ hard_code" in shown
    assert "├─ ✗ local/SmolLM2-135M-Instruct  not sure enough" in shown
    assert "├─ ✓ work/big-model" in shown
    assert "└─ ⊘ lab/huge-model  not cleared for it" in shown


def test_a_candidate_that_was_not_needed_is_not_ticked() -> None:
    """Only who was asked has a tick or a cross."""
    easy = record(1, draft(), decision=wire.Decision("auto-confidence", "confidence", ("local/x", "work/y")))

    assert told(decision, easy).count("○") == 2


def test_an_attempt_shows_confidence_against_threshold() -> None:
    """The bar, the stroke and the verdict."""
    shown = told(attempts, escalated(2))

    assert "0.41 of ┃ 0.62, not enough" in shown
    assert "$0.0023" in shown
    assert "price not known" in told(attempts, record(1, asked_away(cost_usd=None)))


def test_attempts_side_by_side_are_not_drawn_one_after_another() -> None:
    """Where they took longer together than the request, the panel says that it doesn't know when each began."""
    hedged = msgspec.structs.replace(escalated(2), took_ms=2000.0)

    assert "side by side" in told(times, hedged)
    assert "side by side" not in told(times, escalated(2))


def test_the_ledger_tells_what_is_not_known() -> None:
    """Unpriced calls, hedges and limits have lines of their own."""
    book = wire.Ledger(3, 10, 20, 0.5, 1, None, ("cost_usd_day",), 1, 0.2)
    shown = told(ledger, record(1, asked_away(), ledger=book))

    assert "energy not told" in shown
    assert "1 call whose price nobody knows" in shown
    assert "limits met: cost_usd_day" in shown
    assert "$0.20" in shown


def test_receipts_say_what_left() -> None:
    """Size, whom, how it was protected, and what was masked in it."""
    shown = told(receipts, escalated(2))

    assert "1.8 kB to work/big-model" in shown
    assert "TLSv1.3, public root, Example Trust" in shown
    assert "masked: 2 email, 1 person" in shown
    assert told(receipts, record(1, draft())) == "⌂ nothing left this machine"


def test_words_of_others_steer_nothing() -> None:
    """A model's, client's or provider's name that holds escape sequences or markup is shown as it is."""
    nasty = "\x1b[2J[bold]x[/bold]"
    shown = "\n".join(
        told(panel, record(1, draft(model=nasty, error=nasty), client=nasty, model=nasty), 200) for panel in PANELS
    )

    assert "\x1b" not in shown
    assert "\\x1b[2J[bold]x[/bold]" in shown


def test_columns_and_sentences() -> None:
    """A cell has its width; a sentence goes over as many lines as it needs."""
    assert cell("abcdef", 4) == "abc…"
    assert cell("ab", 4) == "ab  "
    assert [line.plain for line in wrapped("one two three", 9, "  ")] == ["  one two", "  three"]
