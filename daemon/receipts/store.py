"""The receipts of one process: written down before anything leaves, and completed when it ended.

Theory of operation. One thread owns the appending, so that no disk is waited for on the event loop. `witness` puts a
crossing in its queue and waits until the chain has it, on the disk if it goes off this machine; the thread takes all that is
queued and has the disk waited for once. How a crossing ended is queued and not waited for: a process that is killed leaves a
crossing without an end, and no crossing without a receipt. If the chain can't be written, or takes longer than PATIENCE_S,
NotWitnessed is raised and nothing is sent: nothing leaves without a receipt. Ends that the disk refuses are kept and
tried again.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from daemon.clock import Clock, SystemClock
from daemon.errors import Refused, StoreError
from daemon.receipts.appending import Appender
from daemon.receipts.folding import with_end
from daemon.receipts.issuers import Issuers
from daemon.receipts.links import Crossed, Ended, Link, Started, Stopped
from daemon.wire import CrossingOutcome, PricedBy, Receipt, Tls, Warning
from providers.cleared import Crossing, Place, Returned, Witness
from providers.cleared import Ended as EndedCallback
from providers.contract import NotWitnessed

PATIENCE_S: Final = 10.0
RETRY_S: Final = 5.0
BACKLOG: Final = 10_000
PRUNE_EVERY_S: Final = 3600.0


class Cost(Struct, frozen=True):
    """Of an answer. priced_by, prices_as_of: as `wire.Receipt` has them."""

    usd: float
    priced_by: PricedBy
    prices_as_of: str | None = None


class About(Struct, frozen=True):
    """What a crossing was for, as its socket can't know."""

    model: str | None = None
    record: str | None = None
    masks: Mapping[str, int] = {}
    rule: str | None = None
    policy: str | None = None
    reduced: str | None = None
    cost: Callable[[], Cost | None] = lambda: None
    """Asked at its end."""


