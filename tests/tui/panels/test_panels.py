"""The panels of a request: every record can be told, in every width, and the words of others steer nothing."""

from __future__ import annotations

import msgspec
import pytest

from daemon import wire
from tests.fakes.told_records import a_day, asked_away, draft, escalated, record, with_pictures
from tui.panels import attempts, clearance, decision, ledger, pictures, receipts, signals, times, walk
from tui.panels.registry import PANELS
from tui.panels.writing import cell, wrapped
from tui.widgets.corridor import drawn


def told(panel: object, of: wire.Record, width: int = 100) -> str:
    return "\n".join(line.plain for line in panel.lines(of, width))  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [40, 78, 118, 198])
@pytest.mark.parametrize("number", range(len(a_day())))
def test_every_record_can_be_told(number: int, width: int) -> None:
    """No panel fails on any kind of record, or in any width, and each has something to say; pictures, where there are some."""
    for panel in PANELS:
        assert panel.lines(a_day()[number], width) or panel.title == "Pictures"
        assert panel.lines(msgspec.structs.replace(a_day()[number], pictures=with_pictures(1).pictures), width)


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


def test_a_draft_has_a_curve() -> None:
    """How sure of each token, as dots how sure of the draft, the threshold as a line, and what came of it."""
    shown = told(attempts, escalated(2))

    assert "● draft  ┄ 0.62 needed" in shown
    assert sum(line.count("●") for line in shown.splitlines()) == 6  # the legend's, and one a look
    assert "1.0 ┤" in shown
    assert "48 tokens" in shown
    assert "▲ not sure enough at its last token: 0.41 of 0.62" in shown
    assert "1.0 ┤" not in told(attempts, record(1, draft()))  # an older record's


@pytest.mark.parametrize(
    ("verdict", "tokens", "said"),
    [
        ("hopeless", 16, "stopped at token 16 of 300: it could not have become sure enough"),
        ("passed", 64, "sure enough at token 64 of 300: 0.70 of 0.62"),
        ("passed", 300, "sure enough at its last token: 0.70 of 0.62"),
        ("amber", 8, "last judged at token 8 of 300"),
    ],
)
def test_a_curve_says_where_it_was_judged(verdict: str, tokens: int, said: str) -> None:
    """Below the axis, too, where there is room between its ends."""
    look = wire.Look(tokens, 0.7, 0.62, verdict)  # type: ignore[arg-type]
    shown = told(attempts, record(1, draft(curve=(-0.1,) * 256, curve_tokens=300, looks=(look,))))

    assert said in shown
    assert any(line.strip().startswith("1 ") and "▲" in line for line in shown.splitlines()) == (tokens < 300)


def test_calls_of_drafts_and_collapses_are_told() -> None:
    """In words: what the call does and needs, and how the answer turned out otherwise."""
    one = draft(effect="irreversible", keys="independent", none_fits=0.25, collapse="fell", whole=0.31)
    shown = told(attempts, record(1, one, notes=("one-key",)))

    assert "its call spends money or can't be undone, and needs another model that calls the same" in shown
    assert "that no tool fits is 25% likely" in shown
    assert "the whole was far less sure than its beginning, 0.31 of it all" in shown
    assert "one-key" not in told(decision, record(1, one, notes=("one-key",)))


def test_a_signal_that_only_measured_did_not_match() -> None:
    """It is counted by nobody; where an older record doesn't say it, a score is taken for a match."""
    measured = wire.Seen("context", "tokens", None, 1.0, 212.0, 0, 0.1, matched=False)
    unknown = wire.Seen("context", "tokens", None, 1.0, 212.0, 0, 0.1)

    assert "─▶ 1 signal ─▶" in told(walk, record(1, draft(), seen=(unknown, measured)))
    assert not signals.matched(wire.Seen("pii", "email", None, 1.0, None, 0, 0.1, "deadline", matched=True))


def test_pictures_show_what_was_seen_and_no_word() -> None:
    """Kind with its probability, form, numbers and classes; why one was not seen; nothing without pictures."""
    shown = told(pictures, with_pictures(1))

    assert shown.splitlines()[0].startswith("▣ identity document  ━━━━━━━━━━━━━━━━━━━─ 0.97")
    assert "jpeg 1240 × 874 · 241.0 kB · 41 words · nudity 0.01 · 312 ms  in messages[0].parts[1]" in shown
    assert "▪ 1 × MRZ, 2 × PERSON" in shown
    assert "▣ photo: vehicle" in shown
    assert "png 640 × 480 · 90.4 kB · 0 words  in" in shown
    assert "▣ kind not known" in shown
    assert "pdf · 3 pages · 1.2 MB · 902 words · 950 ms" in shown
    assert "◌ image not seen: too large  in messages[2].parts[0].1" in shown
    assert told(pictures, escalated(2)) == ""
    many = msgspec.structs.replace(with_pictures(1), pictures_before=7)
    assert told(pictures, many).startswith("7 older ones before these")


def test_a_panel_without_lines_has_no_title() -> None:
    """In one column and in two."""
    for width in (100, 200):
        assert "Pictures" not in drawn(escalated(2), width).plain
        assert "Pictures" in drawn(with_pictures(2), width).plain


def test_attempts_stand_where_they_began() -> None:
    """Also those that ran side by side; a gap before the first is what came before."""
    one, other = draft(began_ms=200.0, took_ms=800.0), asked_away(began_ms=600.0, took_ms=400.0)
    lines = told(times, record(1, one, other, took_ms=1000.0, waited_ms=100.0)).splitlines()

    assert [line[:20].strip() for line in lines] == [
        "signals and decision", "waited for its turn", "local/SmolLM2-135M-I", "work/big-model", "all of it",
    ]  # fmt: skip
    assert lines[2].index("▒") == pytest.approx(25 + 64 * 0.2, abs=1)
    assert lines[3].index("▒") == pytest.approx(25 + 64 * 0.6, abs=1)
    assert "side by side" not in "\n".join(lines)


def test_attempts_side_by_side_are_not_drawn_one_after_another() -> None:
    """Where they took longer together than the request, the panel says that it doesn't know when each began."""
    old = record(2, draft(0.41), asked_away())
    hedged = msgspec.structs.replace(old, took_ms=2000.0)

    assert "side by side" in told(times, hedged)
    assert "side by side" not in told(times, old)


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
