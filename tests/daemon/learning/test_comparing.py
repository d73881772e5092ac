"""Whether two answers say the same."""

from __future__ import annotations

import pytest

from daemon.confidence.families import Family
from daemon.learning.comparing import LONGEST_CHARS, same

OPTIONS = "Which planet is red?\nA) Venus\nB) Mars\nC) Saturn"


@pytest.mark.parametrize(
    ("one", "other", "family", "question", "verdict"),
    [
        ("B", "The answer is B) Mars.", "choice", OPTIONS, True),
        ("It is Mars.", "B", "choice", OPTIONS, True),
        ("A", "B", "choice", OPTIONS, False),
        ("A or B", "B", "choice", OPTIONS, None),
        ("The sum is 1,000.0", "ANSWER: 1000", "number", "How much?", True),
        ("41", "It comes to 42.", "number", "How much?", False),
        ("none", "42", "number", "How much?", None),
        ("Yes.", "Yes, it is.", "yes_no", "Is 7 prime?", True),
        ("No.", "Yes, it is.", "yes_no", "Is 7 prime?", False),
        ("Perhaps.", "Yes.", "yes_no", "Is 7 prime?", None),
        ("Paris", "The capital of France is Paris.", "short", "What is the capital of France?", True),
        ("Lyon.", "The capital of France is Paris.", "short", "What is the capital of France?", False),
        ("William Shakespeare", "Shakespeare wrote it", "short", "Who wrote Hamlet?", True),
        ("William Shakespeare", "William Marlowe", "short", "Who wrote Hamlet?", None),
        ("Not Paris", "Paris", "short", "What is the capital of France?", None),
        ("Paris or Lyon", "Paris", "short", "What is the capital of France?", None),
        ("The capital of France", "Paris", "short", "What is the capital of France?", None),
        ('{"a": 1, "b": [2]}', '```json\n{"b":[2],"a":1}\n```', "structured", "", True),
        ('{"a": 1}', '{"a": 2}', "structured", "", False),
        ('{"a": 1', '{"a": 1}', "structured", "", None),
        ("one", "two", "prose", "Write something.", None),
        ("x = 1", "x = 1", "code", "Write code.", None),
        ("1 " * LONGEST_CHARS, "1", "number", "How much?", None),
    ],
)
def test_same(one: str, other: str, family: Family, question: str, verdict: bool | None) -> None:
    """Either way round; what is neither the same nor something else is nothing."""
    assert same(one, other, family, question) is verdict
    assert same(other, one, family, question) is verdict
