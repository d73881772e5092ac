"""The record file: what is kept, found and forgotten, and what a bad disk or a killed process costs."""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from daemon import records
from daemon.errors import NotFound, StoreError
from daemon.records import MIGRATIONS, Store, migrate
from daemon.wire import Attempt, Content, Decision, Ledger, Record, RecordDetail, Taken
from tests.fakes.clock import HeldClock

RECORDED = Path(__file__).parents[1] / "recorded" / "records_v1.db"
WORDS = Content([{"role": "user", "parts": [{"type": "text", "text": "canary-question"}]}], "canary-answer")
WAIT_S = 10.0


def record(id: str, at: datetime) -> Record:
    """A record that uses every field."""
    return Record(
        id=id,
        at=at,
        protocol="openai-chat",
        client="editor",
        project="p",
        session="s",
        model="local",
        streamed=True,
        outcome="answered",
        egress="none",
        took_ms=1.5,
        waited_ms=0.25,
        messages=2,
        prompt_chars=3,
        answer_chars=4,
        decision=Decision("model-local", "single", ("local/play",)),
        attempts=(Attempt("local", "play", "answered", 1.0, 0.5, 6, 7, "stop", None, "scripted", "CPU"),),
        ledger=Ledger(1, 6, 7, 0.0),
        ignored=("user",),
        error=None,
    )


def numbered(number: int) -> str:
    """A record id that tells its number."""
    return f"{number:016x}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "records.db"


@pytest.fixture
def store(path: Path, clock: HeldClock) -> Iterator[Store]:
    store = Store(path, clock)
    yield store
    store.close()


async def fill(store: Store, clock: HeldClock, *ids: str) -> None:
    """Records with these ids, a second apart."""
    for id in ids:
        store.write(record(id, clock.now()))
        clock.advance(1)
    await store.flush()


async def ids(store: Store) -> list[str]:
    return [found.id for found in await store.list()]


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():
            await asyncio.sleep(0.005)


