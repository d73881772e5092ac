"""What an export was and came to: for the reader as a table, for machines as JSON."""

from __future__ import annotations

from msgspec import Struct

from edge_models.training.parity import Parity


class Side(Struct, frozen=True):
    """One of the two that are compared. latency_ms: median over the texts of one pass over one text."""

    size_bytes: int
    latency_ms: float


class Report(Struct, frozen=True):
    """The comparison. floor: what `parity.value` has to reach."""

    task: str
    weights: str
    activations: str
    parity: Parity
    floor: float
    before: Side
    after: Side

    @property
    def passed(self) -> bool:
        """Whether the artefact may be used. Not a number is no pass."""
        return self.parity.value >= self.floor

    @property
    def reason(self) -> str:
        """Why it was refused, in a sentence."""
        return (
            f"the {self.parity.measure} is {self.parity.value:.4f} and has to be {self.floor:g} or more: try"
            " `--weights int8`, `--activations float`, or texts of your own with `--data`"
        )


def table(report: Report) -> str:
    """Lines of a name, what was before, and what is now."""
    before, after, parity = report.before, report.after, report.parity
    share = after.size_bytes / before.size_bytes if before.size_bytes else 1.0
    rows = [
        ("", "original", f"{report.weights}"),
        (
            "size",
            _megabytes(before.size_bytes),
            f"{_megabytes(after.size_bytes)} ({share:.0%})",
        ),
        ("one text, median", f"{before.latency_ms:.1f} ms", f"{after.latency_ms:.1f} ms"),
        (
            parity.measure,
            "",
            f"{parity.value:.4f} (at least {report.floor:g}: {'passed' if report.passed else 'refused'})",
        ),
        *((name, "", f"{value:.4f}") for name, value in parity.more.items()),
        ("texts compared", "", str(parity.texts)),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    return "\n".join(f"{name:<{widths[0]}}  {one:>{widths[1]}}  {other}".rstrip() for name, one, other in rows)


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB"
