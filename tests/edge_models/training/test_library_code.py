"""Code as harmless text."""

from __future__ import annotations

from random import Random

import pytest

from edge_models.training import library_code
from edge_models.training.library_code import read


def test_windows_of_code_without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many windows as asked for, the same for the same seed, none of which names an author."""
    monkeypatch.setattr(library_code, "PACKAGES", ("click", "rich", "not-installed"))
    rows = list(read(Random(1), 40))

    assert len(rows) == 40
    assert rows == list(read(Random(1), 40))
    assert not any("copyright" in row.text.lower() or "author" in row.text.lower() for row in rows)
    assert all(row.spans == () and row.labels["injection"] == "benign" for row in rows)
