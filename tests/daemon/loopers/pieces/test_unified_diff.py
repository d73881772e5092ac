"""Hunks of a unified diff."""

from __future__ import annotations

import pytest

from daemon.loopers.pieces.unified_diff import UnifiedDiff


@pytest.mark.parametrize(
    ("piece", "fault"),
    [
        ("@@ -1,2 +1,2 @@\n same\n-gone\n+new", None),
        ("@@ -1,2 +1,2 @@\n same\n-gone\n+new\n+more", "counts"),
        ("@@ -1 +1 @@\n same", "empty"),
        ("@@ -1,2 +1,1 @@\n-a\n\n\\ No newline at end of file", None),
    ],
)
def test_a_hunk_has_the_lines_that_its_header_counts(piece: str, fault: str | None) -> None:
    """Else nobody can apply it."""
    assert UnifiedDiff().fault(piece) == fault


def test_a_diff_names_its_file() -> None:
    """Lines that only look like hunks are none, but where nothing else was asked for."""
    hunks = "@@ -1 +1 @@\n-a\n+b\n\n@@ -9 +9 @@\n-c\n+d\n"

    assert UnifiedDiff().split(hunks) == ()
    assert [piece.text for piece in UnifiedDiff().rewritten(hunks)] == ["@@ -1 +1 @@\n-a\n+b", "@@ -9 +9 @@\n-c\n+d"]


def test_the_next_file_is_no_part_of_a_hunk() -> None:
    """Its name begins as a line that goes does."""
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n--- c\n+d\n"

    assert [piece.text for piece in UnifiedDiff().split(diff)] == ["@@ -1 +1 @@\n-a\n+b", "@@ -1 +1 @@\n--- c\n+d"]