def sql(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """Run statements from outside, return the rows of the last."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        rows: list[tuple[object, ...]] = []
        for statement in statements:
            rows = db.execute(statement).fetchall()
        return rows


# ---- written and read -----------------------------------------------------------------------------------------------


async def test_a_record_comes_back_as_it_was(store: Store, clock: HeldClock) -> None:
    """Every field of a record, and its words if they were given, survive the file."""
    plain, worded = record(numbered(1), clock.now()), record(numbered(2), clock.now())
    store.write(plain)
    store.write(worded, WORDS)
    await store.flush()

    assert await store.find(numbered(1)) == RecordDetail(plain, None)
    assert await store.find(numbered(2)) == RecordDetail(worded, WORDS)


async def test_closing_writes_what_is_queued(path: Path, clock: HeldClock) -> None:
    """A record that was queued a moment before the stop is in the file that is opened next."""
    first = Store(path, clock)
    for number in range(100):
        first.write(record(numbered(number), clock.now()))
    first.close()

    second = Store(path, clock)
    assert await second.count() == 100
    second.close()


async def test_the_same_record_twice_is_one(store: Store, clock: HeldClock) -> None:
    """A record that is written again replaces the first."""
    store.write(record(numbered(1), clock.now()), WORDS)
    store.write(record(numbered(1), clock.now()), WORDS)
    await store.flush()

    assert await store.count() == 1
    assert (await store.find(numbered(1))).content == WORDS


async def test_a_record_that_goes_on_keeps_what_hangs_on_it(store: Store, clock: HeldClock) -> None:
    """Its words and its client's answer stay when it is written again without them, in one batch or in two."""
    for id, together in ((numbered(1), True), (numbered(2), False)):
        store.write(record(id, clock.now()), WORDS)
        store.write_answer(id, b"answer")
        if not together:
            await store.flush()
        store.write(msgspec.structs.replace(record(id, clock.now()), notes=("again",)))

        found = await store.find(id)
        assert (found.record.notes, found.content) == (("again",), WORDS)
        assert await store.answer(id) == b"answer"


async def test_newest_first(store: Store, clock: HeldClock) -> None:
    """The list begins with what came last, whatever the order of the ids."""
    await fill(store, clock, numbered(2), numbered(3), numbered(1))

    assert await ids(store) == [numbered(1), numbered(3), numbered(2)]


async def test_since_and_limit(store: Store, clock: HeldClock) -> None:
    """`since` is inclusive, and `limit` cuts off the oldest."""
    began = clock.now()
    await fill(store, clock, *map(numbered, range(5)))

    since = await store.list(since=began + timedelta(seconds=3))
    limited = await store.list(limit=2)

    assert [found.id for found in since] == [numbered(4), numbered(3)]
    assert [found.id for found in limited] == [numbered(4), numbered(3)]


# ---- found by a prefix ----------------------------------------------------------------------------------------------


@pytest.fixture
async def three(store: Store, clock: HeldClock) -> Store:
    await fill(store, clock, "ab00000000000000", "ab10000000000000", "ff00000000000000")
    return store


@pytest.mark.parametrize("prefix", ["f", "ff", "ff00000000000000"])
async def test_a_unique_prefix_finds_its_record(three: Store, prefix: str) -> None:
    """As much of an id as makes it unique is enough; `f`, the last letter, too."""
    assert (await three.find(prefix)).record.id == "ff00000000000000"


async def test_an_ambiguous_prefix_is_told_apart_from_a_missing_one(three: Store) -> None:
    """Several records and no record are two different answers."""
    with pytest.raises(NotFound, match="several records start with ab"):
        await three.find("ab")
    with pytest.raises(NotFound, match="no record starts with ac"):
        await three.find("ac")


async def test_an_exact_id_is_found_though_others_begin_with_it(store: Store, clock: HeldClock) -> None:
    """An id given whole is not ambiguous, even where a longer id begins with it."""
    await fill(store, clock, "abcd", "abcde")

    assert (await store.find("abcd")).record.id == "abcd"


@pytest.mark.parametrize("prefix", ["", "g", "AB", "ab%", "ab_", "a b", "ab\n", "'", "ä", "٣"])
async def test_what_is_no_id_is_not_looked_for(three: Store, prefix: str) -> None:
    """Anything but lower-case hex finds nothing, wildcards included, and the error doesn't repeat it."""
    with pytest.raises(NotFound, match="a record id is up to 16 of 0-9 and a-f"):
        await three.find(prefix)


# ---- forgotten ------------------------------------------------------------------------------------------------------


async def test_purge_deletes_what_is_older(store: Store, clock: HeldClock) -> None:
    """Records from before the span go, with their words, and their number is told."""
    store.write(record(numbered(1), clock.now()), WORDS)
    clock.advance(10)
    store.write(record(numbered(2), clock.now()), WORDS)
    await store.flush()

    assert await store.purge(timedelta(seconds=5)) == 1
    assert await ids(store) == [numbered(2)]
    assert (await store.find(numbered(2))).content == WORDS


async def test_purged_words_are_nowhere_in_the_files(store: Store, path: Path, clock: HeldClock) -> None:
    """After a purge the old words can't be read from any byte of the folder, though their neighbours are kept."""
    dice = random.Random(7)
    ids = [f"{dice.getrandbits(64):016x}" for _ in range(200)]
    for place, id in enumerate(ids):
        old = place % 2 == 0
        at = clock.now() - timedelta(days=9 if old else 0)
        store.write(record(id, at), Content([], f"{'canary' if old else 'keeper'}-{id}" * dice.randrange(1, 40)))
        if place % 10 == 0:
            await store.flush()
    await store.flush()

    assert await store.purge(timedelta(days=1)) == 100

    left = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert left.count(b"keeper-") >= 100
    assert left.count(b"canary-") == 0


async def test_keep_purges_at_once_and_again(store: Store, clock: HeldClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Retention deletes what is too old at the start and every interval after it, and leaves the rest."""
    monkeypatch.setattr(records, "PURGE_EVERY_S", 0.01)
    await fill(store, clock, numbered(1))
    clock.advance(timedelta(days=31).total_seconds())
    await fill(store, clock, numbered(2))

    async with asyncio.timeout(WAIT_S):
        keeping = asyncio.create_task(store.keep(30))
        while await ids(store) != [numbered(2)]:
            await asyncio.sleep(0.005)
        clock.advance(timedelta(days=31).total_seconds())
        while await store.count():
            await asyncio.sleep(0.005)
        keeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await keeping


# ---- opened ---------------------------------------------------------------------------------------------------------


async def test_a_file_of_version_1_is_brought_up(path: Path, clock: HeldClock) -> None:
    """The file that the first Nearloop wrote opens, becomes the newest version, and keeps its two records."""
    path.parent.mkdir()
    shutil.copyfile(RECORDED, path)
    assert sql(path, "PRAGMA user_version") == [(1,)]

    store = Store(path, clock)
    store.write(record(numbered(3), clock.now()), WORDS)
    await store.flush()

    assert sql(path, "PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert await ids(store) == [numbered(3), "00000000000000b2", "00000000000000a1"]
    old = (await store.find("00000000000000b")).record
    assert (old.client, old.session, old.answer_chars, old.ignored) == ("editor", "s1", 31, ("user",))
    assert old.attempts[0].device == "CPU"
    assert old.pictures == ()
    assert (await store.find(numbered(3))).content == WORDS
    store.close()


def test_migrating_twice_changes_nothing(path: Path) -> None:
    """A file of the newest version is left as it is."""
    path.parent.mkdir()
    migrate(path)
    before = sql(path, "SELECT sql FROM sqlite_master ORDER BY name")

    migrate(path)

    assert sql(path, "SELECT sql FROM sqlite_master ORDER BY name") == before
    assert sql(path, "PRAGMA user_version") == [(len(MIGRATIONS),)]


def test_a_failing_migration_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """A step that fails half-way is undone whole, with its version; the steps before it stay."""

    def half(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE half (id)")
        db.execute("INSERT INTO nowhere VALUES (1)")

    path = tmp_path / "records.db"
    with pytest.raises(StoreError, match="no such table: nowhere"):
        migrate(path, (MIGRATIONS[0], half))

    assert sql(path, "PRAGMA user_version") == [(1,)]
    assert sql(path, "SELECT name FROM sqlite_master WHERE type = 'table'") == [("records",)]
    migrate(path)
    assert sql(path, "PRAGMA user_version") == [(len(MIGRATIONS),)]


def test_a_newer_file_is_refused(path: Path, clock: HeldClock) -> None:
    """A file of a newer Nearloop is not touched, and the message says what to do."""
    path.parent.mkdir()
    sql(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")

    with pytest.raises(StoreError, match=r"newer Nearloop .* upgrade Nearloop"):
        Store(path, clock)

    assert sql(path, "PRAGMA user_version") == [(len(MIGRATIONS) + 1,)]


def test_a_file_that_is_no_database_is_refused(path: Path, clock: HeldClock) -> None:
    """Somebody else's file is named and left as it is."""
    path.parent.mkdir()
    path.write_bytes(b"not a database at all" * 100)

    with pytest.raises(StoreError, match=r"records\.db can't be used as a record file"):
        Store(path, clock)

    assert path.read_bytes() == b"not a database at all" * 100


def test_a_folder_in_the_files_place_is_refused(path: Path, clock: HeldClock) -> None:
    """A path that can't be opened as a file is told like a damaged one."""
    path.mkdir(parents=True)

    with pytest.raises(StoreError, match="can't be used as a record file"):
        Store(path, clock)


async def test_damage_that_shows_while_reading_is_a_store_error(store: Store, path: Path, clock: HeldClock) -> None:
    """Where the damage lies deeper than the first page, every way of reading says that the record file is at fault."""
    await fill(store, clock, *map(numbered, range(200)))
    sql(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096)  # all pages but the first, which holds the header and the schema
        file.write(b"\xa5" * (path.stat().st_size - 4096))

    for read in (lambda: store.find(numbered(1)), store.list, store.count):
        with pytest.raises(StoreError):
            await read()


# ---- a disk that refuses --------------------------------------------------------------------------------------------

REFUSE = "CREATE TRIGGER refuse BEFORE INSERT ON records BEGIN SELECT RAISE({}, 'disk is full'); END"


@pytest.mark.parametrize("how", ["ABORT", "ROLLBACK"])
async def test_what_could_not_be_written_is_written_later(store: Store, path: Path, clock: HeldClock, how: str) -> None:
    """While the disk refuses, its reason is told; once it is fine nothing is missing and nothing is said.

    ROLLBACK ends the transaction as SQLite itself does when the disk is full.
    """
    await fill(store, clock, numbered(1))
    sql(path, REFUSE.format(how))
    await fill(store, clock, numbered(2), numbered(3))
    assert store.failure == "disk is full"
    assert await store.count() == 1

    sql(path, "DROP TRIGGER refuse")
    await fill(store, clock, numbered(4))

    assert store.failure is None
    assert store.dropped == 0
    assert await ids(store) == [numbered(4), numbered(3), numbered(2), numbered(1)]


async def test_a_refused_record_is_tried_again_without_a_new_one(
    path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer looks again by itself, so the last record before a quiet night is not kept in memory until morning."""
    monkeypatch.setattr(records, "RETRY_S", 0.02)
    store = Store(path, clock)
    sql(path, REFUSE.format("ABORT"))
    store.write(record(numbered(1), clock.now()))
    await eventually(lambda: store.failure is not None)

    sql(path, "DROP TRIGGER refuse")

    await eventually(lambda: store.failure is None)
    assert await ids(store) == [numbered(1)]
    store.close()


async def test_what_memory_can_not_hold_is_counted(
    path: Path, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the backlog the oldest records are dropped, and it is known how many."""
    monkeypatch.setattr(records, "BACKLOG", 3)
    store = Store(path, clock)
    sql(path, REFUSE.format("ABORT"))

    await fill(store, clock, *map(numbered, range(5)))
    assert store.dropped == 2
    sql(path, "DROP TRIGGER refuse")
    await store.flush()

    assert await ids(store) == [numbered(4), numbered(3), numbered(2)]
    assert store.dropped == 2
    store.close()


FULL_DISK = """
import asyncio, resource, sys
from datetime import UTC, datetime
from pathlib import Path
from daemon.clock import SystemClock
from daemon.records import Store
from tests.daemon.test_records import numbered, record

async def main(path):
    store = Store(path, SystemClock())
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
    written = 0
    while store.failure is None:
        written += 1
        store.write(record(numbered(written), datetime.now(UTC)))
        await store.flush()
    failure = store.failure
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    await store.flush()
    print(failure, store.failure, store.dropped, written == await store.count() > 10, sep="|")
    store.close()

asyncio.run(main(Path(sys.argv[1])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="RLIMIT_FSIZE is Unix's")
def test_a_file_that_may_not_grow(path: Path) -> None:
    """When the system itself refuses to let the file grow, its reason is told, and later everything is written."""
    child = subprocess.run([sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, timeout=60)

    assert child.returncode == 0, child.stderr
    failure, *rest = child.stdout.strip().split("|")
    assert rest == ["None", "0", "True"]
    assert "rollback" not in failure
    assert failure in ("disk I/O error", "database or disk is full")


WRITING = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from daemon.clock import SystemClock
from daemon.records import Store
from tests.daemon.test_records import WORDS, numbered, record

async def main(path):
    store = Store(path, SystemClock())
    number = 0
    while True:
        for _ in range(7):
            store.write(record(numbered(number), datetime.now(UTC)), WORDS)
            number += 1
        await store.flush()
        print(number, flush=True)

asyncio.run(main(Path(sys.argv[1])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is Unix's")
async def test_kill_9_loses_no_committed_record(path: Path, clock: HeldClock) -> None:
    """A process killed in the midst of writing leaves a sound file with everything that was committed, in order."""
    command = [sys.executable, "-c", WRITING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        committed = [int(child.stdout.readline()) for _ in range(20)][-1]
        child.kill()
        committed = max([committed, *map(int, child.stdout.read().split("\n")[:-1])])
    assert child.returncode == -signal.SIGKILL

    store = Store(path, clock)
    count = await store.count()
    kept = {found.id for found in await store.list(limit=count)}
    store.close()

    assert committed <= count <= committed + 7
    assert kept == set(map(numbered, range(count)))
    assert sql(path, "PRAGMA integrity_check") == [("ok",)]
    assert sql(path, "SELECT count(*) FROM contents") == [(count,)]


async def test_words_that_were_kept_are_read_beside_a_writer(path: Path, store: Store, clock: HeldClock) -> None:
    """Oldest first, and none of a record that has none; a file that isn't there isn't made."""
    for number, content in enumerate((WORDS, None, WORDS)):
        store.write(record(numbered(number), clock.now() - timedelta(hours=number)), content)
    await store.flush()

    kept = list(records.read_kept(path))
    assert [each.id for each, _ in kept] == [numbered(2), numbered(0)]
    assert {content.answer for _, content in kept} == {"canary-answer"}
    assert list(records.read_kept(path.with_name("none.db"))) == []
    assert not path.with_name("none.db").exists()


def test_a_file_from_before_words_could_be_kept_holds_none(tmp_path: Path) -> None:
    """It is brought to the newest form first."""
    shutil.copyfile(RECORDED, tmp_path / "old.db")
    assert list(records.read_kept(tmp_path / "old.db")) == []


async def test_what_each_client_took_since(tmp_path: Path) -> None:
    """Requests, tokens (those of cut calls too) and money, by client; what was refused for being too much is no request, and
    what can't be read is left out.
    """
    clock = HeldClock()
    now = clock.now()

    def ran(number: int, **changes: object) -> Record:
        return msgspec.structs.replace(record(numbered(number), now), **changes)

    store = Store(tmp_path / "records.db", clock)
    try:
        store.write(ran(1, at=now - timedelta(hours=1)))
        store.write(ran(2, ledger=Ledger(2, 10, 5, 0.25, unpriced=1, reckoned=100)))
        store.write(ran(3, ledger=Ledger(1, 1, 1, 0.5)))
        store.write(ran(4, outcome="refused", error="DailyLimit", decision=None, ledger=Ledger()))
        store.write(ran(5, outcome="refused", error="DailyLimit", ledger=Ledger()))
        store.write(ran(6, client=None))
        await store.flush()
        with closing(sqlite3.connect(tmp_path / "records.db")) as db, db:
            for number, body in enumerate((b"{", b'{"ledger": 3}', b"\xff")):
                db.execute("INSERT INTO records VALUES (?, ?, ?)", (f"broken{number}", now.timestamp(), body))

        assert await store.taken(now) == {"editor": Taken(3, 117, 0.75, 1), None: Taken(1, 13, 0.0)}
    finally:
        store.close()
