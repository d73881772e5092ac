"""What a request is made of."""

from __future__ import annotations

import pytest

from providers.contract import File, Message, Request, Text
from tests.fakes.asking import looked, observed
from tests.fakes.sights import result, shown, unseen

RECIPE = "SIGNAL input_modality text {} SIGNAL input_modality image {} SIGNAL input_modality audio {}"


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        (shown("hello"), {"text"}),
        (shown("", unseen()), {"image"}),
        (shown("what is it?", unseen()), {"text", "image"}),
        (shown("go on", after=(result(unseen()),)), {"text", "image"}),
        (shown("go on", before=(Message("user", (unseen(),)),)), {"text", "image"}),
        (shown(" ", File("data:application/pdf;base64,")), set[str]()),
    ],
)
async def test_parts_of_a_request(request_: Request, names: set[str]) -> None:
    """In its history and in tools' results too."""
    found = await looked(RECIPE, messages=request_.messages)

    assert {each.name for each in found if each.signal == "input_modality"} == names


async def test_it_says_what_isn_t_there_too() -> None:
    """Each rule has its observation, so that nothing of it is unknown."""
    found = await observed(RECIPE, messages=(Message("user", (Text("x"),)),))

    assert [(each.name, each.value) for each in found if each.signal == "input_modality"] == [
        ("text", 1.0),
        ("image", 0.0),
        ("audio", 0.0),
    ]
