"""What `nearloop bench leak` found, on a terminal."""

from __future__ import annotations

from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from daemon.leakage.measures import Share
from daemon.leakage.report import Recall, Report

_WIDTH: Final = 118
"""A line of the widest table; narrower terminals wrap it."""
_DIM: Final = "dim"
COVERS: Final = (
    "Each text was judged as one message of a user's, with the signals, the trained heads and your dictionary, and what",
    "would have been sent was searched. Not covered: approvals, projects, recipes, other fields of a request. In brackets:",
    "95 % by Wilson. leak: whole, or in part net of harmless words. sent: of the texts; one that stays here leaks nothing.",
    "alarms: finds that touch no marked value. lines: altered or kept, of texts without values. lost: harmless words.",
    "utility: texts that were sent, came back word for word, still parse, and whose edits and diffs fit the original.",
    "kept back: values of which no part left.",
)


def show(report: Report, files: list[str]) -> None:
    """Print it."""
    console = Console(highlight=False)
    console.width = max(console.width, _WIDTH)
    source = ", ".join(files) or "the texts that come with Nearloop"
    rate = f"{report.took_s * 1000 / max(report.rows, 1):.1f} ms each"
    console.print(Text(f"Policy {report.policy}: {report.rows:,} texts of {source}, {rate}"))
    console.print(_lines(report))
    if any(recall.language for recall in report.recalls):
        console.print(_languages(report))
    console.print(_types(report))
    if report.why:
        told = ", ".join(f"{code} {count:,}" for code, count in sorted(report.why.items()))
        console.print(Text(f"Kept here: {told}", _DIM))
    for line in COVERS:
        console.print(Text(line, _DIM))


def _table(*names: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(names):
        table.add_column(name, justify="left" if place == 0 else "right", no_wrap=True)
    return table


def _lines(report: Report) -> Table:
    table = _table(
        *("in % …", "texts", "values", "whole", "part", "net", "leak", "sent", "alarms", "lines ‰", "lost"),
        "utility",
    )
    for line in report.lines:
        table.add_row(
            line.name,
            f"{line.texts:,}",
            f"{line.values:,}",
            *map(_percent, (line.exact, line.partial, line.net)),
            _between(line.leak),
            _percent(line.sent),
            _count(line.alarms),
            f"{1000 * line.altered.share:.1f}" if line.altered.n else "–",
            _percent(line.lost, 2),
            _between(line.utility),
        )
    return table


def _languages(report: Report) -> Table:
    """Recall, a row a language and a column a type."""
    types = sorted({recall.type for recall in report.recalls if recall.language})
    by_place = {(recall.language, recall.type): recall for recall in report.recalls}
    table = _table("kept back", *types)
    for language in sorted({recall.language for recall in report.recalls if recall.language}):
        table.add_row(language, *(_recall(by_place.get((language, type))) for type in types))
    return table


def _types(report: Report) -> Table:
    table = _table("in % …", "values", "kept back", "whole")
    for recall in report.recalls:
        if not recall.language:
            table.add_row(recall.type, f"{recall.kept.n:,}", _between(recall.kept), _percent(recall.exact))
    return table


def _recall(recall: Recall | None) -> str:
    if recall is None:
        return "–"
    kept = recall.kept
    return f"{100 * kept.share:.0f} ({100 * kept.low:.0f}–{100 * kept.high:.0f}) /{kept.n}"


def _percent(share: Share, digits: int = 1) -> str:
    return f"{100 * share.share:.{digits}f}" if share.n else "–"


def _count(share: Share) -> str:
    return f"{share.hits:,}/{share.n:,}" if share.n else "–"


def _between(share: Share) -> str:
    """With its interval, in whole percents unless it is near to 0."""
    if not share.n:
        return "–"
    low, high = (f"{100 * end:.1f}" if 100 * end < 1 and end else f"{100 * end:.0f}" for end in (share.low, share.high))
    return f"{100 * share.share:.1f} ({low}–{high})"
