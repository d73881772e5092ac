"""Several fenced blocks."""

from __future__ import annotations

import pytest

from daemon.loopers.pieces.fenced import Fenced


def test_a_fence_without_a_partner_is_no_end() -> None:
    """Behind it others may be missing."""
    assert Fenced().split("```python\nx = 1\n```\nand\n```python\ny = 2\n") == ()


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("```js\nf('}', \"{\"); // (\n```", None),
        ("```js\nif (a) { b();\n```", "unbalanced"),
        ("```python\nif a\n    b\n```", "does-not-parse"),
        ('```json\n{"a": 1,}\n```', "does-not-parse"),
        ("```text\n(\n```", None),
        ("```python\n\n```", "empty"),
    ],
)
def test_code_closes_what_it_opens(code: str, fault: str | None) -> None:
    """Brackets in strings and comments are none; of languages that nobody knows here nothing is said."""
    assert Fenced().fault(code) == fault
