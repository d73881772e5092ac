"""How large a picture models look at."""

from __future__ import annotations

import pytest

from providers.contract import Image
from providers.pictures import longest_side


@pytest.mark.parametrize(
    ("model", "detail", "side"),
    [
        ("gpt-5.2", None, 2048),
        ("gpt-5.2", "high", 2048),
        ("gpt-5.2", "low", 512),
        ("openai/o4-mini", "low", 512),
        ("claude-sonnet-4-5", None, 1568),
        ("anthropic/claude-3.7-sonnet", "low", 1568),
        ("claude-opus-4-8", None, 2576),
        ("anthropic/claude-opus-4.7", None, 2576),
        ("google/gemini-3-flash", None, 3072),
        ("Pixtral-12b", None, 1540),
        ("somebody/unknown", None, 2048),
    ],
)
def test_by_maker_and_detail(model: str, detail: str | None, side: int) -> None:
    """Behind an aggregator's prefix too; what nobody knows is looked at as OpenAI's do."""
    assert longest_side(model, Image("data:image/png;base64,", detail)) == side
