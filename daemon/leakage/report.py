"""What a set of marked texts shows, class by class."""

from __future__ import annotations

from collections import Counter, defaultdict

from msgspec import Struct, field

from daemon.leakage.corridor import Crossing
from daemon.leakage.measures import Leaks, Share, Words, altered_lines, leaks_of, share_of, words_of
from daemon.leakage.rows import Row
from daemon.leakage.utility import Use, use_of


class Line(Struct, frozen=True):
    """One class of texts.

    exact, partial, net: of its values; leak: exact and net together. sent: of its texts. alarms: finds that touch no marked
    value, of all finds. altered: of texts without values, lines that were changed or kept. lost: of the harmless words of
    texts that were sent. utility: of its texts, those that were sent and served in everything that was tried, of which
    restored, parses and edits are the parts.
    """

    name: str
    texts: int
    values: int
    exact: Share
    partial: Share
    net: Share
    leak: Share
    sent: Share
    alarms: Share
    altered: Share
    lost: Share
    utility: Share
    restored: Share
    parses: Share
    edits: Share


class Recall(Struct, frozen=True):
    """Of values of one type in texts of one language: those of which nothing left. language: empty if it isn't told."""

    language: str
    type: str
    kept: Share
    exact: Share


class Report(Struct, frozen=True):
    """All of it. why: what kept texts here, by code."""

    policy: str
    rows: int
    took_s: float
    lines: tuple[Line, ...]
    recalls: tuple[Recall, ...]
    why: dict[str, int]


class _Counted(Struct):
    texts: int = 0
    sent: int = 0
    leaks: Leaks = field(default_factory=Leaks)
    words: Words = field(default_factory=Words)
    finds: int = 0
    alarms: int = 0
    lines: int = 0
    altered: int = 0
    serving: int = 0
    restored: int = 0
    parsed: int = 0
    parses: int = 0
    edits: int = 0
    edits_that_fit: int = 0


class Counting:
    """Takes crossings one by one."""

    def __init__(self) -> None:
        self._groups: dict[str, _Counted] = defaultdict(_Counted)
        self._types: dict[tuple[str, str], Leaks] = defaultdict(Leaks)
        self._why: Counter[str] = Counter()

    def take(self, row: Row, crossing: Crossing) -> None:
        """Count one."""
        counted = self._groups[row.group]
        counted.texts += 1
        sent = not crossing.kept
        counted.sent += sent
        self._why.update(crossing.kept)
        for value, leaks in zip(row.values, leaks_of(row, crossing.arrived), strict=True):
            _add(counted.leaks, leaks)
            _add(self._types[row.language, value.type], leaks)
        counted.finds += len(crossing.found)
        counted.alarms += sum(
            not any(span.start < v.end and v.start < span.end for v in row.values) for span in crossing.found
        )
        if not row.values:
            lines = row.text.count("\n") + 1
            counted.lines += lines
            counted.altered += altered_lines(row.text, crossing.masked) if sent else lines
        if sent:
            words = words_of(row, crossing.arrived)
            counted.words.all += words.all
            counted.words.lost += words.lost
            _use(counted, use_of(row, crossing))

    def report(self, policy: str, took_s: float) -> Report:
        """What was counted so far."""
        lines = tuple(_line(name, counted) for name, counted in sorted(self._groups.items()))
        recalls = tuple(
            Recall(
                language,
                type,
                share_of(leaks.values - leaks.exact - leaks.net, leaks.values),
                share_of(leaks.exact, leaks.values),
            )
            for (language, type), leaks in sorted(self._types.items())
        )
        return Report(policy, sum(line.texts for line in lines), took_s, lines, recalls, dict(self._why))


def _add(sum_: Leaks, one: Leaks) -> None:
    sum_.values += one.values
    sum_.exact += one.exact
    sum_.partial += one.partial
    sum_.net += one.net


def _use(counted: _Counted, use: Use) -> None:
    counted.serving += use.serves
    counted.restored += use.restored
    counted.parsed += use.parses is not None
    counted.parses += use.parses is True
    counted.edits += use.edits
    counted.edits_that_fit += use.edits_that_fit


def _line(name: str, counted: _Counted) -> Line:
    leaks = counted.leaks
    return Line(
        name=name,
        texts=counted.texts,
        values=leaks.values,
        exact=share_of(leaks.exact, leaks.values),
        partial=share_of(leaks.partial, leaks.values),
        net=share_of(leaks.net, leaks.values),
        leak=share_of(leaks.exact + leaks.net, leaks.values),
        sent=share_of(counted.sent, counted.texts),
        alarms=share_of(counted.alarms, counted.finds),
        altered=share_of(counted.altered, counted.lines),
        lost=share_of(counted.words.lost, counted.words.all),
        utility=share_of(counted.serving, counted.texts),
        restored=share_of(counted.restored, counted.sent),
        parses=share_of(counted.parses, counted.parsed),
        edits=share_of(counted.edits_that_fit, counted.edits),
    )
