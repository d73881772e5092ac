"""One execution record a request, in SQLite.

Theory of operation. One thread owns the writing connection. `write` only puts a record in its queue, so a request never
waits for the disk; the thread commits all that is queued in one transaction, and the next one GAP_S later at the
earliest, unless somebody reads or the store closes. In WAL mode with synchronous=NORMAL a killed process loses nothing that
was committed, so `kill -9` loses at most what was still running, and of a burst what ended in its last GAP_S. Reads open
the file on their own, in a thread, and see all that was queued before them. A write that fails (full disk) is retried
with the next one; what cannot be kept in memory meanwhile is dropped and counted, and the daemon says so as a warning.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from daemon.clock import Clock
from daemon.errors import DailyLimit, NotFound, StoreError
from daemon.money import keeping
from daemon.money.lines import Line, lines_of
from daemon.paths import make_private_directory
from daemon.wire import Content, Ledger, Receipt, Record, RecordDetail, Taken

T = TypeVar("T")
BACKLOG: Final = 10_000
"""Records kept in memory while the disk refuses them: about 10 MB."""
RETRY_S: Final = 5.0
GAP_S: Final = 0.02
"""Between commits, each of which takes a third of a small request's time. Requests farther apart wait for nothing."""
_ROWS: Final = 100
PURGE_EVERY_S: Final = 3600.0


def _create_records(db: sqlite3.Connection) -> None:
    db.execute("CREATE TABLE records (id TEXT PRIMARY KEY, at REAL NOT NULL, body BLOB NOT NULL) WITHOUT ROWID")
    db.execute("CREATE INDEX records_at ON records (at)")


def _create_contents(db: sqlite3.Connection) -> None:
    db.execute(
        "CREATE TABLE contents (id TEXT PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE, body BLOB NOT NULL)"
        " WITHOUT ROWID"
    )


def _create_answers(db: sqlite3.Connection) -> None:
    db.execute(
        "CREATE TABLE answers (id TEXT PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE, body BLOB NOT NULL)"
        " WITHOUT ROWID"
    )


def _create_money(db: sqlite3.Connection) -> None:
    """With what the records of earlier versions tell."""
    keeping.create(db)
    begin = ""
    while rows := db.execute("SELECT id, body FROM records WHERE id > ? ORDER BY id LIMIT 1000", (begin,)).fetchall():
        begin = rows[-1][0]
        lines: list[Line] = []
        for _, body in rows:
            with suppress(msgspec.DecodeError):  # one that can't be read has no part in any sum
                lines += lines_of(_decode_record(body))
        keeping.keep(db, lines)


MIGRATIONS: Final[tuple[Callable[[sqlite3.Connection], None], ...]] = (
    _create_records,
    _create_contents,
    _create_answers,
    _create_money,
)
"""Step N brings a file from user_version N to N + 1. Never edit a step that was released: add one."""

_encode: Final = msgspec.json.Encoder().encode
_decode_record: Final = msgspec.json.Decoder(Record).decode
_decode_content: Final = msgspec.json.Decoder(Content).decode


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=5.0)
    db.execute("PRAGMA foreign_keys = ON")
    return db


def _undo(db: sqlite3.Connection) -> None:
    if db.in_transaction:  # a full disk has SQLite roll back by itself
        db.execute("ROLLBACK")


class _Answer(Struct, frozen=True):
    """An answer to come back to, in its protocol's own form. id: its record's."""

    id: str
    body: bytes


_Entry: TypeAlias = tuple[Record, Content | None] | _Answer | Line


def _insert(db: sqlite3.Connection, batch: Iterable[_Entry]) -> None:
    """In few statements, since each gives Python's lock up and has to wait for it again while requests are answered."""
    answers: list[_Answer] = []
    lines: list[Line] = []
    rows = _apart(batch, answers, lines)
    while some := list(islice(rows, _ROWS)):
        values = [value for record, _ in some for value in (record.id, record.at.timestamp(), _encode(record))]
        places = ", ".join(["(?, ?, ?)"] * len(some))
        # not OR REPLACE, which deletes the old row and what hangs on it
        again = "ON CONFLICT (id) DO UPDATE SET at = excluded.at, body = excluded.body"
        db.execute(f"INSERT INTO records VALUES {places} {again}", values)  # noqa: S608  # question marks alone
        for record, _ in some:
            lines += lines_of(record)
        for record, content in some:
            if content is not None:
                db.execute("INSERT OR REPLACE INTO contents VALUES (?, ?)", (record.id, _encode(content)))
    keeping.keep(db, lines)
    for answer in answers:  # one whose record is gone goes with it
        db.execute(
            "INSERT OR REPLACE INTO answers SELECT ?, ? WHERE EXISTS (SELECT 1 FROM records WHERE id = ?)",
            (answer.id, answer.body, answer.id),
        )


