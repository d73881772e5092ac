"""Loopers of several calls on the embedded model alone: real answers, a real plan, and nothing that leaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.fakes.running import RunningDaemon

pytestmark = pytest.mark.slow

RECIPE: Final = """
SIGNAL keyword rounds { keywords: ["rounds"] }
SIGNAL keyword plan { keywords: ["plan"] }
MODEL local {}
ROUTE rounds {
  PRIORITY 20
  WHEN keyword("rounds")
  MODEL "local"
  ALGORITHM remom { breadth_schedule: [2] max_completion_tokens: 24 }
}
ROUTE planned {
  PRIORITY 10
  WHEN keyword("plan")
  MODEL "local"
  ALGORITHM workflows {
    mode: "dynamic"
    max_steps: 1
    max_completion_tokens: 24
    planner: { model: "local", max_completion_tokens: 400 }
  }
}
"""
SETTINGS: Final = """
version = 1
[routing]
recipe = "mine.dsl"
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Iterator[RunningDaemon]:
    home = tmp_path_factory.mktemp("local")
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "models").symlink_to(model_cache)
    (home / "config").mkdir()
    (home / "config" / "mine.dsl").write_text(RECIPE)
    running = RunningDaemon(home, SETTINGS)
    running.wait_ready(90)
    yield running
    running.stop()


def ask(daemon: RunningDaemon, text: str) -> tuple[str, Any]:
    """The answer's words, and its record."""
    with daemon.http() as client, daemon.client() as control:
        body = {"model": "auto", "seed": 1, "messages": [{"role": "user", "content": text}]}
        answer: httpx.Response = client.post("/v1/chat/completions", json=body)
        assert answer.status_code == 200, answer.text
        said = answer.json()["choices"][0]["message"]["content"]
        return said, control.record(answer.headers["x-nearloop-record"]).record


def test_rounds(daemon: RunningDaemon) -> None:
    """Two draws, then a synthesis: three attempts on this machine, whose tokens are all counted."""
    said, record = ask(daemon, "In rounds: name a colour.")

    assert said.strip()
    assert [each.role for each in record.attempts] == ["panel", "panel", "synthesis"]
    assert [each.outcome for each in record.attempts] == ["answered"] * 3
    assert record.ledger.completion_tokens == sum(each.completion_tokens for each in record.attempts) > 0
    assert (record.egress, record.ledger.cost_usd) == ("none", 0.0)


def test_a_plan(daemon: RunningDaemon) -> None:
    """A model that is held to the plan's schema makes one that the recipe allows, however small it is."""
    said, record = ask(daemon, "Make a plan: name a colour.")

    assert said.strip()
    assert [each.role for each in record.attempts] == ["planner", "step", "synthesis"]
    assert record.notes == ()
