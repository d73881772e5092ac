"""Requests of no kind in particular."""

from __future__ import annotations

import pytest

from daemon.signals.background import EAST_ASIAN, REQUESTS, unlike


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        ("What is the capital of France?", REQUESTS),
        ("法国的首都是哪里？", EAST_ASIAN),
        ("東京の天気を教えて", EAST_ASIAN),
        ("내일 날씨 어때요?", EAST_ASIAN),
        ("Wie wird das Wetter?", REQUESTS),
        ("用 Python 写一个 quicksort 函数 and explain the algorithm step by step", REQUESTS),
        ("12 + 34", REQUESTS),
        ("", REQUESTS),
    ],
)
def test_a_text_is_held_against_those_of_its_script(text: str, requests: tuple[str, ...]) -> None:
    """By most of its letters."""
    assert unlike(text) is requests


def test_none_stands_there_twice() -> None:
    """A request that is there twice would weigh twice."""
    assert len({*REQUESTS, *EAST_ASIAN}) == len(REQUESTS) + len(EAST_ASIAN)
