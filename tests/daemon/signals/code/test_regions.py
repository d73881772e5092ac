"""Where code stands in a text."""

from __future__ import annotations

from itertools import pairwise

import pytest

from daemon.signals.code.regions import regions


def coded(text: str) -> list[str]:
    return [text[region.start : region.end].strip() for region in regions(text)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Look:\n```py\nx = 1\n```\nThanks.", ["x = 1"]),
        ("Look:\n```\nx = 1", ["x = 1"]),
        ("````md\n```py\nx\n```\n````\nend", ["```py\nx\n```"]),
        ("Why is `a_b` slow, and ``c``?", ["a_b", "c"]),
        ("Open src/books/ledger.py now.", ["src/books/ledger.py"]),
        ("def f(x):\n    return x\n\nWhat does this do, and is it right at all?", ["def f(x):\n    return x"]),
        (
            "SELECT a\nFROM b.c\nWHERE d = 1;\nMake it fast, please, since users wait for it.",
            ["SELECT a\nFROM b.c\nWHERE d = 1;"],
        ),
        ("We met. It was fine; nobody came (but one).", []),
        ("- one: two\n- three: four", []),
    ],
)
def test_code_is_told_from_prose(text: str, code: list[str]) -> None:
    """Fences with and without an end, backticks, files, and lines that are written as programs are."""
    assert coded(text) == code


def test_pieces_are_in_order_and_apart() -> None:
    """None overlaps the next, whatever stands in what."""
    text = "`a` x.py\n```\n`b` y.py\n```\nimport os\nprint(`c`)\nz.py `d`"
    found = regions(text)

    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(one.start <= one.end for one in found)
