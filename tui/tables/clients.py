"""Programs as rows: those with a token, and those that can be connected."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from msgspec import Struct
from textual.content import Content

from daemon import wire
from tui.panels.writing import fact, said, wrapped
from tui.tables.limits import standing, told
from tui.tables.sums import apart, cost, costs
from tui.tones import Tone, Toned
from tui.words import clock, counted, share

SHELL: Final = "env"
"""Not a program, but variables for a shell."""
NOTHING: Final = Toned("–", "muted")
SCOPES: Final[dict[str, str]] = {
    "infer:local": "ask models of this machine",
    "infer:cloud": "ask providers, as the privacy policy lets it",
    "read:records": "see records and receipts, without the words",
    "admin": "change everything, as this dashboard can",
}
"""What a token may be used for."""
USUAL: Final = ("infer:local", "infer:cloud")


class Use(Struct):
    """What a client asked, of what the dashboard has heard of, and what that cost today, in the daemon's sums."""

    requests: int = 0
    stayed: int = 0
    today: wire.Sums = wire.Sums("")
    last_at: datetime | None = None


def uses(records: Iterable[wire.Record]) -> dict[str | None, Use]:
    """By client's name, of records in the order of their end."""
    found: dict[str | None, Use] = {}
    for record in records:
        use = found.setdefault(record.client, Use())
        use.requests += 1
        use.stayed += record.egress == "none"
        use.last_at = record.at
    return found


class Entry(Struct, frozen=True):
    """A program: its token's rights, if it has one, and how it is connected, if that is known."""

    key: str
    client: wire.ClientInfo | None = None
    program: wire.Connectable | None = None


def entries(clients: Iterable[wire.ClientInfo], programs: Iterable[wire.Connectable]) -> list[Entry]:
    """Those with a token first, then what can be connected."""
    known = list(programs)
    by_token = {each.token: each for each in known if each.token}
    held = [Entry(f"client {each.name}", each, by_token.get(each.name)) for each in clients]
    connected = {each.program.name for each in held if each.program}
    return [*held, *(Entry(f"program {each.name}", None, each) for each in known if each.name not in connected)]


def row(entry: Entry, use: Use) -> tuple[Toned, ...]:
    """As a row of the table."""
    if entry.client is None:
        assert entry.program
        return (
            Toned("·", "muted"), Toned(entry.program.name, "muted"), Toned("not connected", "muted"),
            Toned(command(entry), "muted"), NOTHING, NOTHING, NOTHING, NOTHING, NOTHING,
        )  # fmt: skip
    return (
        Toned("●", "good") if use.requests else Toned("○", "muted"),
        Toned(entry.client.name),
        Toned("connected", "good") if entry.program else Toned("has a token", "plain"),
        _scopes(entry.client),
        Toned(str(use.requests)) if use.requests else NOTHING,
        Toned(share(use.stayed, use.requests), "good") if use.requests else NOTHING,
        costs(use.today) if use.today.calls else NOTHING,
        Toned(clock(use.last_at), "muted") if use.last_at else NOTHING,
        standing(entry.client),
    )


def _scopes(client: wire.ClientInfo) -> Toned:
    return Toned(", ".join(client.scopes), "warn" if "admin" in client.scopes else "plain")


def command(entry: Entry) -> str:
    """What connects it, or takes that back."""
    if entry.program is None:
        return f"nearloop client revoke {entry.client.name if entry.client else ''}"
    undo = " --undo" if entry.client else ""
    return f"nearloop connect {entry.program.name}{undo}"


def planned(plan: wire.ConnectPlan, width: int) -> list[Content]:
    """What connecting a program would change."""
    lines: list[Content] = []
    for file in plan.files:
        lines.append(said(Toned(file.path, "strong"), Toned("  will be made" if file.made else "", "muted")))
        lines += [
            said(Toned(line, _DIFF.get(line[:1], "muted"))) for line in file.diff[2:]
        ]  # not the file's name again
        lines.append(said(""))
    if plan.makes_token:
        lines += wrapped(f"A token named {plan.token} will be made for it.", width, tone="plain")
    if plan.steps:
        lines += wrapped(f"{plan.title} keeps this where only you can put it:", width, tone="plain")
        lines += [line for step in plan.steps for line in wrapped(step, width, "  ")]
    for note in plan.notes:
        lines += wrapped(note, width, tone="warn")
    return lines


def connected(done: wire.ConnectDone, width: int) -> list[Content]:
    """What was done, and what is left to do."""
    lines = [line for path in done.files for line in fact("changed", path, width)]
    for warning in done.warnings:
        lines += wrapped(warning, width, tone="warn")
    if done.steps:
        lines += [said(""), *wrapped(f"{done.title} keeps this where only you can put it:", width, tone="plain")]
        lines += [line for step in done.steps for line in wrapped(step, width, "  ", "accent")]
    for note in done.notes:
        lines += [said(""), *wrapped(note, width, tone="plain")]
    return lines


_DIFF: Final[dict[str, Tone]] = {"+": "good", "-": "bad", "@": "accent"}


def detail(entry: Entry | None, use: Use, url: str, width: int) -> list[Content]:
    """All that is known of it, for so many cells. url: where programs ask."""
    if entry is None:
        return [said(Toned("asking which programs there are …", "muted"))]
    if entry.client is None:
        assert entry.program
        lines = [said(Toned(entry.program.title, "strong"), "  ", Toned("not connected", "muted"))]
        if entry.program.name == SHELL:
            lines += wrapped("This prints the variables that most other programs read:", width)
        else:
            about = "c shows what would change in its settings, asks, and keeps what was there; so does, in a terminal:"
            lines += wrapped(about, width)
        lines.append(said("  ", Toned(command(entry), "accent")))
        return [*lines, *wrapped("y copies it.", width)]
    lines = [said(Toned(entry.client.name, "strong"), "  ", Toned("has a token", "good"))]
    for name in entry.client.scopes:
        lines += fact("may", f"{SCOPES.get(name, name)} ({name})", width, "warn" if name == "admin" else "plain")
    lines += told(entry.client, width)
    if use.today.calls:
        lines += fact("cost today", f"{cost(use.today)} ({apart(use.today)})", width)
    lines += fact("asks at", (entry.program.url if entry.program else None) or url, width)
    if entry.program:
        lines += fact(
            "program", f"{entry.program.title}, connected by `{command(entry).removesuffix(' --undo')}`", width
        )
        lines += fact("undo", f"u, or `{command(entry)}`", width, "accent")
    if use.last_at is not None:
        what = f"{counted(use.requests, 'request')}, {share(use.stayed, use.requests)} stayed here"
        lines += fact("of late", f"{what}, the last at {clock(use.last_at)}", width)
    else:
        lines += fact("of late", "nothing was asked", width, "muted")
    return lines
