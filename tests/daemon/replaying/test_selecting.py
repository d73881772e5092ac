"""One model by the prompt alone."""

from __future__ import annotations

from daemon.replaying.recordings import Item
from daemon.replaying.selecting import (
    by_factors,
    by_hardness,
    by_likeness,
    complexity,
    length,
    likenesses,
    pairs_of,
    remembered,
)
from tests.fakes.asking import without_models
from tests.fakes.replays import EASY, HARD, MODELS, PRICES, replayed
from tests.fakes.signal_parts import with_models


def mixed() -> list[Item]:
    return replayed(["rrr"], 20, EASY) + replayed(["xxr"], 20, HARD)


async def test_by_length() -> None:
    """From a length on, questions go to the dearer model of a pair."""
    found = by_hardness("by length", mixed(), dict.fromkeys(pairs_of(MODELS), length))
    assert found
    settings = {each.name: each for each in found.settings}
    half = settings["small | large: the hardest 50%"]
    easy, hard = mixed()[0], mixed()[-1]

    assert [(await half.answer(item)).asked for item in (easy, hard)] == [("small",), ("large",)]
    assert set(MODELS) <= settings.keys()


async def test_what_cannot_be_told() -> None:
    """A question of which nothing is known goes to the dearer model; a sign that tells of none is no method."""
    found = by_hardness("x", mixed(), {("small", "large"): lambda question: 1.0 if "root" in question else None})
    assert found
    easy = mixed()[0]

    assert (await found.settings[-1].answer(easy)).winner == "large"
    assert by_hardness("x", mixed(), {("small", "large"): lambda question: None}) is None
    assert by_hardness("x", mixed(), {}) is None


def test_the_live_signal() -> None:
    """Its margin; without its models nothing is told."""
    hardness = complexity(with_models())
    hard, easy = hardness("prove the theorem"), hardness("hello")

    assert hard is not None
    assert easy is not None
    assert hard > 0 > easy
    assert complexity(without_models())("hello") is None


DESCRIBED = {"small": "recipes, cooking and food", "large": "programming and software bugs"}


def test_the_live_selector() -> None:
    """Its scores are shares of the likenesses; without its encoder nothing is told."""
    scores = likenesses(DESCRIBED, with_models().vectors)
    cooking, coding = scores("How long do I cook pasta?"), scores("Why does my software program crash?")

    assert cooking is not None
    assert coding is not None
    assert cooking["small"] > 0.5 > cooking["large"]
    assert coding["small"] < 0.5 < coding["large"]
    assert likenesses(DESCRIBED, without_models().vectors)("cook") is None


async def test_by_description() -> None:
    """Whom it chooses of all, and of two the dearer one from some share on."""
    items = [Item(f"How long do I cook {food}?", {}) for food in ("pasta", "rice", "fish")]
    items += [Item(f"Why does my {thing} crash?", {}) for thing in ("program", "software", "compiler")]
    found = by_likeness(items, [("small", "large")], likenesses(DESCRIBED, with_models().vectors))
    assert found
    *_, cut, nearest = found.settings

    assert nearest.name == "the nearest description"
    assert [(await nearest.answer(item)).winner for item in items] == ["small"] * 3 + ["large"] * 3
    assert (await cut.answer(items[0])).winner == "small"
    assert by_likeness(items, [], likenesses({}, with_models().vectors)) is None
    assert by_likeness(items, [("small", "large")], likenesses(DESCRIBED, without_models().vectors)) is None


def test_multi_factor() -> None:
    """From all quality to all cost it goes down a ladder, and passes over who costs more and is worse."""
    found = by_factors({"small": 0.5, "middle": 0.3, "large": 0.9}, PRICES, without_models().vectors)

    assert [each.name for each in found.settings] == ["large", "small"]


def test_a_question_is_looked_at_once() -> None:
    """Also if nothing can be told of it."""
    seen: list[str] = []
    look = remembered(seen.append)  # it returns None

    for question in "aab":
        look(question)

    assert seen == ["a", "b"]
