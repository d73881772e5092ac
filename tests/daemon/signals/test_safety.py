"""Harmful content."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.signals.parts import Parts
from daemon.signals.shipped import shipped_heads, shipped_vectors
from tests.fakes.asking import observed
from tests.fakes.signal_models import tiny_heads
from tests.fakes.signal_parts import with_models

RECIPE = """
SIGNAL safety unsafe {}
SIGNAL safety weapons { hazard: { categories: ["weapons"] threshold: 0.6 } }
SIGNAL safety violence { hazard: { categories: ["violence"] threshold: 0.6 } }
SIGNAL safety gated { threshold: 1 hazard: { categories: ["weapons"] } }
SIGNAL safety unknown { hazard: { categories: ["privacy"] } }
"""


@pytest.mark.parametrize(("text", "names"), [("bomb bomb", {"unsafe", "weapons"}), ("hello", set())])
async def test_a_gate_and_hazards(text: str, names: set[str]) -> None:
    """A hazard counts beyond the gate; one that no head knows is unknown."""
    seen = [each for each in await observed(RECIPE, text, parts=with_models()) if each.signal == "safety"]

    assert {each.name for each in seen if each.matched and not each.error} == names
    assert [(each.name, each.error) for each in seen if each.error] == [("unknown", "NoHead")]


async def test_without_a_head_for_hazards_the_gate_still_speaks(tmp_path: Path) -> None:
    """And rules about hazards say that they can't."""
    tiny_heads(tmp_path / "signals", leave_out=("safety",))
    parts = Parts(shipped_heads(tmp_path), shipped_vectors(tmp_path))
    seen = [each for each in await observed(RECIPE, "bomb bomb", parts=parts) if each.signal == "safety"]
    parts.close()

    assert {each.name for each in seen if each.matched and not each.error} == {"unsafe"}
    assert {each.name for each in seen if each.error == "NoHead"} == {"weapons", "violence", "gated", "unknown"}