def _apart(
    batch: Iterable[_Entry], answers: list[_Answer], lines: list[Line]
) -> Iterator[tuple[Record, Content | None]]:
    """The records of a batch; what else is in it goes to `answers` and `lines`, where a call's beginning stands before what
    its record says of it.
    """
    for entry in batch:
        if isinstance(entry, _Answer):
            answers.append(entry)
        elif isinstance(entry, Line):
            lines.append(entry)
        else:
            yield entry


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to look things up. Raises StoreError if the file turns out to be damaged."""
    try:
        with closing(_connect(path)) as db:
            yield db
    except sqlite3.Error as error:
        raise StoreError(f"{path} can't be read ({error}): move it away, or restore a copy") from error


def migrate(path: Path, migrations: tuple[Callable[[sqlite3.Connection], None], ...] = MIGRATIONS) -> None:
    """Bring the file to the newest version, each step in its own transaction.

    Raises StoreError if the file is damaged or from a newer Nearloop.
    """
    try:
        with closing(_connect(path)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            version: int = db.execute("PRAGMA user_version").fetchone()[0]
            if version > len(migrations):
                raise StoreError(
                    f"{path} was written by a newer Nearloop (version {version}; this one reads up to "
                    f"{len(migrations)}): upgrade Nearloop, or move the file away"
                )
            for number in range(version, len(migrations)):
                db.execute("BEGIN IMMEDIATE")
                try:
                    migrations[number](db)
                    db.execute(f"PRAGMA user_version = {number + 1}")
                except BaseException:
                    _undo(db)
                    raise
                db.execute("COMMIT")
    except sqlite3.Error as error:
        raise StoreError(f"{path} can't be used as a record file ({error}): move it away, or restore a copy") from error


def check(path: Path) -> None:
    """Read the whole file once. Raises StoreError if it is damaged."""
    with _reading(path) as db:
        found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise StoreError(f"{path} is damaged ({found}): move it away, or restore a copy")


def read_kept(path: Path) -> Iterator[tuple[Record, Content]]:
    """The records whose words were kept, oldest first; a daemon may be writing meanwhile. Raises StoreError."""
    if not path.is_file():
        return
    migrate(path)
    with _reading(path) as db:
        for record, content in db.execute(
            "SELECT records.body, contents.body FROM records JOIN contents USING (id) ORDER BY records.at, records.id"
        ):
            yield _decode_record(record), _decode_content(content)


def read_receipts(path: Path, since: datetime) -> Iterator[tuple[str, Receipt]]:
    """What left by the records of that time: a record's id and a receipt. Raises StoreError."""
    if not path.is_file():
        return
    with _reading(path) as db:
        for (body,) in db.execute("SELECT body FROM records WHERE at >= ? ORDER BY at, id", (since.timestamp(),)):
            record = _decode_record(body)
            for receipt in record.receipts:
                yield record.id, receipt


def before(now: datetime, span: timedelta) -> datetime:
    """So long ago; the beginning of time if that is farther."""
    try:
        return now - span
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


class _Decided(Struct, frozen=True):
    """That something was decided."""


class _Ran(Struct, frozen=True):
    """What of a record tells what its client took."""

    client: str | None = None
    error: str | None = None
    decision: _Decided | None = None
    ledger: Ledger = Ledger()


_decode_ran: Final = msgspec.json.Decoder(_Ran).decode


class _Stop:
    """The last thing in the queue."""


class _Flush:
    """Asks the writer to say when everything before it was tried."""

    def __init__(self) -> None:
        self.done = threading.Event()


