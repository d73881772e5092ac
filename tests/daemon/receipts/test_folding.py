"""Receipts as they are read: whole, newest first, over the files."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from daemon.receipts.appending import Appender
from daemon.receipts.files import links
from daemon.receipts.folding import fold, newest, numbered
from daemon.receipts.links import Crossed, Ended
from tests.fakes.clock import HeldClock
from tests.fakes.receipts import RECEIPT


def written(folder: Path) -> HeldClock:
    """Three crossings on three days; the first ends on the second day, the third not at all."""
    clock = HeldClock()
    appender = Appender(folder, clock)

    def cross() -> int:
        (link,) = appender.append([Crossed(at=clock.now(), receipt=replace(RECEIPT, at=clock.now()))], durable=False)
        return link.number

    first = cross()
    clock.advance(86_400)
    second = cross()
    for number, outcome in ((first, "cut"), (second, "answered")):
        appender.append([Ended(at=clock.now(), of=number, outcome=outcome)], durable=False)  # type: ignore[arg-type]
    clock.advance(86_400)
    cross()
    return clock


def test_ends_are_joined(tmp_path: Path) -> None:
    """By number, whichever file they are in; both ways of reading agree."""
    written(tmp_path)

    found = newest(tmp_path, None, 99)

    assert [(each.number, each.outcome) for each in found] == [(5, None), (2, "answered"), (1, "cut")]
    assert list(fold(links(tmp_path))) == list(reversed(found))
    assert [numbered(tmp_path, each.number) for each in found] == list(found)
    assert [numbered(tmp_path, number) for number in (0, 3, 6)] == [None] * 3


def test_the_newest_are_found_first(tmp_path: Path) -> None:
    """As many as wanted, and as young."""
    clock = written(tmp_path)

    assert [each.number for each in newest(tmp_path, None, 2)] == [5, 2]
    assert [each.number for each in newest(tmp_path, clock.now() - timedelta(days=1), 9)] == [5, 2]
    assert newest(tmp_path / "none", None, 9) == ()
