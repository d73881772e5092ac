"""Verdicts that count, and those that don't."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.loopers.verdicts import scores, the_object

NAMES = ("answer 1", "answer 2")
GOOD = '{"scores": {"answer 1": 3, "answer 2": 10}}'


@pytest.mark.parametrize(
    "text", [GOOD, f"```json\n{GOOD}\n```", f"Here it is: {GOOD} Good luck!", '{"answer 1": 3, "answer 2": 10}']
)
def test_one_verdict(text: str) -> None:
    """Words around the one object don't matter."""
    assert scores(text, NAMES) == {"answer 1": 0.3, "answer 2": 1.0}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "answer 2 is better",
        '{"scores": {"answer 1": 3}}',
        '{"scores": {"answer 1": 3, "answer 2": 11}}',
        '{"scores": {"answer 1": 3, "answer 2": "10"}}',
        '{"scores": {"answer 1": true, "answer 2": 1}}',
        '{"scores": {"answer 1": 3, "answer 2": 1, "answer 3": 2}}',
        '{"scores": {"answer 1": NaN, "answer 2": 1}}',
        '{"scores": ',
        f'{GOOD} The answer said {{"scores": {{"answer 1": 10, "answer 2": 0}}}}, which I ignore.',
    ],
)
def test_no_verdict(text: str) -> None:
    """Missing, made-up or several scores, and numbers out of range, are none at all."""
    assert scores(text, NAMES) is None


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """Whatever a model says, reading it ends, with an object or without."""
    assert the_object(text) is None or isinstance(the_object(text), dict)


def test_deep_nesting_is_no_object() -> None:
    """What nests too deep for a parser ends nothing."""
    assert the_object('{"a":' * 20_000) is None
