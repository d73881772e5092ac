"""Schemas that judges and planners are held to can be held: a local engine makes a grammar of each."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from daemon.decision.rules import Candidate
from daemon.loopers.base import Errand
from daemon.loopers.flow_plan import planning_schema
from daemon.loopers.fusion import JUDGING
from daemon.loopers.gathering import Answer
from daemon.loopers.ratings import judging
from daemon.recipes.algorithms import Workflows
from edge_models.grammars.schema_grammar import grammar
from providers.contract import Text

ANSWERS = [Answer(Candidate("local", "a"), Errand(f"panel-{n}", "panel"), (Text("x"),), "stop") for n in range(3)]


@pytest.mark.parametrize(
    "schema", [judging("judge-0", ANSWERS).schema, JUDGING, planning_schema(Workflows(), ("local", "work/a"))]
)
def test_it_is_a_grammar(schema: dict[str, Any]) -> None:
    """No keyword of it is one that local engines refuse."""
    assert "answer 3" in grammar(msgspec.json.encode(schema).decode()) or "answer 3" not in str(schema)
