"""What every signal has to do with every request."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.recipes.vocabulary import FAMILIES as SECTIONS
from daemon.signals.base import Asked, Kind, Observation
from daemon.signals.observe import Observer
from daemon.signals.registry import BOUNDARY
from daemon.signals.registry import FAMILIES as ROUTING
from providers.contract import Image, Message, Request, Sight, Text, Thought, Tool, ToolCall, ToolResult
from providers.texts import carried, fields
from tests.fakes.asking import rules, without_models
from tests.fakes.signal_parts import with_models

RULES = rules(
    """
SIGNAL keyword any { keywords: ["a", "한", "C++"] }
SIGNAL keyword none { keywords: ["zzz"] operator: "NOR" }
SIGNAL context all { min_tokens: "0" }
SIGNAL pii some { pii_types_allowed: ["IP_ADDRESS"] }
SIGNAL secret keys {}
SIGNAL structure long { feature: { type: "count" source: { type: "text_bytes" } } predicate: { gte: 10 } }
SIGNAL structure dense { feature: { type: "density" source: { type: "regex" pattern: "[a-z]+" } } }
SIGNAL structure words { feature: { type: "count" source: { type: "keyword_set" keywords: ["a", "한"] } } }
SIGNAL conversation turns { feature: { type: "count" source: { type: "message" } } }
SIGNAL language en {}
SIGNAL event alert { event_types: ["a"] severities: ["high"] temporal: true }
SIGNAL metadata hint { key: "k" predicate: { exists: false } }
SIGNAL domain math {}
SIGNAL embedding near { threshold: 0.5 candidates: ["a b", "c"] }
SIGNAL complexity hard { threshold: 0.1 hard: { candidates: ["prove it"] } easy: { candidates: ["hi"] } }
SIGNAL complexity trained { threshold: 0.1 hard: {} easy: {} }
SIGNAL jailbreak attack { method: "hybrid" jailbreak_patterns: ["ignore"] benign_patterns: ["hello"] include_history: true }
SIGNAL fact_check needs_fact_check {}
SIGNAL user_feedback wrong_answer {}
SIGNAL modality AR {}
SIGNAL preference terse { examples: ["be brief"] }
SIGNAL reask again {}
SIGNAL kb known { kb: "absent" target: { kind: "label" value: "x" } }
SIGNAL classifier own { type: "local" labels: ["a", "b"] model_path: "absent" }
SIGNAL safety unsafe { hazard: { categories: ["weapons"] } }
SIGNAL decision asked { question: { type: "noul" instructions: "Is it a greeting?" } }
SIGNAL task_shape chat {}
SIGNAL image sharp { kinds: ["photo"] findings: ["pii"] words: { gte: 0 } count: { gte: 0 } }
SIGNAL image away { mismatch: { domains: ["math"] kinds: ["chart"] } }
SIGNAL input_modality text {}
SIGNAL authz me { role: "r" subjects: [{ kind: "User" name: "x" }] }
"""
)
FAMILIES = ROUTING | BOUNDARY
every = pytest.mark.parametrize("name", FAMILIES)
texts = st.text(st.characters(), max_size=200)  # lone surrogates too


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """A request with any text in each kind of part."""
    seen = Image("data:image/png;base64,eA==", sight=Sight(form="png", text=draw(texts), kinds={"photo": 0.7}))
    parts: tuple[Any, ...] = (
        Text(draw(texts)),
        Thought(draw(texts), draw(st.none() | st.just("sig"))),
        ToolCall("c1", draw(texts), draw(texts)),
        ToolResult("c1", (Text(draw(texts)), seen)),
        Image("data:image/png;base64,"),
        seen,
    )
    tool = Tool(draw(texts), draw(texts), {draw(texts): [draw(texts), 1, None]})
    return Request(
        id="0" * 16,
        model="auto",
        protocol="t",
        messages=(Message("assistant", parts), Message("user", (Text(draw(texts)),))),
        tools=(tool,),
        extras={draw(texts): draw(texts)},
    )


def look(name: str, request: Request) -> list[Observation]:
    return FAMILIES[name](RULES, with_models(guard=True, reduce=frozenset(BOUNDARY))).look(
        Asked(request, fields(request))
    )


def told(seen: list[Observation]) -> list[Any]:
    """Without what a clock measured."""
    return [(o.signal, o.kind, o.name, o.label, o.score, o.value, o.spans, o.scanned, o.error) for o in seen]


@every
@settings(deadline=None)  # the first one opens a model
@given(request=requests())
def test_any_request_is_looked_at(name: str, request: Request) -> None:
    """No text makes it raise; it says whose observation it is; scores, spans and counts are in range; twice is the same."""
    signal = FAMILIES[name](RULES, with_models(guard=True, reduce=frozenset(BOUNDARY)))
    by_path: dict[str, list[int]] = {}
    for field in fields(request):
        by_path.setdefault(field.path, []).append(len(field.text))

    pictures = {path for path, _ in carried(request)}

    seen = signal.look(Asked(request, fields(request)))

    for observation in seen:
        assert (observation.signal, observation.kind) == (name, signal.kind)
        assert observation.error is None or name in ("image", "kb", "classifier")
        assert 0 <= observation.score <= 1
        assert observation.took_ms >= 0
        assert 0 <= observation.scanned <= sum(sum(lengths) for lengths in by_path.values())
        for span in observation.spans:
            if span.path in by_path:
                assert 0 <= span.start < span.end <= max(by_path[span.path])
            else:  # a picture as a whole
                assert (span.path in pictures, span.start, span.end) == (True, 0, 0)
    assert told(look(name, request)) == told(seen)


@every
def test_nothing_is_found_in_an_empty_request(name: str) -> None:
    """Without words there are no places."""
    empty = Request(id="0" * 16, model="auto", protocol="t", messages=())

    assert all(not observation.spans for observation in look(name, empty))


@every
def test_its_name_in_the_table_is_its_own(name: str) -> None:
    """A record that names a signal finds it in the table."""
    assert FAMILIES[name](RULES, without_models()).signal == name


@every
async def test_if_it_breaks_the_boundary_sees_it(name: str) -> None:
    """An error becomes an observation of its kind, without words."""
    kind = FAMILIES[name](RULES, without_models()).kind

    class Broken:
        signal, lane = name, "rules"

        def __init__(self, rules: object, parts: object) -> None:
            self.kind = kind

        def look(self, asked: Asked) -> list[Observation]:
            raise ValueError("the user's words")

    observer = Observer(RULES, without_models(), families={name: Broken})
    seen = await observer.observe(Request(id="0" * 16, model="auto", protocol="t", messages=()))
    observer.close()

    assert seen == (Observation(signal=name, kind=kind, name=name, error="ValueError"),)


def test_what_guards_privacy_is_of_that_kind() -> None:
    """These six fail closed."""
    guards = {name for name, make in FAMILIES.items() if make(RULES, without_models()).kind is Kind.PRIVACY}

    assert guards == {"code", "doubt", "implicit", "picture", "pii", "secret"}


@every
def test_without_rules_nothing_matches(name: str) -> None:
    """What a recipe does not ask for is not looked at."""
    request = Request(
        id="0" * 16, model="auto", protocol="t", messages=(Message("user", (Text("a 4111111111111111"),)),)
    )
    signal = FAMILIES[name](rules(""), without_models())

    assert signal.lane == "rules"
    assert not [seen for seen in signal.look(Asked(request, fields(request))) if seen.matched]


def test_every_family_of_recipes_looks() -> None:
    """A recipe can name none that nobody evaluates."""
    assert set(ROUTING) == set(SECTIONS)
