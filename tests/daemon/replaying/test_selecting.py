"""One model by the prompt alone."""

from __future__ import annotations

from daemon.replaying.recordings import Item
from daemon.replaying.selecting import by_factors, by_hardness, complexity, length, likeness, pairs_of, remembered
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


def test_the_live_selector() -> None:
    """The dearer one's score grows with the likeness to its description."""
    described = {"small": "recipes, cooking and food", "large": "programming and software bugs"}
    hardness = likeness(described, with_models().vectors, "small", "large")
    cooking, coding = hardness("How long do I cook pasta?"), hardness("Why does my software program crash?")

    assert cooking is not None
    assert coding is not None
    assert cooking < 0.5 < coding
    assert likeness(described, without_models().vectors, "small", "large")("cook") is None


def test_multi_factor() -> None:
    """From all quality to all cost it goes down a ladder, and passes over who costs more and is worse."""
    found = by_factors({"small": 0.5, "middle": 0.3, "large": 0.9}, PRICES, without_models().vectors)

    assert [each.name for each in found.settings] == ["large", "small"]


def test_a_question_is_looked_at_once() -> None:
    """Also if nothing can be told of it."""
    seen: list[str] = []
    hardness = remembered(seen.append)  # it returns None

    assert (hardness("a"), hardness("a"), hardness("b")) == (None, None, None)
    assert seen == ["a", "b"]
