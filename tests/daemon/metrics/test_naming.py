"""Names that may be labels."""

from __future__ import annotations

import pytest

from daemon import wire
from tests.fakes.counted import NAMES
from tests.fakes.told_records import SMALL, escalated, record


@pytest.mark.parametrize(
    ("name", "label"),
    [
        (f"local/{SMALL}", f"local/{SMALL}"),
        ("local/made-up", "local/other"),
        ("work/big-model", "work/big-model"),
        ("work/eye", "work/eye"),
        ("work/mapped", "work/mapped"),
        ("work/made-up", "work/other"),
        ("made-up/big-model", "other"),
        ("made-up", "other"),
        ("", "other"),
        ("?", "other"),
    ],
)
def test_models_of_the_settings_are_named(name: str, label: str) -> None:
    """What a client makes up behind a provider's name is not."""
    assert NAMES.model(name) == label


def test_models_of_the_recipe_are_named() -> None:
    """The settings need not list what a recipe asks; without one, candidates are the client's word."""
    route = wire.Route(recipe="mine", decision="hard")
    by_recipe = record(1, decision=wire.Decision("recipe", "single", ("work/of-recipe",), route))
    by_client = record(1, decision=wire.Decision("model-named", "single", ("work/of-recipe",)))

    assert NAMES.model("work/of-recipe", by_recipe) == "work/of-recipe"
    assert NAMES.model("work/of-recipe", by_client) == "work/other"
    assert NAMES.model("lab/huge-model", escalated(1)) == "other"  # no provider of that name is set up


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("auto", "auto"),
        ("local", "local"),
        ("cloud", "cloud"),
        ("nearloop/light", "nearloop/light"),
        ("work/big-model", "work/big-model"),
        ("gpt-made-up", "other"),
    ],
)
def test_what_was_asked_for(name: str, label: str) -> None:
    """Names that are served under just this word stand for themselves."""
    assert NAMES.asked(name) == label
