"""Whole policies: what they decide, however their files are ordered, and what is still open."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.decision.engine import Engine, Outcome
from daemon.decision.seen import Seen
from daemon.decision.trace import trace
from daemon.recipes.conditions import Branch, Condition, Leaf, canonical
from daemon.recipes.files import read_recipe
from daemon.recipes.model import Decision, ModelRef, Routing
from daemon.recipes.projections import Input, Mapping, Output, Partition, Projections, Score
from daemon.recipes.signals import Domain, Keyword, Pii, Signals
from daemon.signals.base import Kind, Observation

CASES = Path(__file__).resolve().parents[2] / "recorded" / "vsr" / "e2e"
RULES = [("pii", "p"), ("pii", "q"), ("keyword", "k"), ("domain", "law"), ("domain", "math"), ("domain", "other")]
BANDS = [("projection", name) for name in ("low", "middle", "high", "some")]
FAMILIES = frozenset({"pii", "keyword", "domain"})
SIGNALS = Signals(
    pii=(Pii(name="p"), Pii(name="q")),
    keywords=(Keyword(name="k", keywords=("a",)),),
    domains=(Domain(name="law"), Domain(name="math"), Domain(name="other")),
)


def observation(signal: str, name: str, score: float = 1.0) -> Observation:
    return Observation(signal=signal, kind=Kind.ROUTE, name=name, score=score)


LEAVES = st.sampled_from(RULES + BANDS).map(lambda key: Leaf(type=key[0], name=key[1]))
CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(Branch, operator=st.just("NOT"), conditions=st.tuples(inner))
        | st.builds(Branch, operator=st.sampled_from(["AND", "OR"]), conditions=st.lists(inner, min_size=1, max_size=3).map(tuple))
    ),
    max_leaves=5,
)  # fmt: skip
WEIGHTS = st.sampled_from([-0.5, 0.1, 0.3, 0.7])
INPUTS = st.builds(
    lambda key, weight, source: Input(type=key[0], name=key[1], weight=weight, value_source=source),
    st.sampled_from(RULES),
    WEIGHTS,
    st.sampled_from(["binary", "confidence"]),
)


@st.composite
def routings(draw: Callable[[Any], Any]) -> Routing:
    """Policies over the rules above, with a partition, two scores and two mappings."""
    inputs = st.lists(INPUTS, min_size=1, max_size=4).map(tuple)
    second = (*draw(inputs), Input(type="projection", name="one", weight=draw(WEIGHTS)))
    decisions = []
    for number in range(draw(st.integers(1, 5))):
        rules = canonical(draw(st.none() | CONDITIONS))
        if rules:
            on_unknown = draw(st.sampled_from([None, None, "match", "no_match", "fail_request"]))
            rules = Branch(operator=rules.operator, conditions=rules.conditions, on_unknown=on_unknown)
        priority, tier = draw(st.integers(0, 2)), draw(st.sampled_from([0, 0, 1, 2]))
        decisions.append(
            Decision(name=f"d{number}", priority=priority, tier=tier, rules=rules, model_refs=(ModelRef(model="m"),))
        )
    return Routing(
        strategy=draw(st.sampled_from(["priority", "confidence"])),
        signals=SIGNALS,
        projections=Projections(
            partitions=(
                Partition(
                    name="p",
                    members=("law", "math", "other"),
                    default="other",
                    semantics=draw(st.sampled_from(["exclusive", "softmax_exclusive"])),
                ),
            ),
            scores=(Score(name="one", inputs=draw(inputs)), Score(name="two", inputs=second)),
            mappings=(
                Mapping(
                    name="bands",
                    source="one",
                    outputs=(
                        Output(name="low", lt=0.2),
                        Output(name="middle", gte=0.2, lt=0.5),
                        Output(name="high", gte=0.5),
                    ),
                ),
                Mapping(name="more", source="two", outputs=(Output(name="some", gt=0.3),)),
            ),
        ),
        decisions=tuple(decisions),
    )


FOUND = st.dictionaries(st.sampled_from(RULES), st.sampled_from([0.3, 0.6, 0.9]), max_size=4)
LOOKED = st.sets(st.sampled_from(sorted(FAMILIES)))


def request(found: dict[tuple[str, str], float], looked: frozenset[str]) -> Seen:
    return Seen([observation(*key, score) for key, score in found.items() if key[0] in looked], looked)


def shuffled(routing: Routing, seeded: random.Random) -> Routing:
    """The same policy, with everything in another order."""

    def mixed(parts: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(seeded.sample(parts, len(parts)))

    def conditions(condition: Condition) -> Condition:
        if isinstance(condition, Leaf):
            return condition
        return msgspec.structs.replace(condition, conditions=mixed(tuple(map(conditions, condition.conditions))))

    projections = routing.projections
    return msgspec.structs.replace(
        routing,
        decisions=mixed(
            tuple(
                msgspec.structs.replace(each, rules=conditions(each.rules)) if each.rules else each
                for each in routing.decisions
            )
        ),
        signals=msgspec.structs.replace(SIGNALS, domains=mixed(SIGNALS.domains), pii=mixed(SIGNALS.pii)),
        projections=Projections(
            partitions=tuple(
                msgspec.structs.replace(each, members=mixed(each.members)) for each in projections.partitions
            ),
            scores=mixed(
                tuple(msgspec.structs.replace(each, inputs=mixed(each.inputs)) for each in projections.scores)
            ),
            mappings=mixed(
                tuple(msgspec.structs.replace(each, outputs=mixed(each.outputs)) for each in projections.mappings)
            ),
        ),
    )


@settings(max_examples=80, deadline=None)
@given(routings(), FOUND, LOOKED, st.integers(0, 9))
def test_the_order_of_a_file_never_matters(
    routing: Routing, found: dict[tuple[str, str], float], looked: set[str], seed: int
) -> None:
    """Shuffle decisions, conditions, members, inputs, bands and what was seen: the outcome is the same."""
    seen = request(found, frozenset(looked))
    again = request(dict(reversed(found.items())), frozenset(looked))
    other = Engine(shuffled(routing, random.Random(seed)))

    assert other.decide(again) == Engine(routing).decide(seen)
    assert [(each.name, each.truth, each.measure) for each in trace(other, again).decisions] == [
        (each.name, each.truth, each.measure) for each in trace(Engine(routing), seen).decisions
    ]


@settings(max_examples=150, deadline=None)
@given(routings(), FOUND, LOOKED, st.lists(FOUND, min_size=4, max_size=4))
def test_what_is_not_doubtful_stays_whatever_the_others_would_see(
    routing: Routing, found: dict[tuple[str, str], float], looked: set[str], others: list[dict[tuple[str, str], float]]
) -> None:
    """Where nothing is doubtful, no signal that is missing could have changed the decision."""
    engine = Engine(routing)
    outcome = engine.decide(request(found, frozenset(looked)))
    if outcome.doubtful:
        return

    assert outcome.failed_by is None
    known = {key: score for key, score in found.items() if key[0] in looked}
    for other in others:
        whole = {**{key: score for key, score in other.items() if key[0] not in looked}, **known}
        assert engine.decide(request(whole, FAMILIES)).decision == outcome.decision


@settings(max_examples=60, deadline=None)
@given(routings(), FOUND, LOOKED)
def test_the_trace_tells_what_was_decided(
    routing: Routing, found: dict[tuple[str, str], float], looked: set[str]
) -> None:
    """Trace and decision see the same."""
    engine = Engine(routing)
    seen = request(found, frozenset(looked))

    told = trace(engine, seen)

    assert told.outcome == engine.decide(seen)
    truths = {each.name: each.truth for each in told.decisions}
    for name in told.outcome.ranked:
        assert truths[name] == "true" or name in told.outcome.doubtful or truths[name] == "unknown"
    assert all(name in told.outcome.ranked for name, truth in truths.items() if truth == "true")


POLICY = """
SIGNAL pii p {{}} SIGNAL jailbreak j {{}}
ROUTE guarded (on_unknown = "{on_unknown}") {{ PRIORITY {priority} WHEN jailbreak("j") MODEL "a" }}
ROUTE normal {{ PRIORITY 5 WHEN NOT pii("p") MODEL "b" }}
"""


@pytest.mark.parametrize(
    ("on_unknown", "priority", "decision", "failed_by", "doubtful"),
    [
        ("no_match", 9, "normal", None, ("guarded",)),
        ("match", 9, "guarded", None, ("guarded",)),
        ("fail_request", 9, "normal", "guarded", ("guarded",)),
        ("fail_request", 1, "normal", None, ()),  # it could not have won: it has no reason to fail
        ("match", 1, "normal", None, ()),
    ],
)
def test_what_an_unknown_counts_as(
    on_unknown: str, priority: int, decision: str, failed_by: str | None, doubtful: tuple[str, ...]
) -> None:
    """As the recipe says, and only where it makes a difference."""
    recipe = read_recipe(POLICY.format(on_unknown=on_unknown, priority=priority), "dsl")

    outcome = Engine(recipe.routing).decide(Seen([], frozenset({"pii"})))

    assert (outcome.decision, outcome.failed_by, outcome.doubtful) == (decision, failed_by, doubtful)


def test_a_winner_by_confidence_is_doubtful_while_a_confidence_is_open() -> None:
    """Both match for certain, but how sure one of them is hangs on a signal that is not here, and would turn the order."""
    routing = read_recipe(
        'ROUTING { strategy: "confidence" } SIGNAL pii p {} SIGNAL jailbreak j {}'
        'PROJECTION score one { inputs: [{ type: "pii", name: "p", weight: 0.3 }, { type: "jailbreak", name: "j", weight: 0.5 }] }'
        'PROJECTION score two { inputs: [{ type: "pii", name: "p", weight: 0.5 }] }'
        'PROJECTION mapping m { source: "one" outputs: [{ name: "open", gte: 0.2 }] }'
        'PROJECTION mapping n { source: "two" outputs: [{ name: "known", gte: 0.2 }] }'
        'ROUTE a { WHEN projection("open") MODEL "m" } ROUTE b { WHEN projection("known") MODEL "m" }',
        "dsl",
    ).routing
    seen = [observation("pii", "p")]

    now = Engine(routing).decide(Seen(seen, frozenset({"pii"})))
    then = Engine(routing).decide(Seen([*seen, observation("jailbreak", "j")], frozenset({"pii", "jailbreak"})))

    assert (now.decision, now.doubtful) == ("b", ("a",))
    assert (then.decision, then.doubtful, then.reason) == ("a", (), "confidence")


def test_no_match() -> None:
    """Nobody is chosen, which is not the same as the first."""
    routing = read_recipe('SIGNAL pii p {} ROUTE r { WHEN pii("p") MODEL "m" }', "dsl").routing

    assert Engine(routing).decide(Seen([], frozenset({"pii"}))) == Outcome(decision=None, reason="only", ranked=())


def test_a_composer_gates_its_levels() -> None:
    """A complexity rule counts only where its composer holds."""
    routing = read_recipe(
        'SIGNAL pii p {} SIGNAL complexity c { threshold: 0.1 hard: {} easy: {} composer: { type: "pii", name: "p" } }'
        'ROUTE r { WHEN complexity("c:hard") MODEL "m" }',
        "dsl",
    ).routing
    hard = Observation(signal="complexity", kind=Kind.ROUTE, name="c", label="hard", score=0.5)
    engine = Engine(routing)

    assert engine.decide(Seen([hard], frozenset({"complexity", "pii"}))).decision is None
    assert engine.decide(Seen([hard, observation("pii", "p")], frozenset({"complexity", "pii"}))).decision == "r"
    assert engine.decide(Seen([hard], frozenset({"complexity"}))).doubtful == ("r",)
    assert engine.families() == {"complexity", "pii"}


def test_families_are_found_through_projections() -> None:
    """What a decision hangs on, however many sums lie between."""
    routing = read_recipe(
        "SIGNAL pii p {} SIGNAL domain law {}"
        'PROJECTION score one { inputs: [{ type: "pii", name: "p", weight: 1 },'
        ' { type: "kb_metric", kb: "k", metric: "m", weight: 1 }] }'
        'PROJECTION score two { inputs: [{ type: "projection", name: "one", weight: 1 }] }'
        'PROJECTION mapping m { source: "two" outputs: [{ name: "b", gt: 0 }] }'
        'ROUTE a { WHEN projection("b") MODEL "m" } ROUTE b { WHEN domain("law") MODEL "m" }',
        "dsl",
    ).routing

    assert Engine(routing).families(("a",)) == {"pii", "kb"}
    assert Engine(routing).families() == {"pii", "kb", "domain"}


def test_upstreams_decision_fallback_cases() -> None:
    """51 of 51: with the domain that each case names, its decision is taken, and the catch-all where none is named.

    The classifier that would find the domain does not exist here: its verdict is taken from the case, so this shows the
    evaluation and the fall-back, not the classification. Upstream's catch-all has the highest number of all here.
    """
    cases = json.loads((CASES / "decision_fallback_cases.json").read_text())["test_cases"]
    names = sorted({case["expected_decision"] for case in cases} - {"other_decision"})
    routes = "".join(
        f'SIGNAL domain "{name}" {{}} ROUTE {name} {{ PRIORITY 10 WHEN domain("{name}") MODEL "m" }}\n'
        for name in names
    )
    engine = Engine(read_recipe(f'{routes} ROUTE other_decision {{ PRIORITY 999 MODEL "m" }}', "dsl").routing)

    for case in cases:
        verdict = [] if case["should_fallback"] else [observation("domain", case["expected_decision"], 0.6)]
        assert engine.decide(Seen(verdict, frozenset({"domain"}))).decision == case["expected_decision"], case
    assert len(cases) == 51


def test_upstreams_routing_fallback_cases() -> None:
    """20 of 20: a keyword goes before an embedding, that before the classifier, and nothing at all to the default.

    What each signal saw is taken from the case: embeddings and the classifier do not exist here.
    """
    cases = json.loads((CASES / "routing_fallback_cases.json").read_text())
    order = (("keyword_match", "keyword", 30), ("embedding_match", "embedding", 20), ("bert_match", "domain", 10))
    rules = {(family, case[key], priority) for case in cases for key, family, priority in order if case[key]}
    needed = {"keyword": 'keywords: ["x"]', "embedding": 'threshold: 0.5 candidates: ["x"]', "domain": ""}
    text = "".join(
        f'SIGNAL {family} "{name}" {{ {needed[family]} }}\n'
        f'ROUTE "{family}:{name}" {{ PRIORITY {priority} WHEN {family}("{name}") MODEL "m" }}\n'
        for family, name, priority in sorted(rules)
    )
    engine = Engine(read_recipe(text, "dsl").routing)

    for case in cases:
        verdicts = [observation(family, case[key], 0.7) for key, family, _ in order if case[key]]
        outcome = engine.decide(Seen(verdicts, frozenset({"keyword", "embedding", "domain"})))
        family = {"keyword": "keyword", "embedding": "embedding", "bert": "domain"}.get(case["expected_method"])
        expected = f"{family}:{case['expected_category']}" if family else None
        assert outcome.decision == expected, case["name"]
    assert len(cases) == 20
