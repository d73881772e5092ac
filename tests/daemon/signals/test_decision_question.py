"""Questions of a recipe."""

from __future__ import annotations

from tests.fakes.asking import observed
from tests.fakes.signal_parts import with_models

RECIPE = """
SIGNAL decision kind {
  question: {
    type: "choice" instructions: "What is asked for?"
    choices: [{ key: "code" description: "writing or debugging code" }, { key: "weather" description: "the weather" }]
  }
}
SIGNAL decision is_code { question: { type: "noul" instructions: "a request for Python code" } predicate: { gte: 0.5 } }
SIGNAL decision level {
  question: { type: "score" instructions: "It is" levels: ["about the weather", "about Python code"] } predicate: { gte: 0.5 }
}
SIGNAL decision topics {
  question: { type: "set" instructions: "" labels: [{ key: "code" description: "Python code" }, { key: "cooking" description: "a recipe" }] }
  predicate: { gte: 0.5 }
}
SIGNAL decision places { question: { type: "span" instructions: "" labels: [{ key: "x" }] } }
"""


async def test_values_are_upstreams() -> None:
    """`RULE` and `RULE:KEY`; a type that nothing here answers is unknown."""
    seen = [
        each
        for each in await observed(RECIPE, "debug my Python code", parts=with_models())
        if each.signal == "decision"
    ]
    matched = {each.name for each in seen if each.matched and not each.error}
    values = {each.name: each.value for each in seen}

    assert matched == {"kind", "kind:code", "is_code", "level", "topics", "topics:code"}
    assert values["kind"] == values["kind:code"]
    assert (values["level"] or 0) > 0.5
    assert [(each.name, each.error) for each in seen if each.error] == [("places", "NotHere")]
