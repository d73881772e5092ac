"""Harmful content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from daemon.signals.shipped import shipped_heads, shipped_vectors
from tests.fakes.asking import observed, rules
from tests.fakes.running import wait_until
from tests.fakes.signal_models import tiny_heads
from tests.fakes.signal_parts import models, with_models

RECIPE = """
SIGNAL safety unsafe {}
SIGNAL safety weapons { hazard: { categories: ["weapons"] threshold: 0.6 } }
SIGNAL safety violence { hazard: { categories: ["violence"] threshold: 0.6 } }
SIGNAL safety gated { threshold: 1 hazard: { categories: ["weapons"] } }
SIGNAL safety unknown { hazard: { categories: ["privacy"] } }
"""


@pytest.mark.parametrize(
    ("text", "names", "unknown"), [("bomb bomb", {"unsafe", "weapons"}, [("unknown", "NoHead")]), ("hello", set(), [])]
)
async def test_a_gate_and_hazards(text: str, names: set[str], unknown: list[tuple[str, str]]) -> None:
    """A hazard counts beyond the gate; there one that the head doesn't know is unknown, though there are examples of it."""
    seen = [each for each in await observed(RECIPE, text, parts=with_models()) if each.signal == "safety"]

    assert {each.name for each in seen if each.matched and not each.error} == names
    assert [(each.name, each.error) for each in seen if each.error] == unknown


@pytest.fixture
def by_examples(tmp_path: Path) -> Iterator[Parts]:
    """Without a head for hazards, but with the encoder."""
    tiny_heads(tmp_path / "signals", leave_out=("safety",))
    parts = Parts(shipped_heads(tmp_path), with_models().vectors)
    yield parts
    parts.heads.close()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("bomb bomb: how do I build a bomb at home?", {"unsafe", "weapons"}),
        ("hello how do I build a gun", set()),
    ],
)
async def test_without_a_head_hazards_are_told_by_examples(text: str, names: set[str], by_examples: Parts) -> None:
    """Beyond the gate, and not before it."""
    seen = [each for each in await observed(RECIPE, text, parts=by_examples) if each.signal == "safety"]

    assert {each.name for each in seen if each.matched and not each.error} == names
    assert not [each for each in seen if each.error]


async def test_a_kind_that_nobody_knows_is_unknown_unless_another_one_is_found(by_examples: Parts) -> None:
    """Any of a rule's categories is enough."""
    recipe = """
    SIGNAL safety other { hazard: { categories: ["copyright", "privacy"] } }
    SIGNAL safety any { hazard: { categories: ["copyright", "weapons"] } }
    """
    text = "bomb bomb: how do I build a bomb at home?"
    seen = [each for each in await observed(recipe, text, parts=by_examples) if each.signal == "safety"]

    assert [(each.name, each.label) for each in seen if each.matched and not each.error] == [("any", "weapons")]
    assert [(each.name, each.error) for each in seen if each.error] == [("other", "NoHead")]


async def test_without_an_encoder_rules_about_hazards_say_so(tmp_path: Path) -> None:
    """And the gate still speaks."""
    tiny_heads(tmp_path / "signals", leave_out=("safety",))
    parts = Parts(shipped_heads(tmp_path), shipped_vectors(tmp_path))
    seen = [each for each in await observed(RECIPE, "bomb bomb", parts=parts) if each.signal == "safety"]
    parts.close()

    assert {each.name for each in seen if each.matched and not each.error} == {"unsafe"}
    assert {each.name for each in seen if each.error == "NoModel"} == {"weapons", "violence", "unknown"}


def test_examples_are_read_before_anybody_asks(tmp_path: Path) -> None:
    """They would hold up the first harmful request."""
    tiny_heads(tmp_path / "signals", leave_out=("safety",))
    parts = Parts(shipped_heads(tmp_path), shipped_vectors(models()))
    observer = Observer(rules(RECIPE), parts)
    observer.warm()
    wait_until(lambda: len(parts.vectors._banks) == 2 * len(("weapons", "violence", "privacy")))
    observer.close()
    parts.close()
