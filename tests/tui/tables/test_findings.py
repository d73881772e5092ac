"""The doctor's findings as rows."""

from __future__ import annotations

from tests.fakes import told_faults
from tui.tables.findings import detail, row, sorted_by_severity, summary


def test_the_worst_stands_first() -> None:
    """And within each severity the order is the checks'."""
    found = sorted_by_severity(told_faults.findings())

    assert [each.check for each in found] == ["models", "disk", "servers", "python", "settings", "devices", "port"]
    assert [row(each)[0].words for each in found][:4] == ["✗ broken", "! look", "· know", "✓ well"]


def test_the_summary_counts() -> None:
    """What is zero is not told."""
    told = "".join(each.words for each in summary(told_faults.findings()))

    assert told == "1 broken · 1 to look at · 1 thing to know · 4 well"
    assert "".join(each.words for each in summary(told_faults.findings()[:2])) == "2 well"


def test_the_detail_says_what_to_do() -> None:
    """Whole, however narrow; where all is well there is nothing to do."""
    told = detail(told_faults.findings()[3], 40)

    assert all(line.cell_length <= 40 for line in told)
    assert "remove --force broken" in " ".join(str(line).strip() for line in told)
    assert "remedy" not in str(detail(told_faults.findings()[0], 80))
    assert detail(None, 80) == []
