"""Why, in full."""

from __future__ import annotations

import msgspec

from daemon.decision.engine import Engine
from daemon.decision.seen import Seen
from daemon.decision.trace import Trace, trace
from daemon.recipes.files import read_recipe
from daemon.signals.base import Kind, Observation

RECIPE = """
ROUTING { strategy: "confidence" }
SIGNAL domain law {} SIGNAL domain math {}
SIGNAL jailbreak j {}
PROJECTION partition p { members: ["law", "math"] default: "math" }
PROJECTION score s { inputs: [{ type: "domain", name: "law", weight: 0.5, value_source: "confidence" },
                              { type: "jailbreak", name: "j", weight: 0.2 },
                              { type: "kb_metric", kb: "k", metric: "m", weight: 0 }] }
PROJECTION mapping m { source: "s" outputs: [{ name: "low", lt: 0.1 }, { name: "high", gte: 0.1 }] }
ROUTE r { PRIORITY 3 TIER 1 WHEN domain("law") AND NOT (jailbreak("j") OR projection("low")) MODEL "m" }
ROUTE rest { MODEL "m" }
"""


def traced() -> Trace:
    seen = [
        Observation(signal="domain", kind=Kind.ROUTE, name=name, score=score)
        for name, score in (("law", 0.8), ("math", 0.5))
    ]
    return trace(Engine(read_recipe(RECIPE, "dsl").routing), Seen(seen, frozenset({"domain"})))


def test_every_step_is_told() -> None:
    """Contenders, contributions, distances and conditions, each with its numbers."""
    told = traced()

    (contest,) = told.partitions
    assert ([each.name for each in contest.contenders], contest.winner, contest.default_used) == (
        ["law", "math"],
        "law",
        False,
    )
    assert round(contest.margin, 6) == 0.3
    (score,) = told.scores
    assert (score.low, score.high) == (0.4, 0.6000000000000001)
    assert [(each.low, each.high) for each in score.contributions] == [(0.4, 0.4), (0.0, 0.2), (0.0, 0.0)]
    (mapping,) = told.mappings
    assert [(each.name, each.matched) for each in mapping.outputs] == [("low", "false"), ("high", "true")]
    decision = next(each for each in told.decisions if each.name == "r")
    assert decision.rules
    assert (decision.truth, decision.rules.operator) == ("unknown", "AND")
    assert [(each.text, each.truth) for each in decision.rules.parts] == [
        ('domain("law")', "true"),
        ('NOT (jailbreak("j") OR projection("low"))', "unknown"),
    ]
    assert told.outcome.doubtful == ("r",)
    assert told.outcome.decision == "rest"


def test_a_trace_travels() -> None:
    """As JSON, with no number that JSON lacks."""
    told = traced()

    assert msgspec.json.decode(msgspec.json.encode(told), type=Trace) == told
