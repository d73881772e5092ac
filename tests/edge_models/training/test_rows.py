"""Rows, and which of them are held out."""

from __future__ import annotations

from edge_models.training.rows import Row, held_out


def test_a_group_is_on_one_side() -> None:
    """Rows of one group are all fitted on, or all held out."""
    for group in map(str, range(60)):
        assert len({held_out(Row(f"text {number}", group=group)) for number in range(20)}) == 1


def test_about_the_share_is_held_out() -> None:
    """Twelve in a hundred, and the same ones every time."""
    rows = [Row(f"text {number}") for number in range(4000)]
    held = [row for row in rows if held_out(row)]

    assert 380 < len(held) < 580
    assert [row for row in rows if held_out(row)] == held
