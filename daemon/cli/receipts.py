"""`nearloop receipts`: what left this machine, and whether that was written down without a break. It needs no daemon."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon import wire
from daemon.ages import age, moment
from daemon.cli.terminal import row
from daemon.clock import SystemClock
from daemon.errors import BadRequest, NotFound
from daemon.paths import paths
from daemon.receipts.checking import check, check_export
from daemon.receipts.files import links, raw_lines
from daemon.receipts.folding import fold, newest, numbered
from daemon.receipts.issuers import name_of
from daemon.receipts.links import Crossed, Link
from daemon.receipts.store import prune as pruned

_OUTCOMES: Final = {
    "answered": "answered",
    "silent": "no answer began",
    "cut": "the answer was not read to its end",
    "unsent": "nothing was sent after all",
    None: "its end is not written down",
}
_PURPOSES: Final = {
    "request": "a request",
    "models": "a question for the list of models",
    "download": "a download",
    "picture": "a picture that a request named",
}
_RECORD_LETTERS: Final = 16


@click.group()
def receipts() -> None:
    """Show what left this machine, and check that nobody changed it since."""


@receipts.command(name="list")
@click.option("--since", metavar="WHEN", help="Only what is younger: an age such as 12h, or a date.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the control API's answer.")
@click.option("--jsonl", is_flag=True, help="Print a line of JSON for each.")
def list_(since: str | None, limit: int, as_json: bool, jsonl: bool) -> None:
    """List what left, newest first."""
    start = moment(since, SystemClock().now(), "--since") if since else None
    found = newest(paths().receipts, start, limit)
    if as_json:
        _print_json(wire.Receipts(found))
        return
    if jsonl:
        for receipt in found:
            click.echo(msgspec.json.encode(receipt))
        return
    if not found:
        click.echo("no receipts yet" if since is None else "no receipts in that time")
    for receipt in found:
        row(_line(receipt))


def _line(receipt: wire.Receipt) -> str:
    when = receipt.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    who = f"{receipt.provider}/{receipt.model}" if receipt.model else receipt.provider
    masked = f"{sum(receipt.masks.values())} masked" if receipt.purpose == "request" else receipt.purpose
    return (
        f"{receipt.number:6}  {when}  {who:28}  {receipt.host} ({receipt.place}), {receipt.body_bytes} bytes, {masked}, "
        f"{_OUTCOMES[receipt.outcome]}"
    )


@receipts.command()
@click.argument("id")
@click.option("--json", "as_json", is_flag=True, help="Print the control API's answer.")
def show(id: str, as_json: bool) -> None:
    """Show one receipt by its number, or those of the record ID."""
    found = _found(id)
    if as_json:
        _print_json(found[0] if _is_number(id) else wire.Receipts(found))
        return
    for receipt in found:
        for line in explain(receipt):
            row(line)


def _is_number(id: str) -> bool:
    return id.isascii() and id.isdigit() and len(id) < _RECORD_LETTERS


def _found(id: str) -> tuple[wire.Receipt, ...]:
    found: tuple[wire.Receipt, ...]
    if _is_number(id):
        one = numbered(paths().receipts, int(id))
        found = (one,) if one else ()
    else:
        found = tuple(fold(link for link in links(paths().receipts) if _may_be_of(id, link)))
    if not found:
        raise NotFound(f"there is no receipt {id}: `nearloop receipts list` shows those there are")
    if len({each.record for each in found}) > 1:
        raise NotFound(f"several records start with {id}: give more of the id")
    return found


def _may_be_of(record: str, link: Link) -> bool:
    """Whether a link is needed for a record's receipts."""
    return not isinstance(link, Crossed) or (link.receipt.record or "").startswith(record or "-")


