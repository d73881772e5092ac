"""The report card on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from daemon.auditing.report import ClassCount, Report
from daemon.auditing.words import counted, dates, money, named, share
from daemon.cli.signals import bar
from daemon.paths import at_home

_MAX_WIDTH: Final = 110
_PROJECTS: Final = 5
_RED: Final = "bold red"
_AMBER: Final = "yellow"
_GREEN: Final = "green"
_DIM: Final = "dim"


def show(report: Report, titles: list[str]) -> None:
    """Print it. titles: of the tools that were looked for."""
    console = Console(highlight=False)
    console.width = min(console.width, _MAX_WIDTH)
    if not report.tools:
        console.print(Text(f"No logs were found of {', '.join(titles)}. `--path` names a file or folder to read."))
        return
    console.print(Panel(Group(*_parts(report)), title=Text("nearloop audit", "bold"), subtitle=_subtitle(report)))
    for line in _notes(report):
        console.print(Text(line, _DIM))


def _subtitle(report: Report) -> Text:
    until = dates(report)
    return Text(f"{until}{'' if report.complete else ', interrupted: a part of the logs'}", _DIM)


def _parts(report: Report) -> Iterator[RenderableType]:
    yield _headline(report)
    if report.classes:
        yield Text()
        yield _classes(report)
    yield Text()
    yield _tools(report)
    if report.projects:
        yield Text()
        yield _projects(report)
    yield Rule(style=_DIM)
    yield _staying(report)
    yield _money(report)


def _headline(report: Report) -> Text:
    if not report.classes:
        return Text(f"Nothing private was found in {counted(report.requests, 'request')}.", _GREEN)
    text = Text()
    text.append(counted(report.secrets, "secret"), _RED)
    text.append(" and ")
    text.append(counted(report.personal, "personal value"), _AMBER)
    requests = counted(report.requests, "request")
    text.append(f" went to providers already: {report.exposed_requests:,} of {requests} carried at least one.")
    return text


def _table(*columns: str) -> Table:
    """Of numbers, but for the first column, and for one called `by`, which may wrap."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, expand=True, pad_edge=False)
    for place, column in enumerate(columns):
        is_words = place == 0 or column == "by"
        table.add_column(
            column, justify="left" if is_words else "right", no_wrap=not is_words, ratio=1 if is_words else None
        )
    return table


def _classes(report: Report) -> Table:
    table = _table("what", "values", "requests", "first", "last", "by")
    for row in report.classes:
        table.add_row(
            Text(named(row.label), _RED if row.signal == "secret" else _AMBER),
            f"{row.values:,}",
            f"{row.requests:,}",
            f"{row.first.astimezone():%Y-%m-%d}" if row.first else "",
            f"{row.last.astimezone():%Y-%m-%d}" if row.last else "",
            ", ".join(_titles(report, row)),
        )
    return table


def _titles(report: Report, row: ClassCount) -> list[str]:
    titles = {tool.name: tool.title for tool in report.tools}
    return [f"{titles[tool]} {count:,}" for tool, count in row.tools.items()]


def _tools(report: Report) -> Table:
    table = _table("tool", "turns", "requests", "secrets", "personal", "could stay", "cost")
    for tool in report.tools:
        table.add_row(
            tool.title,
            f"{tool.turns:,}",
            f"{tool.requests:,}",
            Text(f"{tool.secrets:,}", _RED if tool.secrets else _DIM),
            Text(f"{tool.personal:,}", _AMBER if tool.personal else _DIM),
            share(tool.staying, tool.turns),
            money(tool.cost_usd) if tool.priced else "unknown",
        )
    return table


def _projects(report: Report) -> Table:
    table = _table("project", "secrets", "personal")
    for project in report.projects[:_PROJECTS]:
        table.add_row(Text(_plain(project.path)), f"{project.secrets:,}", f"{project.personal:,}")
    left = len(report.projects) - _PROJECTS
    if left > 0:
        table.add_row(Text(f"and {left:,} more", _DIM), "", "")
    return table


def _plain(path: str) -> str:
    """A folder below the home folder as `~/…`, without what a terminal would obey."""
    home = str(at_home("~"))
    short_path = f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path
    return "".join(sign if sign.isprintable() else "?" for sign in short_path)


def _staying(report: Report) -> Text:
    text = Text()
    part = report.staying / report.turns if report.turns else 0.0
    text.append(f"{bar(part)} {share(report.staying, report.turns)}", _GREEN)
    text.append(f" of {report.turns:,} turns could have been answered on this machine (estimate).")
    return text


def _money(report: Report) -> Text:
    if not report.priced:
        return Text("What it cost is unknown: the logs name no cost, and no model whose price is known.")
    unknown = report.requests - report.priced
    rest = f"; of {unknown:,} others the price is unknown" if unknown else ""
    return Text(f"{money(report.cost_usd)} for {report.priced:,} requests{rest}.")


def _notes(report: Report) -> Iterator[str]:
    device = report.device
    speed = (
        f"and the speed measured here (reading {device.reading:,.0f}, writing {device.writing:,.0f} tokens a second) "
        f"answers within {device.patience_s:g} s"
        if device.reading and device.writing
        else "whatever the time (no speed was measured yet: `nearloop devices --probe`)"
    )
    kinds = " and asks for no code, mathematics or tool by the trained model" if report.deep else ""
    yield (
        f"Could stay: each request of the turn fits {device.context_tokens:,} tokens, {speed}{kinds}. Whether the answer "
        "would have been good enough, no log tells."
    )
    yield (
        f"Cost: as the log has it, else at list prices of {report.prices_as_of}; a subscription's price is in no log. "
        "Values are counted once, however often they were sent; what models wrote is not counted."
    )
    local = sum(tool.local_requests for tool in report.tools)
    if local:
        yield f"{local:,} requests went to a server of your own, and are not counted as sent."
    opaque = sum(tool.opaque for tool in report.tools)
    if opaque:
        yield f"{opaque:,} pictures and documents were sent as well, and not looked at."
    if not report.deep:
        yield "Names and street addresses in what you said are looked for with --deep."
    skipped = report.skipped
    left = [
        f"{what} ({count:,})"
        for count, what in (
            (skipped.files, "files that could not be opened"),
            (skipped.records, "records that could not be read"),
            (skipped.torn, "last records without an end"),
            (skipped.unread, "texts that the trained models could not read"),
        )
        if count
    ]
    if left:
        yield f"Left out: {', '.join(left)}."
