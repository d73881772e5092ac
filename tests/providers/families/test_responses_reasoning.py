"""Reasoning of OpenAI's Responses as it is kept and given back."""

from __future__ import annotations

from typing import Any, Final

import pytest

from providers.contract import Thought
from providers.families.responses_reasoning import item_of, note_of, words_of

SUMMARY: Final = [{"type": "summary_text", "text": "First"}, {"type": "summary_text", "text": "Then"}]
VERY: Final = [{"type": "reasoning_text", "text": "hm"}]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"type": "reasoning", "id": "rs", "summary": SUMMARY}, "First\n\nThen"),
        ({"type": "reasoning", "id": "rs", "summary": [], "content": VERY}, "hm"),
        ({"type": "reasoning", "id": "rs", "summary": SUMMARY, "content": VERY, "new": {"a": [1]}}, "First\n\nThen"),
        ({"type": "reasoning", "id": "rs", "summary": []}, ""),
    ],
)
def test_what_was_sealed_comes_back_as_it_was(item: dict[str, Any], words: str) -> None:
    """Every field of it, also those that nobody here knows; its state is an answer's alone."""
    told = {**item, "encrypted_content": "gAAA+/=", "status": "completed"}
    thought = Thought(words_of(told), "gAAA+/=", not words, note_of(told))

    assert thought.text == words
    assert item_of(thought, reads_thoughts=False) == [{**item, "encrypted_content": "gAAA+/="}]


def test_what_was_not_sealed() -> None:
    """Its words go to who reads such, and to nobody else."""
    (item,) = item_of(Thought("hm"), reads_thoughts=True)
    assert {**item, "id": "rs_"} == {"type": "reasoning", "id": "rs_", "summary": [], "content": VERY}
    assert item_of(Thought("hm"), reads_thoughts=True) == [item]
    assert item_of(Thought("hm"), reads_thoughts=False) == []
    assert item_of(Thought("", "sealed elsewhere", True), reads_thoughts=True) == []


def test_a_note_of_another_protocol() -> None:
    """What was sealed in another form means nothing here."""
    assert item_of(Thought("hm", "s", False, '{"type":"reasoning.text","index":0}'), reads_thoughts=True) == []
