"""What a follow-up says of the answer before it."""

from __future__ import annotations

import pytest

from providers.contract import Message, Text
from tests.fakes.asking import observed
from tests.fakes.signal_parts import with_models

RECIPE = "".join(
    f"SIGNAL user_feedback {name} {{}} "
    for name in ("satisfied", "need_clarification", "wrong_answer", "want_different")
)


async def kinds(text: str, *, answered: bool = True) -> list[str]:
    before = (Message("user", (Text("q"),)), Message("assistant", (Text("a"),))) if answered else ()
    messages = (*before, Message("user", (Text(text),)))
    seen = await observed(RECIPE, parts=with_models(), messages=messages)
    return [each.name for each in seen if each.signal == "user_feedback" and each.matched]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("thank you, this is perfect", "satisfied"),
        ("I do not understand, what do you mean?", "need_clarification"),
        ("that is wrong, check it again", "wrong_answer"),
        ("give me another option please", "want_different"),
    ],
)
async def test_plain_cases(text: str, kind: str) -> None:
    """What anybody would call so. This is no measurement."""
    assert await kinds(text) == [kind]


@pytest.mark.parametrize("text", ["What is the capital of Peru?", "Write a function that adds two numbers."])
async def test_a_new_request_is_no_feedback(text: str) -> None:
    """None of the four matches."""
    assert await kinds(text) == []


async def test_a_client_may_send_the_last_turn_alone() -> None:
    """It is taken for a follow-up, as upstream does."""
    assert await kinds("that is wrong, check it again", answered=False) == ["wrong_answer"]
