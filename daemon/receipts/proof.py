"""What left this machine since a time, as far as Nearloop did it: the evidence brought together. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final, Literal

from daemon.receipts.folding import fold
from daemon.receipts.links import Crossed, Link, Started, Stopped
from daemon.wire import LeftFor, LocalProof, Receipt, ReceiptChain, Run

COVERS: Final = (
    "requests that programs asked Nearloop, and everything that its daemon sent for them",
    "Nearloop's commands: provider test, key test, models pull, setup and doctor",
    "its models' processes, as far as this system lets them be kept from the network: `nearloop doctor` says how far",
)
LEAVES_OUT: Final = (
    "what editors, agents and other programs send themselves, past Nearloop",
    "what a server on this machine, or another of the network, does with what it was sent",
    "names of hosts in look-ups and TLS handshakes, and headers: a receipt counts and hashes bodies",
    "the libraries that `nearloop export` and `nearloop train` run, and daemons of another NEARLOOP_HOME",
    "somebody who can write your files: note the head elsewhere, and `nearloop receipts verify --head` looks for it",
)
_MOST_GAPS: Final = 20


def prove(
    since: datetime,
    now: datetime,
    chain: ReceiptChain,
    links: Iterable[Link],
    records: Iterable[tuple[str, Receipt]],
    running_pid: int | None,
) -> LocalProof:
    """Judge the evidence. links: all of the chain, read once. records: what left by the records since then. running_pid: a
    daemon's.
    """
    runs = _Runs()
    receipts = {each.number: each for each in fold(_since(since, runs.watched(links)))}
    gaps = _gaps_of_chain(since, chain)
    agree, older = 0, []
    for record, receipt in records:
        if receipt.number == 0:
            older.append(receipt)  # of a version that had no chain
        elif (known := receipts.get(receipt.number)) and (known.record, known.sha256) == (record, receipt.sha256):
            agree += 1
        elif chain.first is None or receipt.number >= chain.first:
            gaps.append(
                f"record {record} has receipt {receipt.number}, which the chain doesn't have: it was written anew"
            )
    sent = [each for each in receipts.values() if each.outcome != "unsent"] + older
    left = _counted(each for each in sent if each.place != "device")
    return LocalProof(
        since=since,
        until=now,
        verdict="left" if left else "not-proven" if gaps else "nothing-left",
        left=left,
        near=_counted(each for each in sent if each.place == "device"),
        runs=tuple(runs.told(running_pid, since, now)),
        chain=chain,
        records_agree=agree,
        gaps=tuple(gaps[:_MOST_GAPS]),
        covers=COVERS,
        leaves_out=LEAVES_OUT,
    )


def _gaps_of_chain(since: datetime, chain: ReceiptChain) -> list[str]:
    gaps = []
    if chain.problems:
        first = chain.problems[0]
        gaps.append(f"the chain of receipts is broken: {first.text} ({first.file}, line {first.line})")
    if chain.begins is None:
        gaps.append("there are no receipts: no daemon that writes them has run yet, or somebody deleted them")
    elif chain.begins > since:
        gaps.append(f"receipts begin at {chain.begins.astimezone():%Y-%m-%d %H:%M:%S}: nothing is known of before")
    return gaps


def _since(since: datetime, links: Iterable[Link]) -> Iterator[Link]:
    """From the first link of that time on, whatever the clock said later: it may have been set back."""
    begun = False
    for link in links:
        begun = begun or link.at >= since
        if begun:
            yield link


def _counted(receipts: Iterable[Receipt]) -> tuple[LeftFor, ...]:
    found: dict[tuple[str, str, str, str], list[Receipt]] = {}
    for receipt in receipts:
        key = (receipt.provider, receipt.host, receipt.place, receipt.purpose)
        found.setdefault(key, []).append(receipt)
    return tuple(
        LeftFor(*key, crossings=len(each), body_bytes=sum(one.body_bytes for one in each))
        for key, each in found.items()
    )


class _Runs:
    """When the daemon ran, by what it wrote. One that vanished gave its last sign at some time before its end."""

    def __init__(self) -> None:
        self._ended: list[Run] = []
        self._start: Started | None = None
        self._sign: datetime | None = None

    def watched(self, links: Iterable[Link]) -> Iterator[Link]:
        """The same links; what they say of runs is kept."""
        for link in links:
            match link:
                case Started():
                    self._end("vanished", self._sign)
                    self._start, self._sign = link, link.at
                case Stopped() if self._start is not None and link.of == self._start.number:
                    self._end("stopped", link.at)
                case Crossed() if link.receipt.by == "daemon":
                    self._sign = link.at
                case _:
                    pass
            yield link

    def _end(self, how: Literal["stopped", "vanished", "runs"], at: datetime | None) -> None:
        if self._start is not None:
            self._ended.append(Run(self._start.at, self._start.version, how, at or self._start.at))
        self._start = None

    def told(self, running_pid: int | None, since: datetime, now: datetime) -> Iterator[Run]:
        """Those that reach into the time, or may: one that vanished lasted until the next start at most."""
        if self._start is not None and self._start.pid == running_pid:
            self._end("runs", now)
        else:
            self._end("vanished", self._sign)
        nexts = [run.started_at for run in self._ended[1:]] + [now]
        for run, following in zip(self._ended, nexts, strict=False):
            if max(run.last_sign, following if run.ended == "vanished" else run.last_sign) >= since:
                yield run
