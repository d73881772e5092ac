"""The money's tables in the record file: a line for each call, and sums by days that outlive the records.

Theory of operation. A line is written when a call begins, with what is kept for it, and again when its request is over; the
sums change by the difference, in the same transaction, so that they are those of all lines that ever were. Records are
deleted after some weeks and with them their lines, sessions and all; of the sums there are few, without sessions, and they
stay, since limits of a month and the user's own reckoning hang on them.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import astuple

from daemon.money.lines import Line

KEEP_DAYS: Final = 400
"""Of sums: more than a year's months."""
_COLUMNS: Final = Line.__struct_fields__
_KEY: Final = ("day", "client", "project", "provider", "model", "place", "billing")
"""Of a sum."""
_ADDED: Final = (
    "prompt",
    "cached",
    "stored",
    "stored_long",
    "written",
    "nano",
    "took_ms",
)
_SUMS: Final = (
    "calls",
    "reckoned",
    "open",
    *_ADDED,
    "answers",
    "aside_ms",
    "joules",
    "measured",
    "saved_nano",
    "compared",
    "lost",
    "lost_nano",
)
_ROWS: Final = 100


class Sums(Struct, frozen=True):
    """Of some calls. calls: of which `reckoned` ended before anybody told what they took, and `open` were begun by a daemon
    that was killed. answers: that clients got from this machine; aside_ms: what else ran here. joules: of `measured`
    answers. saved_nano: of `compared` answers. lost: hedges and repetitions that were for nothing, and what they cost.
    """

    calls: int = 0
    reckoned: int = 0
    open: int = 0
    prompt: int = 0
    cached: int = 0
    stored: int = 0
    stored_long: int = 0
    written: int = 0
    nano: int = 0
    took_ms: float = 0.0
    answers: int = 0
    aside_ms: float = 0.0
    joules: float = 0.0
    measured: int = 0
    saved_nano: int = 0
    compared: int = 0
    lost: int = 0
    lost_nano: int = 0


def create(db: sqlite3.Connection) -> None:
    """Both tables."""
    integers = (
        "number",
        "open",
        "answered",
        "reckoned",
        "prompt",
        "cached",
        "stored",
        "stored_long",
        "written",
        "nano",
    )
    kinds = {
        "at": "REAL",
        "took_ms": "REAL",
        "joules": "REAL",
        "saved_nano": "INTEGER",
        **dict.fromkeys(integers, "INTEGER"),
    }
    empty = ("joules", "saved_nano")
    columns = ", ".join(f"{each} {kinds.get(each, 'TEXT')}{'' if each in empty else ' NOT NULL'}" for each in _COLUMNS)
    db.execute(f"CREATE TABLE spent ({columns}, PRIMARY KEY (record, number)) WITHOUT ROWID")
    db.execute("CREATE INDEX spent_at ON spent (at)")
    key = ", ".join(f"{each} TEXT NOT NULL" for each in _KEY)
    sums = ", ".join(
        f"{each} {'REAL' if each in ('took_ms', 'aside_ms', 'joules') else 'INTEGER'} NOT NULL" for each in _SUMS
    )
    db.execute(f"CREATE TABLE spent_days ({key}, {sums}, PRIMARY KEY ({', '.join(_KEY)})) WITHOUT ROWID")


def keep(db: sqlite3.Connection, lines: Iterable[Line]) -> None:
    """Write lines, and have the sums follow. Of a call that is told twice the last word counts."""
    fresh = {(line.record, line.number): line for line in lines}
    keys = list(fresh)
    deltas: defaultdict[tuple[object, ...], list[float]] = defaultdict(lambda: [0] * len(_SUMS))
    for begin in range(0, len(keys), _ROWS):
        some = keys[begin : begin + _ROWS]
        known = {(line.record, line.number): line for line in _known(db, some)}
        changed = [fresh[key] for key in some if known.get(key) != fresh[key]]
        for line in changed:
            if (before := known.get((line.record, line.number))) is not None:
                _add(deltas, before, -1)
            _add(deltas, line, 1)
        if changed:
            marks = ", ".join([f"({', '.join('?' * len(_COLUMNS))})"] * len(changed))
            values = [value for line in changed for value in astuple(line)]
            db.execute(f"INSERT OR REPLACE INTO spent VALUES {marks}", values)  # noqa: S608  # question marks alone
    for key, delta in deltas.items():
        db.execute(_MORE, (*key, *delta))


_MORE: Final = (
    f"INSERT INTO spent_days VALUES ({', '.join('?' * (len(_KEY) + len(_SUMS)))}) "  # noqa: S608  # names of ours
    f"ON CONFLICT DO UPDATE SET {', '.join(f'{each} = {each} + excluded.{each}' for each in _SUMS)}"
)


