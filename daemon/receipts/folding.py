"""Receipts as people read them: a crossing together with how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from daemon.receipts.files import first_number, links_of, segments
from daemon.receipts.links import Crossed, Ended, Link
from daemon.wire import Receipt


def with_end(receipt: Receipt, end: Ended) -> Receipt:
    """The receipt of a crossing that ended."""
    return replace(
        receipt,
        outcome=end.outcome,
        status=end.status,
        answer_bytes=end.answer_bytes,
        cost_usd=end.cost_usd,
        priced_by=end.priced_by,
        prices_as_of=end.prices_as_of,
    )


def fold(links: Iterable[Link]) -> Iterator[Receipt]:
    """All receipts among the links, oldest first, once all links were read."""
    found: dict[int, Receipt] = {}
    for link in links:
        match link:
            case Crossed():
                found[link.number] = link.receipt
            case Ended() if link.of in found:
                found[link.of] = with_end(found[link.of], link)
    yield from found.values()


def newest(folder: Path, since: datetime | None, limit: int) -> tuple[Receipt, ...]:
    """Receipts from the chain's end back, as many as `limit`; younger than `since`. Raises OSError."""
    found: list[Receipt] = []
    ends: dict[int, Ended] = {}
    for path in reversed(segments(folder)):
        for link in reversed(list(links_of(path))):
            match link:
                case Ended():
                    ends.setdefault(link.of, link)
                case Crossed() if since is None or link.at >= since:
                    end = ends.pop(link.number, None)
                    found.append(with_end(link.receipt, end) if end else link.receipt)
                    if len(found) == limit:
                        return tuple(found)
    return tuple(found)


def numbered(folder: Path, number: int) -> Receipt | None:
    """One receipt, None if it isn't (any more) in the chain. Raises OSError."""
    files = segments(folder)
    begun = [path for path in files if first_number(path) <= number]
    if not begun:
        return None
    found: Receipt | None = None
    for path in files[len(begun) - 1 :]:  # its end is in the same file, or in a later one
        for link in links_of(path):
            match link:
                case Crossed() if link.number == number:
                    found = link.receipt
                case Ended() if found is not None and link.of == number:
                    return with_end(found, link)
    return found
