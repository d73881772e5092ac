"""Likeness to examples."""

from __future__ import annotations

import pytest

from daemon.recipes.embedder import Embedder
from daemon.signals.base import Observation
from providers.contract import Image
from tests.fakes.asking import observed, observed_request
from tests.fakes.picture_table import TableOfPictures
from tests.fakes.sights import data_url, shown
from tests.fakes.signal_parts import with_models

RECIPE = """
SIGNAL embedding account { threshold: 0.6 candidates: ["reset my password", "delete my account", "change my account settings"] }
SIGNAL embedding weather { threshold: 0.6 candidates: ["will it rain tomorrow", "today's weather forecast"] }
SIGNAL embedding sound { threshold: 0.1 candidates: ["a cat"] query_modality: "audio" }
"""


async def likeness(text: str, recipe: str = RECIPE) -> dict[str, Observation]:
    seen = await observed(recipe, text, parts=with_models())
    return {each.name: each for each in seen if each.signal == "embedding"}


async def test_what_is_near_enough_matches() -> None:
    """By upstream's mixture of the nearest example and the nearest two; every likeness is told."""
    seen = await likeness("please reset my password")

    assert [name for name, each in seen.items() if each.matched and not each.error] == ["account"]
    assert seen["account"].value == pytest.approx(seen["account"].score)
    assert (seen["weather"].value or 0) < 0.4


async def test_the_best_matches_softly_where_none_is_near_enough() -> None:
    """From 0.5 on; below that nothing matches."""
    strict = RECIPE.replace("0.6", "0.99")
    soft, none = await likeness("please reset my password", strict), await likeness("prove the theorem", strict)

    assert [name for name, each in soft.items() if each.matched and not each.error] == ["account"]
    assert [name for name, each in none.items() if each.matched and not each.error] == []


async def test_several_hard_matches_are_all_told() -> None:
    """Upstream tells the best, and hides the others from conditions that ask for them."""
    seen = await likeness("reset my password", RECIPE.replace("0.6", "0.01"))

    assert {name for name, each in seen.items() if each.matched and not each.error} >= {"account", "weather"}


async def test_a_mean_is_over_all_examples() -> None:
    """`aggregation_method: mean`."""
    recipe = RECIPE.replace("threshold: 0.6", 'threshold: 0.6 aggregation_method: "mean"')
    mean, mixed = await likeness("reset my password", recipe), await likeness("reset my password")

    assert (mean["account"].value or 1) < (mixed["account"].value or 0)


async def test_other_modalities_are_not_here() -> None:
    """The rule says so, and only that rule."""
    seen = await likeness("a cat")

    assert (seen["sound"].error, seen["sound"].only) == ("NotText", True)


PICTURES = """
SIGNAL embedding passport { threshold: 0.5 candidates: ["a passport", "an identity card"] query_modality: "image" }
SIGNAL embedding cat { threshold: 0.5 candidates: ["a cat"] query_modality: "image" aggregation_method: "mean" }
"""


async def test_pictures_are_held_against_texts() -> None:
    """By the user's own model, and by upstream's mixture; the likest of several pictures counts. Words aren't needed."""
    model = TableOfPictures(
        {b"card": {"a passport": 0.9, "an identity card": 0.5, "a cat": 0.1}, b"cat": {"a cat": 0.8}}
    )
    request = shown("", Image(data_url(b"cat")), Image(data_url(b"card")))

    seen = {each.name: each for each in await observed_request(PICTURES, request, with_models(pictures=model))}

    assert seen["passport"].value == pytest.approx(0.75 * 0.9 + 0.25 * 0.7)
    assert seen["cat"].value == pytest.approx(0.8)
    assert all(each.matched and each.error is None and each.model is None for each in seen.values())


async def test_no_picture_is_nothing_to_say() -> None:
    """Rules about pictures are silent where there is none; so are rules about words without a word."""
    assert await observed_request(PICTURES, shown("a cat"), with_models(pictures=TableOfPictures({}))) == ()
    request = shown("", Image(data_url(b"cat")))
    assert await observed_request(RECIPE, request, with_models()) == ()


async def test_what_cant_be_looked_at_is_said() -> None:
    """Without a model; with one, a picture that can't be decoded or isn't here makes a rule unknown that it could match."""
    request = shown("a cat", Image(data_url(b"cat")))
    seen = await observed_request(PICTURES, request, with_models())
    assert [(each.error, each.only) for each in seen] == [("NoModel", True)] * 2

    model = TableOfPictures({b"cat": {"a cat": 0.8}})
    request = shown("", Image(data_url(b"cat")), Image(data_url(b"odd")), Image("https://example.com/cat.png"))
    seen = {each.name: each for each in await observed_request(PICTURES, request, with_models(pictures=model))}
    assert seen["passport"].error == "Unseen"
    assert (seen["cat"].matched, seen["cat"].error) == (True, None)


async def test_a_threshold_for_another_embedder() -> None:
    """Scores are on the recipe's scale, and what was measured is told with the threshold's place on ours."""
    own = await likeness("please reset my password")
    seen = {
        each.name: each
        for each in await observed(RECIPE, "please reset my password", parts=with_models(embedder=Embedder()))
    }

    held = seen["account"].held
    assert held is not None
    assert (held.likeness, held.threshold) == (own["account"].value, 0.6)
    assert held.here is not None
    assert held.here < 0.6
    assert (seen["account"].value or 0) > held.likeness
    assert not seen["weather"].matched


async def test_soft_matching_can_be_turned_off() -> None:
    """`enable_soft_matching: false`."""
    strict = RECIPE.replace("0.6", "0.999")
    for soft in (True, False):
        seen = await observed(strict, "please reset my password", parts=with_models(embedder=Embedder(soft=soft)))
        assert [each.name for each in seen if each.matched and not each.error] == (["account"] if soft else [])