class _Ticket:
    """A link on its way into the chain. done: set on the event loop. number: once it is there."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.done: asyncio.Future[Link] = loop.create_future()
        self.number: int | None = None  # the writing thread's
        self._loop = loop

    def written(self, link: Link) -> None:
        """It is in the chain. Called by the writing thread."""
        self.number = link.number
        self._tell(lambda: self.done.set_result(link))

    def refused(self, error: Exception) -> None:
        """It is not. Called by the writing thread."""
        self._tell(lambda: self.done.set_exception(error))

    def _tell(self, word: Callable[[], None]) -> None:
        def told() -> None:
            if not self.done.done():
                word()

        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(told)


class _Job(Struct, frozen=True, eq=False):
    """Something to write. ticket: told of it. of: what it is the end of, whose number it has to name."""

    link: Link
    durable: bool
    ticket: _Ticket | None = None
    of: _Ticket | None = None


class _Mark(Struct, frozen=True):
    """Asks to be told when all before it was tried. last: the thread ends."""

    tried: threading.Event
    last: bool = False


class Receipts:
    """The chain, from one process. by: what the process is called in it. Close it at the end."""

    def __init__(self, folder: Path, clock: Clock, by: str, told: Callable[[Receipt], None] = lambda _: None) -> None:
        """told: called on the event loop with each receipt when it is written, and again when it is complete."""
        self.folder = folder
        self._clock = clock
        self._by = by
        self._told = told
        self.failure: str | None = None
        """Why the chain could not be written last, None while all is well."""
        self._appender = Appender(folder, clock)
        self._issuers = Issuers()
        self._queue: queue.SimpleQueue[_Job | _Mark] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._start: _Ticket | None = None

    # -- what leaves

    def witness(self, about: About = About(), seen: Callable[[Receipt], None] = lambda _: None) -> Witness:  # noqa: B008  # frozen
        """Writes down a crossing that is for this. seen: called with its receipt, and again when it is complete."""

        async def leaving(crossing: Crossing) -> EndedCallback:
            ticket = _Ticket(asyncio.get_running_loop())
            link = Crossed(at=self._clock.now(), receipt=self._receipt(crossing, about))
            self._put(_Job(link, crossing.place is not Place.DEVICE, ticket))
            try:
                async with asyncio.timeout(PATIENCE_S):
                    written = await asyncio.shield(ticket.done)
            except BaseException as error:
                ticket.done.cancel()
                self._end(ticket, "unsent")
                if isinstance(error, TimeoutError):
                    raise NotWitnessed(_refusal(f"the disk does not answer for {PATIENCE_S:g} s")) from error
                raise
            assert isinstance(written, Crossed)
            receipt = written.receipt
            seen(receipt)
            self._told(receipt)

            def ended(returned: Returned) -> None:
                end = self._end(ticket, _outcome(returned), returned, about.cost())
                complete = with_end(receipt, end)
                seen(complete)
                self._told(complete)

            return ended

        return leaving

    def _receipt(self, crossing: Crossing, about: About) -> Receipt:
        tls = crossing.tls
        return Receipt(
            at=self._clock.now(),
            provider=crossing.provider,
            model=about.model,
            host=crossing.host,
            place=crossing.place.value,
            body_bytes=crossing.body_bytes,
            sha256=crossing.sha256,
            masks=dict(about.masks),
            purpose=crossing.purpose,
            by=self._by,
            record=about.record,
            path=crossing.path,
            via=crossing.via,
            tls=Tls(tls.version, tls.issuer, tls.issuer_name, tls.root) if tls else None,
            rule=about.rule,
            policy=about.policy,
            reduced=about.reduced,
            credential=crossing.key,
        )

    def _end(
        self, ticket: _Ticket, outcome: CrossingOutcome, returned: Returned | None = None, cost: Cost | None = None
    ) -> Ended:
        end = Ended(
            at=self._clock.now(),
            of=0,
            outcome=outcome,
            status=returned.status if returned else None,
            answer_bytes=returned.answer_bytes if returned else None,
            cost_usd=cost.usd if cost else None,
            priced_by=cost.priced_by if cost else None,
            prices_as_of=cost.prices_as_of if cost else None,
        )
        self._put(_Job(end, False, of=ticket))
        return end

    # -- the daemon's times

    def started(self, version: str, pid: int) -> None:
        """Write down that the daemon began."""
        self._start = _Ticket(asyncio.get_running_loop())
        self._put(_Job(Started(at=self._clock.now(), version=version, pid=pid), False, self._start))

    def stopped(self) -> None:
        """Write down that it ends."""
        if self._start is not None:
            self._put(_Job(Stopped(at=self._clock.now(), of=0), True, of=self._start))

    # -- looking and forgetting

    def warnings(self) -> tuple[Warning, ...]:
        """What the user should know now."""
        found = list(self._issuers.warnings(self._clock.now()))
        if self.failure is not None:
            text = f"receipts can't be written, so nothing leaves this machine: {self.failure}"
            remedy = f"free disk space, or check the permissions of {self.folder}"
            found.insert(0, Warning("receipts-unwritable", "error", text, remedy))
        return tuple(found)

    async def flush(self) -> None:
        """Wait until everything so far was tried."""
        if self._thread is not None:
            mark = _Mark(threading.Event())
            self._queue.put(mark)
            await asyncio.to_thread(mark.tried.wait)

    async def prune(self, older_than: timedelta) -> int:
        """Delete what is older, in whole days; returns how many links went. Raises StoreError."""
        return await asyncio.to_thread(prune, self.folder, self._clock, older_than)

    async def keep(self, keep_days: int) -> None:
        """Delete what is older than so many days, now and every hour, until cancelled."""
        while True:
            with suppress(StoreError):  # the next crossing says so if nothing can be written
                await self.prune(timedelta(days=keep_days))
            await asyncio.sleep(PRUNE_EVERY_S)

    def close(self) -> None:
        """Write what is queued, and end the thread."""
        if self._thread is not None:
            self._queue.put(_Mark(threading.Event(), last=True))
            self._thread.join(timeout=PATIENCE_S)
            self._thread = None

    # -- the writing thread

    def _put(self, job: _Job) -> None:
        self._queue.put(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="receipts", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        self._issuers.remember(self.folder)
        kept: deque[_Job] = deque(maxlen=BACKLOG)
        ending = False
        while not ending:
            jobs, marks = self._collect(bool(kept))
            jobs = [*kept, *jobs]
            kept.clear()
            if jobs:
                kept.extend(self._written(jobs))
            for mark in marks:
                mark.tried.set()
                ending |= mark.last
        self._appender.close()

    def _collect(self, again: bool) -> tuple[list[_Job], list[_Mark]]:
        """Wait for something, take all there is. again: there is something to try again soon."""
        jobs: list[_Job] = []
        marks: list[_Mark] = []
        with suppress(queue.Empty):
            item = self._queue.get(timeout=RETRY_S if again else None)
            while True:
                if isinstance(item, _Mark):
                    marks.append(item)
                    if item.last:
                        break
                else:
                    jobs.append(item)
                item = self._queue.get_nowait()
        return jobs, marks

    def _written(self, jobs: list[_Job]) -> list[_Job]:
        """Append them. Returns those to try again: crossings are not among them, for they were refused."""
        early = [
            job for job in jobs if job.of is not None and job.of.number is None
        ]  # their beginnings are in this batch
        tried = [job for job in jobs if job not in early]
        kept = self._append(tried) if tried else []
        known = [job for job in early if job.of is not None and job.of.number is not None]
        return kept + (self._append(known) if known else [])

    def _append(self, jobs: list[_Job]) -> list[_Job]:
        """Append them in one piece. Returns those to try again."""
        links = [replace(job.link, of=job.of.number) if job.of else job.link for job in jobs]
        try:
            links = self._appender.append(links, any(job.durable for job in jobs))
        except (OSError, Refused) as error:
            self.failure = (error.strerror if isinstance(error, OSError) else None) or str(error)
            refusal = NotWitnessed(_refusal(self.failure))
            for job in jobs:
                if job.ticket and isinstance(job.link, Crossed):
                    job.ticket.refused(refusal)
            return [job for job in jobs if not isinstance(job.link, Crossed)]
        self.failure = None
        for job, link in zip(jobs, links, strict=True):
            if isinstance(link, Crossed):
                self._issuers.see([link.receipt])
            if job.ticket:
                job.ticket.written(link)
        return []


@contextmanager
def of_command(folder: Path, name: str) -> Iterator[Receipts]:
    """The receipts of a command that runs without a daemon, or beside one. name: `nearloop NAME`."""
    receipts = Receipts(folder, SystemClock(), name)
    try:
        yield receipts
    finally:
        receipts.close()


def prune(folder: Path, clock: Clock, older_than: timedelta) -> int:
    """Delete what is older, in whole days; returns how many links went. Raises StoreError."""
    now = clock.now()
    try:
        before = (now - older_than).date() + (timedelta(days=1) if not older_than else timedelta())
    except OverflowError:
        return 0
    appender = Appender(folder, clock)
    try:
        return appender.prune(before)
    except (OSError, Refused) as error:
        raise StoreError(f"receipts can't be deleted: {error}") from error
    finally:
        appender.close()


def _refusal(why: str) -> str:
    return (
        f"nothing was sent, since no receipt of it can be written ({why}): free disk space; `nearloop doctor` says more"
    )


def _outcome(returned: Returned) -> CrossingOutcome:
    if returned.status is None:
        return "silent"
    return "answered" if returned.whole else "cut"
