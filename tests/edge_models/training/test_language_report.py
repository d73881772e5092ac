"""What calibration by language came to, as Markdown."""

from __future__ import annotations

from edge_models.training.by_language import ALL, Alarms, LanguageReport, Measured
from edge_models.training.language_report import language_report
from edge_models.training.metrics import Estimate


def measured(value: float, texts: int) -> Measured:
    return Measured(*(Estimate(each, each - 0.01, each + 0.02, texts) for each in (value + 0.1, value + 0.05, value)))


REPORTS = (
    LanguageReport("injection", "de", 80, 60, measured(0.02, 40), measured(0.03, 40), Alarms(100, 4, 0, 6)),
    LanguageReport("injection", "cy", 0, 50, None, None, Alarms(59, 1, 1, 2)),
    LanguageReport("injection", ALL, 80, 0, measured(0.02, 40), measured(0.03, 40), None),
    LanguageReport("domain", "de", 28, 0, measured(0.1, 28), measured(0.3, 28), None),
)


def test_errors_stand_where_there_are_labels_and_alarms_where_there_are_harmless_texts() -> None:
    """With how many rows are behind, intervals, sums over languages, and what the counts leave possible."""
    lines = language_report(REPORTS).splitlines()

    assert (
        "| injection | de, n = 40 | 80 | 0.120 (0.110-0.140) | 0.070 (0.060-0.090) | 0.020 (0.010-0.040) |"
        " 0.130 (0.120-0.150) | 0.080 (0.070-0.100) | 0.030 (0.020-0.050) |"
    ) in lines
    assert [line[:30] for line in lines if line.startswith("| domain")] == ["| domain | de, n = 28 | 28 | 0.2"[:30]]
    assert not any(line.startswith("| injection | cy, n") for line in lines)
    assert "| injection | de | 60 | 4 of 100 | 0 of 100 | 0.030 | 6 of 100 | 0.115 |" in lines
    assert any(line.startswith("| injection | cy | 50 | 1 of 59 | 1 of 59 | ") for line in lines)
    assert any(line.startswith("| injection | all 2 | 110 | 5 of 159 | 1 of 159 | ") for line in lines)


def test_without_reports_there_are_tables_without_rows() -> None:
    """Heads of which nothing is known in other languages."""
    tables = [line for line in language_report(()).splitlines() if line.startswith("|")]
    assert len(tables) == 4
