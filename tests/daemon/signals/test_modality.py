"""What is asked for."""

from __future__ import annotations

import pytest

from tests.fakes.asking import looked, without_models
from tests.fakes.signal_parts import with_models

RECIPE = "SIGNAL modality AR {} SIGNAL modality DIFFUSION {} SIGNAL modality BOTH {}"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Draw me a picture of a dog on a beach", "DIFFUSION"),
        ("Generate an image of a castle", "DIFFUSION"),
        ("Write a poem about the sea and illustrate it with a picture", "BOTH"),
        ("How do I crop a photo in Python?", "AR"),
    ],
)
async def test_plain_cases(text: str, kind: str) -> None:
    """One of the three matches. This is no measurement."""
    seen = await looked(RECIPE, text, parts=with_models())

    assert [each.name for each in seen if each.signal == "modality"] == [kind]


async def test_a_request_that_names_no_picture_needs_no_model() -> None:
    """It is for text."""
    seen = await looked(RECIPE, "prove the theorem", parts=without_models())

    assert [(each.name, each.score) for each in seen if each.signal == "modality"] == [("AR", 1.0)]
