"""What a profile is worth for another setup."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.certifying.fit import PROMISE, part_of
from daemon.certifying.recording import rows
from daemon.certifying.report import ALL
from daemon.certifying.transfer import alike, carried, moved, paired
from daemon.cli.confidence_report import report_lines
from daemon.confidence.profiles import shipped
from daemon.confidence.setup import Setup
from tests.fakes.recordings import drawn_rows

_ELSEWHERE = Setup("e" * 64, "llama-cpp", 1)


def test_a_setup_like_the_first_one_loses_nothing() -> None:
    """The same answers from another file: its own profile and the first one's state the same, and promises hold as they do."""
    first = drawn_rows(1200)
    pairs = paired(first, [replace(row, setup=_ELSEWHERE) for row in first])

    found = list(carried(pairs))[-1]

    assert {pair.own.row.id for pair in pairs} == {row.id for row in first if part_of(row.id) == PROMISE}
    assert found.family == ALL
    assert found.lost
    assert found.lost.value == 0
    assert found.errors
    assert found.errors[0] == found.errors[1]
    assert all(each.broken[0] == each.broken[1] for each in moved(pairs, resamples=20))


def test_a_promise_breaks_where_sureness_means_less() -> None:
    """Of a coarser file that is as sure and far less often right the promise of the first one does not hold; its own states
    less, and errs less.
    """
    first = drawn_rows(1500, good=6.0)
    other = [replace(row, setup=_ELSEWHERE) for row in drawn_rows(1500, good=1.0)]

    pairs = paired(first, other)
    put = {each.risk: each for each in moved(pairs, risks=(0.2,), resamples=40)}[0.2]
    found = list(carried(pairs))[-1]

    assert put.promised > 0.9
    assert put.broken[0] <= 0.05
    assert put.broken[1] > 0.9
    assert found.errors
    assert found.briers
    assert found.errors[1] > found.errors[0] + 0.1
    assert found.briers[1] > found.briers[0] + 0.02


def test_only_questions_of_both_are_compared() -> None:
    """Half of the questions stand in one recording alone; of the others it is counted whose answer is right and the same."""
    first = drawn_rows(100)
    other = [
        replace(row, right=not row.right, form="another" if place % 2 else row.form) for place, row in enumerate(first)
    ]

    near = alike(first, [*other[:50], *drawn_rows(30, author="eve")])

    right = sum(row.right for row in first[:50])
    assert (near.asked, near.formed, near.same) == (50, 50, 25)
    assert near.right == (right, 50 - right)
    assert (near.only_first, near.only_other) == (right, 50 - right)


def test_the_report_tells_of_the_other_setup() -> None:
    """Its tables stand there with the other one's engine, and no interval is missing."""
    first = drawn_rows(400)
    other = [replace(row, setup=_ELSEWHERE) for row in drawn_rows(400, seed=2)]

    text = "\n".join(report_lines(first, [], 5, other=other))

    assert "## This profile on answers of drawn on llama-cpp" in text
    assert "400 questions that both answered" in text
    assert "nan" not in text


def test_recordings_of_two_quantizations_come_along() -> None:
    """Two files of one model, asked the same questions: each of one setup, each question once, and nobody's words in them."""
    names = ("gemma-3-270m", "gemma-3-270m-q4_0")
    one, two = (list(rows([shipped() / "recordings" / f"{name}.llama-cpp.jsonl.gz"])) for name in names)
    near = alike(one, two)

    for each in (one, two):
        assert len({row.id for row in each}) == len(each) > 2000
        assert len({row.setup for row in each}) == 1
        assert all(row.answer is None for row in each)
    assert one[0].setup.file != two[0].setup.file
    assert {row.id: row.digest for row in one} | {row.id: row.digest for row in two} == {
        row.id: row.digest for row in (*two, *one)
    }
    assert near.asked > 1900
    assert near.same < near.formed / 2