def _known(db: sqlite3.Connection, keys: Sequence[tuple[str, int]]) -> list[Line]:
    """Lines of the same records: by these alone, since SQLite reads the whole table for pairs."""
    records = list(dict.fromkeys(record for record, _ in keys))
    marks = ", ".join("?" * len(records))
    return [_line(row) for row in db.execute(f"SELECT * FROM spent WHERE record IN ({marks})", records)]  # noqa: S608


def _line(row: Sequence[object]) -> Line:
    named = dict(zip(_COLUMNS, row, strict=True))
    for flag in ("open", "answered", "reckoned"):
        named[flag] = bool(named[flag])
    return Line(**named)  # type: ignore[arg-type]  # as they were written


def _add(deltas: defaultdict[tuple[object, ...], list[float]], line: Line, sign: int) -> None:
    delta = deltas[tuple(getattr(line, each) for each in _KEY)]
    for place, value in enumerate(_of(line)):
        delta[place] += sign * value


def _of(line: Line) -> tuple[float, ...]:
    here = line.place == "device"
    lost = not here and not line.answered and (line.role == "hedge" or line.outcome in ("failed", "cancelled"))
    return (
        1,
        int(line.reckoned),
        int(line.open),
        *(getattr(line, each) for each in _ADDED),
        int(here and line.answered),
        line.took_ms if here and not line.answered else 0.0,
        line.joules or 0.0,
        int(line.joules is not None),
        line.saved_nano or 0,
        int(line.saved_nano is not None),
        int(lost),
        line.nano if lost else 0,
    )


BY: Final = ("client", "project", "provider", "model", "session", "day")


def sums(db: sqlite3.Connection, by: str, since: date | None, until: date | None = None) -> list[tuple[str, str, Sums]]:
    """By one of BY, place and billing, of whole days: what it is called, the billing behind its place, and the sums.

    Sessions are summed from the lines of records that are kept.
    """
    name = "provider || '/' || model" if by == "model" else by
    first, last = (since or date.min).isoformat(), (until or date.max).isoformat()
    added = ", ".join(f"sum({each})" for each in _SUMS)
    if by == "session":
        return _of_sessions(db, first, last)
    rows = db.execute(
        f"SELECT {name}, place || ' ' || billing, {added} FROM spent_days WHERE day >= ? AND day <= ? "  # noqa: S608
        "GROUP BY 1, 2 ORDER BY 1, 2",
        (first, last),
    )
    return [(row[0], row[1], Sums(*row[2:])) for row in rows]


_LOST: Final = "(place != 'device' AND NOT answered AND (role = 'hedge' OR outcome IN ('failed', 'cancelled')))"
_EACH: Final = {
    "calls": "1",
    "answers": "(place = 'device' AND answered)",
    "aside_ms": "CASE WHEN place = 'device' AND NOT answered THEN took_ms ELSE 0.0 END",
    "joules": "coalesce(joules, 0.0)",
    "measured": "(joules IS NOT NULL)",
    "saved_nano": "coalesce(saved_nano, 0)",
    "compared": "(saved_nano IS NOT NULL)",
    "lost": _LOST,
    "lost_nano": f"CASE WHEN {_LOST} THEN nano ELSE 0 END",
}
"""What `_of` says of a line, for SQLite."""


def _of_sessions(db: sqlite3.Connection, first: str, last: str) -> list[tuple[str, str, Sums]]:
    added = ", ".join(f"sum({_EACH.get(each, each)})" for each in _SUMS)
    rows = db.execute(
        f"SELECT session, place || ' ' || billing, {added} FROM spent WHERE session != '' AND day >= ? AND day <= ? "  # noqa: S608
        "GROUP BY 1, 2 ORDER BY 1, 2",
        (first, last),
    )
    return [(row[0], row[1], Sums(*row[2:])) for row in rows]


def lines_of_record(db: sqlite3.Connection, record: str) -> tuple[Line, ...]:
    """Of one request, in order."""
    return tuple(_line(row) for row in db.execute("SELECT * FROM spent WHERE record = ? ORDER BY number", (record,)))


def spent_since(db: sqlite3.Connection, day: date) -> list[tuple[str, str, str, str, int]]:
    """Of clouds and other machines: day, provider, project, client, and how many nano-USD."""
    return db.execute(
        "SELECT day, provider, project, client, sum(nano) FROM spent_days WHERE day >= ? AND place != 'device' "
        "GROUP BY 1, 2, 3, 4 HAVING sum(nano) != 0",
        (day.isoformat(),),
    ).fetchall()


def forget(db: sqlite3.Connection, before: float, today: date) -> None:
    """Lines of records that are gone, and sums that are older than anybody asks for."""
    db.execute("DELETE FROM spent WHERE at < ?", (before,))
    db.execute("DELETE FROM spent_days WHERE day < ?", ((today - timedelta(days=KEEP_DAYS)).isoformat(),))