def explain(receipt: wire.Receipt) -> list[str]:
    """A receipt as lines."""
    when = receipt.at.astimezone().strftime("%d %B %Y, %H:%M:%S")
    who = f"{receipt.provider}/{receipt.model}" if receipt.model else receipt.provider
    path = f", path {receipt.path}" if receipt.path else ""
    via = f" through the proxy {receipt.via}" if receipt.via else ""
    told = [
        f"Receipt {receipt.number}, {when}: {_PURPOSES[receipt.purpose]} to {who}, by {receipt.by}.",
        f"  went to   {receipt.host} ({receipt.place}){path}{via}",
        f"  TLS       {_tls(receipt.tls)}",
        *([f"  key       {receipt.credential}"] if receipt.credential else ()),
        f"  body      {receipt.body_bytes} bytes, SHA-256 {receipt.sha256}",
    ]
    if receipt.purpose == "request":
        masks = ", ".join(f"{count} {label}" for label, count in sorted(receipt.masks.items())) or "nothing"
        told += [
            f"  masked    {masks}",
            *([f"  reduced   by {receipt.reduced}"] if receipt.reduced else ()),
            f"  rule      {receipt.rule or 'not told'}; policy {receipt.policy or 'not told'}",
            f"  record    {receipt.record}",
            f"  price     {_price(receipt)}",
        ]
    status = f"HTTP {receipt.status}, {receipt.answer_bytes} bytes, " if receipt.status is not None else ""
    return [*told, f"  came back {status}{_OUTCOMES[receipt.outcome]}"]


def _price(receipt: wire.Receipt) -> str:
    if receipt.cost_usd is None:
        return "not known"
    of_list = f", by its maker's list of {receipt.prices_as_of}"
    by = {"recipe": ", by the recipe's price", "list": of_list, None: ""}
    return f"{receipt.cost_usd:.6f} USD{by[receipt.priced_by]}"


def _tls(tls: wire.Tls | None) -> str:
    return "none, it went in clear" if tls is None else f"{tls.version}, certificate signed by {name_of(tls)}"


@receipts.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--head", metavar="SHA256", help="A head that you noted: it has to be in the chain.")
@click.option("--json", "as_json", is_flag=True, help="Print the control API's answer.")
def verify(file: Path | None, head: str | None, as_json: bool) -> None:
    """Check the chain of receipts, or an exported FILE; exit status 1 if it is broken."""
    chain = check_export(file, head) if file else check(paths().receipts, head)
    if as_json:
        _print_json(chain)
    else:
        for line in told_of(chain):
            row(line)
    if not chain.whole:
        sys.exit(1)


def told_of(chain: wire.ReceiptChain) -> list[str]:
    """A chain's state as lines."""
    if not chain.links and chain.whole:
        return ["no receipts yet"]
    lines = [f"BROKEN: {each.text} ({each.file}, line {each.line})" for each in chain.problems]
    if chain.first is not None and chain.begins and chain.ends:
        span = f"{chain.begins.astimezone():%Y-%m-%d %H:%M:%S} to {chain.ends.astimezone():%Y-%m-%d %H:%M:%S}"
        state = "whole" if chain.whole else "not whole"
        lines.append(f"{chain.links} links, {chain.first} to {chain.last}, from {span}: {state}")
    return [*lines, *(f"note: {remark}" for remark in chain.remarks), f"head: {chain.head}"]


@receipts.command()
@click.option("--since", metavar="WHEN", help="Only from then on: an age such as 12h, or a date.")
@click.option(
    "--json", "as_json", is_flag=True, help="All receipts as one JSON value, instead of the chain's own lines."
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, writable=True), help="A file to write.")
@click.option("--jsonl", is_flag=True, help="The chain's own lines, which `verify FILE` checks; that is the default.")
def export(since: str | None, as_json: bool, output: str | None, jsonl: bool) -> None:
    """Write receipts out."""
    if as_json and jsonl:
        raise BadRequest("--json or --jsonl, not both")
    start = moment(since, SystemClock().now(), "--since") if since else None
    with click.open_file(output or "-", "wb") as out:
        if as_json:
            found = newest(paths().receipts, start, sys.maxsize)
            out.write(msgspec.json.encode(wire.Receipts(found)) + b"\n")
            return
        for line in raw_lines(paths().receipts, start):
            out.write(line + b"\n")


@receipts.command()
@click.option("--older-than", metavar="AGE", required=True, help="Keep what is younger, for example 90d.")
@click.confirmation_option("--yes", prompt="Delete these receipts?")
def prune(older_than: str) -> None:
    """Delete old receipts, in whole days; the chain says so and can still be checked."""
    count = pruned(paths().receipts, SystemClock(), age(older_than, "--older-than"))
    click.echo(f"{count} links deleted")


def _print_json(shown: object) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(shown)).decode())
