"""How hard a request is."""

from __future__ import annotations

import pytest

from providers.contract import Image
from tests.fakes.asking import looked, observed_request, without_models
from tests.fakes.picture_table import TableOfPictures
from tests.fakes.sights import data_url, shown
from tests.fakes.signal_parts import with_models

RECIPE = """
SIGNAL complexity reasoning {
  threshold: 0.1
  hard: { candidates: ["prove this theorem step by step", "analyze the root cause of this failure"] }
  easy: { candidates: ["say hello", "what time is it"] }
}
SIGNAL complexity trained { threshold: 0.2 hard: {} easy: {} }
"""


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("prove the theorem", {"reasoning": "hard", "trained": "hard"}),
        ("hello", {"reasoning": "easy", "trained": "easy"}),
        ("cell", {"reasoning": "medium", "trained": "medium"}),
    ],
)
async def test_levels(text: str, levels: dict[str, str]) -> None:
    """By a rule's examples, or by the head where it has none; the margin is the value, its size the score."""
    seen = [each for each in await looked(RECIPE, text, parts=with_models()) if each.signal == "complexity"]

    assert {each.name: each.label for each in seen} == levels
    assert all(each.value is not None and each.score == pytest.approx(min(1, abs(each.value))) for each in seen)


async def test_without_models_each_rule_says_so() -> None:
    """By itself."""
    seen = [each for each in await looked(RECIPE, "x") if each.signal == "complexity"]

    assert [(each.name, each.error, each.only) for each in seen] == [
        ("reasoning", "NoModel", True),
        ("trained", "NoModel", True),
    ]
    assert without_models().heads.has("complexity") is False


PICTURES = """
SIGNAL complexity drawing {
  threshold: 0.1
  hard: { candidates: ["prove this theorem step by step"] image_candidates: ["an architecture diagram"] }
  easy: { candidates: ["say hello"] image_candidates: ["a simple icon"] }
}
"""
MODEL = TableOfPictures(
    {
        b"diagram": {"an architecture diagram": 0.9, "a simple icon": 0.0},
        b"icon": {"an architecture diagram": 0.2, "a simple icon": 0.3},
    }
)


@pytest.mark.parametrize(
    ("text", "pictures", "level", "margin"),
    [
        ("", [b"icon"], "medium", -0.1),
        ("", [b"icon", b"diagram"], "hard", 0.9),
        ("", [b"odd", b"diagram"], "hard", 0.9),
        ("hello", [b"diagram"], None, None),
    ],
)
async def test_pictures_have_a_margin_of_their_own(
    text: str, pictures: list[bytes], level: str | None, margin: float | None
) -> None:
    """The clearest of them, and the larger of it and of the words' decides."""
    images = [Image(data_url(each)) for each in pictures]
    (seen,) = await observed_request(PICTURES, shown(text, *images), with_models(pictures=MODEL))
    (words,) = await observed_request(PICTURES, shown(text or "hello"), with_models())
    assert words.value is not None
    if margin is None:
        assert words.label == "easy"
        assert seen.value == pytest.approx(max(words.value, 0.9, key=abs))
    else:
        assert (seen.label, seen.value) == (level, pytest.approx(margin))


async def test_without_that_model_words_decide_alone() -> None:
    """A rule without words has nothing to go by then, and says so."""
    image = Image(data_url(b"diagram"))
    (seen,) = await observed_request(PICTURES, shown("prove the theorem", image), with_models())
    assert (seen.label, seen.error) == ("hard", None)
    (seen,) = await observed_request(PICTURES, shown("", image), with_models())
    assert seen.error == "NoModel"
    assert await observed_request(RECIPE, shown("", image), with_models(pictures=MODEL)) == ()
