"""What a record's calls took, line by line."""

from __future__ import annotations

from datetime import UTC, datetime

from daemon.money.lines import lines_of, opened
from daemon.wire import Attempt, Ledger, Record, Saved

AT = datetime(2026, 1, 2, 12, tzinfo=UTC)


def record(
    *attempts: Attempt, saved: Saved | None = None, joules: float | None = None, outcome: str = "answered"
) -> Record:
    return Record(
        id="a" * 16,
        at=AT,
        protocol="openai-chat",
        client="zed",
        project=None,
        session="s",
        model="auto",
        streamed=False,
        outcome=outcome,  # type: ignore[arg-type]
        egress="none",
        took_ms=1.0,
        waited_ms=0.0,
        messages=1,
        prompt_chars=1,
        answer_chars=1,
        decision=None,
        attempts=attempts,
        ledger=Ledger(joules=joules),
        ignored=(),
        error=None,
        saved=saved,
    )


def draft(**more: object) -> Attempt:
    return Attempt("local", "small", "answered", 500.0, prompt_tokens=10, completion_tokens=5, place="device", **more)  # type: ignore[arg-type]


def cloud(outcome: str = "answered", **more: object) -> Attempt:
    return Attempt("work", "big", outcome, 900.0, place="cloud", **more)  # type: ignore[arg-type]


def test_each_call_has_its_line() -> None:
    """A draft that others answered after, a repetition, one that was cut and reckoned, and the answer."""
    lines = list(
        lines_of(
            record(
                draft(passed=False, cost_usd=0.0),
                cloud("failed", cost_usd=0.0),
                cloud(
                    "cancelled",
                    cost_usd=0.000_2,
                    priced_by="list",
                    reckoned=True,
                    reckoned_prompt=9,
                    reckoned_completion=3,
                ),
                cloud(cost_usd=0.001, priced_by="list", prompt_tokens=100, cached_tokens=60, completion_tokens=7),
                joules=50.0,
            )
        )
    )
    assert [each.number for each in lines] == [0, 1, 2, 3]
    assert [each.billing for each in lines] == ["none", "none", "known", "known"]
    assert [each.nano for each in lines] == [0, 0, 200_000, 1_000_000]
    assert [each.answered for each in lines] == [False, False, False, True]
    assert (lines[2].reckoned, lines[2].prompt, lines[2].written) == (True, 9, 3)
    assert (lines[3].prompt, lines[3].cached, lines[3].joules) == (100, 60, None)
    assert {(each.client, each.project, each.session, each.day) for each in lines} == {("zed", "", "s", "2026-01-02")}


def test_an_answer_from_here() -> None:
    """It has the energy, and what it saved; where nobody knows the price, nothing is claimed."""
    kept = list(lines_of(record(draft(passed=True, cost_usd=0.0), saved=Saved("work/big", 0.002), joules=50.0)))
    assert (kept[0].answered, kept[0].joules, kept[0].saved_nano, kept[0].against) == (
        True,
        50.0,
        2_000_000,
        "work/big",
    )
    unknown = list(lines_of(record(draft(passed=False, cost_usd=0.0), saved=Saved("work/big", None))))
    assert (unknown[0].answered, unknown[0].saved_nano) == (True, None)


def test_what_is_no_money_is_told_apart() -> None:
    """A plan's call, one of unknown price, and one whose provider tells what it takes."""
    told = [cloud(cost_usd=usd, priced_by=by) for usd, by in ((0.0, "plan"), (None, None), (0.5, "told"))]
    assert [each.billing for each in lines_of(record(*told))] == ["plan", "unknown", "told"]


def test_a_call_that_begins() -> None:
    """It counts with what is kept for it."""
    line = opened("a" * 16, 2, AT, ("zed", None, None), ("work", "big"), "cloud", 42)
    assert (line.open, line.reckoned, line.nano, line.number, line.day) == (True, True, 42, 2, "2026-01-02")
