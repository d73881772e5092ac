"""By descriptions."""

from __future__ import annotations

import pytest

from daemon.recipes.algorithms import Algorithm, RouterDc
from daemon.routing.selection.router_dc import router_dc
from tests.fakes.selection import option, question
from tests.fakes.signal_parts import with_models

COOK = option("cook", description="recipes, cooking and food")
CODER = option("coder", description="programming and software bugs")
BLANK = option("blank")


def asked(words: str, **options: object) -> tuple[float | None, ...] | None:
    algorithm = Algorithm(type="router_dc", router_dc=RouterDc(**options))  # type: ignore[arg-type]
    return router_dc((COOK, CODER, BLANK), question(algorithm, words, with_models().vectors))


def test_the_nearest_description() -> None:
    """A softmax over likenesses; who has no description is not compared."""
    food, code = asked("How long do I cook pasta?"), asked("Why does my software program crash?", min_similarity=0.1)

    for scores, best in ((food, 0), (code, 1)):
        assert scores
        assert scores[2] is None
        assert sum(score for score in scores if score is not None) == pytest.approx(1)
        assert scores[best] == max(score for score in scores if score is not None)


def test_when_it_cannot_tell() -> None:
    """No description fits, some are missing that are required, there are no words, or there is no encoder."""
    assert asked("How long do I cook pasta?", min_similarity=0.99) is None
    assert asked("How long do I cook pasta?", require_descriptions=True) is None
    assert asked(" ") is None
    assert router_dc((BLANK, BLANK), question("router_dc", "cook", with_models().vectors)) is None
    assert router_dc((COOK, CODER), question("router_dc", "cook")) is None