class Store:
    """The record file. Open it once, close it at the end."""

    def __init__(self, path: Path, clock: Clock) -> None:
        make_private_directory(path.parent)
        migrate(path)
        self._path = path
        self._clock = clock
        self._queue: queue.SimpleQueue[_Entry | _Flush | _Stop] = queue.SimpleQueue()
        self.dropped = 0
        self.failure: str | None = None
        """Why the last write failed, None while all is well."""
        self._hurry = threading.Event()
        self._db: sqlite3.Connection | None = None  # the writing thread's alone
        self._file = (0, 0)
        self._committed_at = float("-inf")
        self._thread = threading.Thread(target=self._run, name="records", daemon=True)
        self._thread.start()

    # -- writing

    def write(self, record: Record, content: Content | None = None) -> None:
        """Queue one record. Never blocks, never raises."""
        self._queue.put((record, content))

    def write_answer(self, id: str, body: bytes) -> None:
        """Queue an answer that its client may come back to; it lives as long as its record. Never blocks, never raises."""
        self._queue.put(_Answer(id, body))

    def write_line(self, line: Line) -> None:
        """Queue a call that begins, to be replaced by what its record says of it. Never blocks, never raises."""
        self._queue.put(line)

    async def flush(self) -> None:
        """Wait until everything queued so far was tried."""
        if not self._thread.is_alive():
            return
        mark = _Flush()
        self._queue.put(mark)
        self._hurry.set()
        await asyncio.to_thread(mark.done.wait)

    def close(self) -> None:
        """Write what is queued, and end the thread."""
        self._queue.put(_Stop())
        self._hurry.set()
        self._thread.join(timeout=RETRY_S * 2)

    def _run(self) -> None:
        backlog: deque[_Entry] = deque(maxlen=BACKLOG)
        stopping = False
        while not stopping:
            marks: list[_Flush] = []
            stopping = self._collect(backlog, marks)
            if backlog and self._commit(backlog):
                backlog.clear()
            for mark in marks:
                mark.done.set()
        self._forget_connection()

    def _collect(self, backlog: deque[_Entry], marks: list[_Flush]) -> bool:
        """Wait for something, take all there is. Returns True if the store is closing."""
        try:
            # With a backlog the disk said no: look again soon. Without one there is nothing to do until somebody writes.
            item = self._queue.get(timeout=RETRY_S if backlog else None)
            self._hurry.wait(self._committed_at + GAP_S - time.monotonic())
            self._hurry.clear()
            while True:
                match item:
                    case _Stop():
                        return True
                    case _Flush():
                        marks.append(item)
                    case _:
                        self.dropped += len(backlog) == BACKLOG
                        backlog.append(item)
                item = self._queue.get_nowait()
        except queue.Empty:
            return False

    def _commit(self, batch: deque[_Entry]) -> bool:
        try:
            db = self._writing()
            db.execute("BEGIN IMMEDIATE")
            try:
                _insert(db, batch)
            except BaseException:
                _undo(db)
                raise
            db.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            self.failure = str(error)
            self._forget_connection()
            self._mend()
            return False
        self.failure = None
        self._committed_at = time.monotonic()
        return True

    def _writing(self) -> sqlite3.Connection:
        """The writer's connection, to the file that is there now: one that was deleted would take records and keep none."""
        there = self._path.stat()
        if self._db is None or (there.st_dev, there.st_ino) != self._file:
            self._forget_connection()
            self._db = _connect(self._path)
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._file = (there.st_dev, there.st_ino)
        return self._db

    def _forget_connection(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
            self._db = None

    def _mend(self) -> None:
        """Have the tables there for the next try, should somebody have deleted the file."""
        with suppress(StoreError):
            migrate(self._path)

    # -- reading

    async def find(self, prefix: str) -> RecordDetail:
        """The one record whose id starts with `prefix`. Raises NotFound, which also says when there are several."""
        await self.flush()
        return await asyncio.to_thread(self._find, prefix)

    def _find(self, prefix: str) -> RecordDetail:
        if not prefix or any(letter not in "0123456789abcdef" for letter in prefix):
            raise NotFound("a record id is up to 16 of 0-9 and a-f: `nearloop records` lists them")
        with _reading(self._path) as db:
            rows = db.execute(
                "SELECT id, body FROM records WHERE id >= ? AND id < ? ORDER BY id LIMIT 2", (prefix, prefix + "g")
            ).fetchall()
            if not rows:
                raise NotFound(f"no record starts with {prefix}: `nearloop records` lists what is kept")
            if len(rows) > 1 and rows[0][0] != prefix:
                raise NotFound(f"several records start with {prefix}: give more of the id")
            kept = db.execute("SELECT body FROM contents WHERE id = ?", (rows[0][0],)).fetchone()
        return RecordDetail(_decode_record(rows[0][1]), _decode_content(kept[0]) if kept else None)

    async def answer(self, id: str) -> bytes | None:
        """An answer by its record's id, None if it isn't kept."""
        await self.flush()
        return await asyncio.to_thread(self._answer, id)

    def _answer(self, id: str) -> bytes | None:
        with _reading(self._path) as db:
            row = db.execute("SELECT body FROM answers WHERE id = ?", (id,)).fetchone()
        return row[0] if row else None

    async def list(self, since: datetime | None = None, limit: int = 50) -> tuple[Record, ...]:
        """Newest first."""
        await self.flush()
        return await asyncio.to_thread(self._list, since, limit)

    def _list(self, since: datetime | None, limit: int) -> tuple[Record, ...]:
        with _reading(self._path) as db:
            rows = db.execute(
                "SELECT body FROM records WHERE at >= ? ORDER BY at DESC, id LIMIT ?",
                (since.timestamp() if since else 0.0, limit),
            ).fetchall()
        return tuple(_decode_record(row[0]) for row in rows)

    async def receipts(self, since: datetime) -> tuple[tuple[str, Receipt], ...]:
        """What left by the records of that time: a record's id and a receipt. Raises StoreError."""
        await self.flush()
        return await asyncio.to_thread(lambda: tuple(read_receipts(self._path, since)))

    async def taken(self, since: datetime) -> dict[str | None, Taken]:
        """What each client took in requests that came since. Those count that were not refused for being too many, and that
        can be read. Raises StoreError.
        """
        await self.flush()
        return await asyncio.to_thread(self._taken, since)

    def _taken(self, since: datetime) -> dict[str | None, Taken]:
        found: dict[str | None, Taken] = {}
        with _reading(self._path) as db:
            for (body,) in db.execute("SELECT body FROM records WHERE at >= ?", (since.timestamp(),)):
                try:
                    ran = _decode_ran(body)
                except msgspec.DecodeError:
                    continue
                if ran.error == DailyLimit.__name__ and ran.decision is None:
                    continue
                before, ledger = found.get(ran.client, Taken()), ran.ledger
                found[ran.client] = Taken(
                    before.requests + 1,
                    before.tokens + ledger.prompt_tokens + ledger.completion_tokens + ledger.reckoned,
                    round(before.cost_usd + ledger.cost_usd, 9),
                    before.unpriced + ledger.unpriced,
                )
        return found

    async def spent_since(self, day: date) -> Sequence[tuple[str, str, str, str, int]]:
        """Beyond this machine: day, provider, project, client, and how many nano-USD. Raises StoreError."""
        await self.flush()
        return await asyncio.to_thread(self._reading_money, lambda db: keeping.spent_since(db, day))

    async def spending(
        self, by: str, since: date | None, until: date | None = None
    ) -> Sequence[tuple[str, str, keeping.Sums]]:
        """As `keeping.sums` has it. Raises StoreError."""
        await self.flush()
        return await asyncio.to_thread(self._reading_money, lambda db: keeping.sums(db, by, since, until))

    def _reading_money(self, look: Callable[[sqlite3.Connection], T]) -> T:
        with _reading(self._path) as db:
            return look(db)

    async def count(self) -> int:
        """How many records are kept."""
        await self.flush()
        return await asyncio.to_thread(self._count)

    def _count(self) -> int:
        with _reading(self._path) as db:
            number: int = db.execute("SELECT count(*) FROM records").fetchone()[0]
        return number

    # -- forgetting

    async def purge(self, older_than: timedelta) -> int:
        """Delete records of before now minus `older_than`, words included, and return how many."""
        return await asyncio.to_thread(self._purge, before(self._clock.now(), older_than))

    def _purge(self, before: datetime) -> int:
        try:
            with closing(_connect(self._path)) as db:
                db.execute("PRAGMA secure_delete = ON")  # deleted words are overwritten, not only unlinked
                deleted = db.execute("DELETE FROM records WHERE at < ?", (before.timestamp(),)).rowcount
                keeping.forget(db, before.timestamp(), self._clock.now().astimezone().date())
                if deleted:
                    # secure_delete clears the rows, but not copies that SQLite made when it split and merged pages
                    db.execute("VACUUM")
                    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise StoreError(f"records can't be deleted: {error}") from error
        return deleted

    async def forget_answer(self, id: str) -> None:
        """Delete an answer and the words of its record; the record stays."""
        await self.flush()
        await asyncio.to_thread(self._forget_answer, id)

    def _forget_answer(self, id: str) -> None:
        try:
            with closing(_connect(self._path)) as db:
                db.execute("PRAGMA secure_delete = ON")
                db.execute("DELETE FROM answers WHERE id = ?", (id,))
                db.execute("DELETE FROM contents WHERE id = ?", (id,))
        except sqlite3.Error as error:
            raise StoreError(f"the answer can't be deleted: {error}") from error

    async def keep(self, keep_days: int) -> None:
        """Purge what is older than `keep_days`, now and every hour, until cancelled."""
        while True:
            try:
                await self.purge(timedelta(days=keep_days))
            except StoreError as error:
                self.failure = str(error)
            await asyncio.sleep(PURGE_EVERY_S)
