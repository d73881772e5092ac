"""Counts become a row for each class."""

from __future__ import annotations

from daemon.boundary.policy import Policy
from daemon.leakage.corridor import Corridor, Crossing
from daemon.leakage.report import Counting
from daemon.leakage.rows import Row, Value
from daemon.leakage.work import measure
from daemon.signals.base import Span

MAIL = "ask ada@lovelace.dev or Zed Quux"
ROW = Row(MAIL, (Value("email", "ada@lovelace.dev", 4, 20), Value("person", "Zed Quux", 24, 32)), "mail", "en")


async def test_rows_through_the_boundary() -> None:
    """One value is masked, another one nobody knows leaves whole; harmless lines stay as they are."""
    corridor = Corridor(Policy("balanced"), votes=False)
    done: list[int] = []
    try:
        report = await measure(corridor, [ROW, Row("how are you?\nfine", (), "harmless")], "balanced", done.append)
    finally:
        corridor.close()

    harmless, mail = report.lines
    assert done == [1, 2]
    assert (report.rows, mail.texts, mail.values, mail.exact.hits, mail.leak.hits, mail.sent.hits) == (2, 1, 2, 1, 1, 1)
    assert (mail.alarms.hits, mail.alarms.n, mail.utility.hits, mail.lost.hits) == (0, 1, 1, 0)
    assert (harmless.values, harmless.altered.hits, harmless.altered.n) == (0, 0, 2)
    assert [(each.language, each.type, each.kept.hits, each.kept.n) for each in report.recalls] == [
        ("en", "email", 1, 1),
        ("en", "person", 0, 1),
    ]


def test_what_stays_here_leaks_nothing_and_serves_nobody() -> None:
    """It counts as kept back, as not sent and as of no use; its finds count, and without values so do its lines."""
    counting = Counting()
    counting.take(ROW, Crossing(("private",), (Span("p", 0, 3, "X"),)))
    counting.take(Row("one\ntwo", (), "mail"), Crossing(("private",), ()))
    report = counting.report("strict", 1.0)

    (line,) = report.lines
    assert (line.leak.hits, line.leak.n, line.sent.hits, line.sent.n, line.utility.hits) == (0, 2, 0, 2, 0)
    assert (line.alarms.hits, line.alarms.n) == (1, 1)
    assert (line.altered.hits, line.altered.n) == (2, 2)
    assert report.why == {"private": 2}
