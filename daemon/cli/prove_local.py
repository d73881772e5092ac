"""`nearloop prove-local`: what left this machine since a time, and from what evidence. It needs no daemon."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Final

import click
import msgspec

from daemon import wire
from daemon.ages import moment
from daemon.cli.terminal import row
from daemon.client import NotRunning, discover
from daemon.clock import SystemClock
from daemon.paths import paths
from daemon.receipts.checking import check
from daemon.receipts.files import links
from daemon.receipts.proof import prove
from daemon.records import read_receipts

EXIT_NOT_PROVEN: Final = 1
EXIT_LEFT: Final = 5
_PURPOSES: Final = {
    "request": ("request", "requests"),
    "models": ("question for a list of models", "questions for a list of models"),
    "download": ("download", "downloads"),
    "picture": ("picture that a request named", "pictures that requests named"),
}


@click.command(name="prove-local")
@click.option("--since", metavar="WHEN", required=True, help="An age such as 7d, or a date such as 2026-11-30.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def prove_local(since: str, as_json: bool) -> None:
    """Say what left this machine since WHEN, and from what evidence.

    Exit status 0: nothing left. 5: something did. 1: the evidence does not cover that time.
    """
    here, now = paths(), SystemClock().now()
    start = moment(since, now, "--since")
    chain = check(here.receipts)
    proof = prove(start, now, chain, links(here.receipts), read_receipts(here.records, start), _running())
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(proof)).decode())
    else:
        for line in told(proof):
            row(line)
    if proof.verdict != "nothing-left":
        sys.exit(EXIT_LEFT if proof.verdict == "left" else EXIT_NOT_PROVEN)


def _running() -> int | None:
    """The process of the daemon that runs, None if there is none."""
    import psutil

    try:
        pid = discover(paths()).pid
    except NotRunning:
        return None
    return pid if psutil.pid_exists(pid) else None


def told(proof: wire.LocalProof) -> list[str]:
    """A proof as lines."""
    when = f"{proof.since.astimezone():%Y-%m-%d %H:%M:%S}"
    lines = [
        {
            "nothing-left": f"Since {when} nothing left this machine through Nearloop.",
            "left": f"Since {when} this left this machine through Nearloop:",
            "not-proven": f"That nothing left this machine through Nearloop since {when} is not proven:",
        }[proof.verdict]
    ]
    lines += [_counted(each) for each in proof.left]
    lines += [f"  gap: {gap}" for gap in proof.gaps]
    if proof.near:
        lines += ["To servers on this machine, which counts as staying here:", *map(_counted, proof.near)]
    lines.append("Evidence:")
    chain = proof.chain
    if chain.first is not None and chain.begins and chain.ends:
        state = "an unbroken chain" if chain.whole else "a BROKEN chain"
        lines += [
            f"  receipts {chain.first} to {chain.last}, {state} from {_at(chain.begins)} to {_at(chain.ends)}",
            f"  its head: {chain.head}",
        ]
    lines += [f"  note: {remark}" for remark in chain.remarks]
    lines += [f"  the daemon ({run.version}) ran from {_at(run.started_at)} {_end(run)}" for run in proof.runs]
    if not proof.runs:
        lines.append("  the daemon did not run in that time, by what it wrote")
    if proof.records_agree:
        lines.append(f"  {proof.records_agree} receipts stand in the records of that time as well, and agree")
    lines += ["This covers:", *(f"  - {each}" for each in proof.covers)]
    return [*lines, "It does not cover:", *(f"  - {each}" for each in proof.leaves_out)]


def _counted(each: wire.LeftFor) -> str:
    what = _PURPOSES[each.purpose][each.crossings != 1]
    return f"  {each.crossings} {what} to {each.provider} at {each.host} ({each.place}), {each.body_bytes} bytes"


def _end(run: wire.Run) -> str:
    match run.ended:
        case "stopped":
            return f"to {_at(run.last_sign)}"
        case "runs":
            return "until now"
        case _:
            return f"and ended without a word, at {_at(run.last_sign)} or later; what it sent has receipts all the same"


def _at(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
