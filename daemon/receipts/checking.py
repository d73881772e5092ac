"""Whether the chain of receipts holds, and if not, where it is broken first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from daemon.receipts.files import Line, first_number, lines, segments
from daemon.receipts.links import START, Ended, Later, Link, Mended, Pruned, digest_of, link_of
from daemon.wire import ChainProblem, ReceiptChain

_MOST_PROBLEMS: Final = 20
_CLOCK_SLACK: Final = timedelta(seconds=2)
"""Two processes may write in another order than they looked at the clock."""


class _Check:
    """One walk along the chain."""

    def __init__(self, noted_head: str | None, extract: bool) -> None:
        """extract: it may begin anywhere, in a file of any name."""
        self._extract = extract
        self.problems: list[ChainProblem] = []
        self.remarks: list[str] = []
        self.first: Link | None = None
        self.last: Link | None = None
        self.head: str | None = None
        self.links = 0
        self.noted_found = False
        self._noted_head = noted_head
        self._opening: Link | None = None
        self._pruned: dict[int, str] = {}
        self._latest: datetime | None = None
        self._number = 0

    def take(self, line: Line, last: bool) -> None:
        """The next line. last: nothing comes behind it in the chain."""
        if not line.whole:
            if last:
                self.remarks.append(f"the last line, in {line.file.name}, has no end: it is being written, or was torn")
                return
            self._problem(line, None, "this line has no end, and others follow")
        if line.number == 1 and self.links and not self._extract and first_number(line.file) != self._number + 1:
            text = (
                f"this file begins with link {first_number(line.file)}, the one before ends with link {self._number}: links "
                "between them are missing"
            )
            self._problem(line, None, text)
        try:
            self._link(link_of(line.text), line)
        except ValueError:
            self._number += 1
            self._problem(line, None, f"link {self._number} can't be read: it was damaged or changed")
        self.links += 1
        self.head = digest_of(line.text)
        self.noted_found |= self.head == self._noted_head

    def _link(self, link: Link, line: Line) -> None:
        self.first = self.first or link
        if self.head is None:
            self._opening = link
            if not self._extract and first_number(line.file) != link.number:
                self._problem(line, link.number, f"link {link.number} is in a file that is named for another")
            if link.number == 1 and link.before != START:
                self._problem(line, 1, "link 1 has something before it")
        elif link.before != self.head:
            text = (
                f"link {link.number} does not hold what is before it: link {self._number} was changed, or links between "
                "them were taken out or put in"
            )
            self._problem(line, link.number, text)
        elif link.number != self._number + 1:
            self._problem(line, link.number, f"link {link.number} follows link {self._number}")
        self._number = link.number
        self._look_at(link)
        self.last = link

    def _look_at(self, link: Link) -> None:
        if self._latest is not None and link.at < self._latest - _CLOCK_SLACK:
            self.remarks.append(
                f"the clock was set back by {(self._latest - link.at).total_seconds():.0f} s before link {link.number}"
            )
            self._latest = link.at
        self._latest = link.at if self._latest is None else max(self._latest, link.at)
        match link:
            case Pruned():
                self._pruned[link.through] = link.head
            case Mended():
                self.remarks.append(
                    f"a torn line of {link.size_bytes} bytes was cut off before link {link.number}: what it was to say "
                    "did not leave"
                )
            case Later():
                self.remarks.append(f"link {link.number} is of a kind that a newer Nearloop writes")
            case Ended() if link.of >= link.number:
                self.remarks.append(f"link {link.number} tells the end of link {link.of}, which is not before it")

    def beginning(self) -> None:
        """Ask why the chain doesn't begin with link 1, once all was read."""
        if self._opening is None or self._opening.number == 1:
            return
        before = self._opening.number - 1
        if self._pruned.get(before) == self._opening.before:
            self.remarks.append(f"links 1 to {before} were deleted by `nearloop receipts prune` or for their age")
            return
        if self._extract:
            self.remarks.append(f"it begins with link {before + 1}: what is before it was not looked at")
            return
        text = f"links 1 to {before} are missing, and no link says that they were deleted"
        file = f"{self._opening.number:012d}.jsonl"
        self.problems.insert(0, ChainProblem(file, 1, self._opening.number, text))

    def _problem(self, line: Line, number: int | None, text: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(ChainProblem(line.file.name, line.number, number, text))


def check(folder: Path, noted_head: str | None = None) -> ReceiptChain:
    """Walk the whole chain; writers may go on meanwhile. noted_head: a digest that the user kept, which has to be in it.

    Raises OSError if a file can't be read.
    """
    return _walked(segments(folder), noted_head, False)


def check_export(file: Path, noted_head: str | None = None) -> ReceiptChain:
    """Walk links that were exported into one file; they may begin in the chain's middle. Raises OSError."""
    return _walked([file], noted_head, True)


def _walked(files: list[Path], noted_head: str | None, extract: bool) -> ReceiptChain:
    walk = _Check(noted_head, extract)
    for line, last in _with_last(line for path in files for line in lines(path)):
        walk.take(line, last)
    walk.beginning()
    if noted_head is not None and not walk.noted_found:
        text = "the head that was noted is nowhere in this chain: its end was taken off, or it was written anew"
        walk.problems.append(ChainProblem(files[-1].name if files else "", 0, None, text))
    return ReceiptChain(
        whole=not walk.problems,
        links=walk.links,
        first=walk.first.number if walk.first else None,
        last=walk.last.number if walk.last else None,
        begins=walk.first.at if walk.first else None,
        ends=walk.last.at if walk.last else None,
        head=walk.head,
        problems=tuple(walk.problems),
        remarks=tuple(walk.remarks),
    )


def _with_last(found: Iterator[Line]) -> Iterator[tuple[Line, bool]]:
    """Each line, and whether it is the last."""
    held = next(found, None)
    while held is not None:
        following = next(found, None)
        yield held, following is None
        held = following
