"""The money's tables."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest
from msgspec.structs import replace

from daemon.money import keeping
from daemon.money.lines import Line

ONE = Line(
    "a" * 16, 0, 1.0, "2026-01-02", "zed", "p", "s", "work", "big", "cloud", "known", nano=100, prompt=10, written=5
)
HERE = replace(
    ONE, number=1, provider="local", place="device", billing="none", nano=0, answered=True, joules=2.5, took_ms=8.0
)


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        keeping.create(made)
        yield made


def test_the_last_word_counts(db: sqlite3.Connection) -> None:
    """What was kept for a call is replaced by what it took, in the sums too, and saying it twice changes nothing."""
    keeping.keep(db, [replace(ONE, open=True, reckoned=True, nano=9_000)])
    assert keeping.spent_since(db, date(2026, 1, 1)) == [("2026-01-02", "work", "p", "zed", 9_000)]
    for _ in range(2):
        keeping.keep(db, [ONE, HERE])
        found = {name: sums for name, _, sums in keeping.sums(db, "provider", None)}
        assert (found["work"].nano, found["work"].calls, found["work"].reckoned, found["work"].open) == (100, 1, 0, 0)
        assert (found["local"].answers, found["local"].joules, found["local"].measured) == (1, 2.5, 1)
    assert keeping.lines_of_record(db, "a" * 16) == (ONE, HERE)


def test_sums_outlive_their_lines(db: sqlite3.Connection) -> None:
    """Records are deleted after weeks; what was spent in a month is still known, until it is of no use to anybody."""
    keeping.keep(db, [ONE])
    keeping.forget(db, 2.0, date(2026, 1, 3))
    assert keeping.lines_of_record(db, "a" * 16) == ()
    assert [sums.nano for *_, sums in keeping.sums(db, "model", date(2026, 1, 2))] == [100]
    keeping.forget(db, 2.0, date(2027, 6, 1))
    assert keeping.sums(db, "model", None) == []


@pytest.mark.parametrize("by", [each for each in keeping.BY if each != "session"])
def test_sums_are_those_of_all_lines(db: sqlite3.Connection, by: str) -> None:
    """Whatever was written in whatever order, by each name, to the nano-dollar; sessions are summed from the lines alike."""
    rng = random.Random(5)
    wanted: dict[str, int] = {}
    lines = []
    for number in range(500):
        line = replace(
            ONE,
            record=f"{number % 170:016x}",
            number=number // 170,
            day=f"2026-01-{rng.randint(1, 9):02}",
            client=rng.choice(("", "zed", "vim")),
            project=rng.choice(("", "p")),
            provider=rng.choice(("work", "else")),
            model=rng.choice(("big", "small")),
            session="s",
            billing=rng.choice(("known", "plan", "unknown", "none")),
            place=rng.choice(("cloud", "device")),
            outcome=rng.choice(("answered", "failed")),
            answered=rng.random() < 0.5,
            saved_nano=rng.choice((None, 7)),
            nano=rng.randint(0, 10**9),
        )
        lines.append(line)
        name = f"{line.provider}/{line.model}" if by == "model" else getattr(line, by)
        wanted[name] = wanted.get(name, 0) + line.nano
    keeping.keep(db, [replace(line, nano=1, answered=False) for line in lines[:200]])
    keeping.keep(db, lines)

    found: dict[str, int] = {}
    for name, _, sums in keeping.sums(db, by, None):
        found[name] = found.get(name, 0) + sums.nano
    assert found == wanted
    whole = [sums for *_, sums in keeping.sums(db, "provider", None)]
    sessions = [sums for *_, sums in keeping.sums(db, "session", None)]
    for field in keeping.Sums.__struct_fields__:
        assert sum(getattr(each, field) for each in whole) == sum(getattr(each, field) for each in sessions), field


def test_a_line_is_found_without_reading_all(db: sqlite3.Connection) -> None:
    """Writing a record costs the same however many there are: each statement that looks for lines has an index."""
    asked: list[str] = []
    db.set_trace_callback(asked.append)
    keeping.keep(db, [ONE, HERE])
    keeping.lines_of_record(db, ONE.record)
    db.set_trace_callback(None)
    looks = [each for each in asked if each.startswith("SELECT")]
    assert looks
    for look in looks:
        plan = " ".join(str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {look}"))
        assert "SEARCH" in plan and "SCAN" not in plan, plan
