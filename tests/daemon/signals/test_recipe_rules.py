"""The signals of a recipe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.decision.seen import FALSE, TRUE, Seen
from daemon.recipes.files import read_recipe
from daemon.settings import Settings
from daemon.signals.base import Observation
from daemon.signals.observe import Observer
from daemon.signals.recipe_rules import LOOKED, recipe_signals
from providers.contract import Message, Request, Text

CASES = Path(__file__).resolve().parents[2] / "recorded" / "vsr" / "e2e" / "keyword_routing_cases.json"
KEYWORDS = r"""
SIGNAL keyword urgent_request { operator: "OR" keywords: ["urgent", "immediate", "asap", "emergency"] }
SIGNAL keyword sensitive_data { operator: "AND" keywords: ["SSN", "credit card"] }
SIGNAL keyword regex_pattern_match { keywords: ["user.name@domain.com", "C:\\Program Files\\"] }
"""


async def looked(recipe: str, *said: str) -> tuple[Observation, ...]:
    observer = Observer(Settings(), recipe_signals(read_recipe(recipe, "dsl").routing))
    messages = tuple(Message("user", (Text(text),)) for text in said)
    try:
        return await observer.observe(Request(id="0" * 16, model="auto", protocol="t", messages=messages))
    finally:
        observer.close()


@pytest.mark.parametrize("case", json.loads(CASES.read_text()), ids=lambda case: case["name"])
async def test_upstreams_keyword_cases(case: dict[str, object]) -> None:
    """12 of 12, with upstream's exact confidence: 0.5 + 0.5 · matched / all.

    Upstream's rules are not in its data; their words are those that its cases name, two of them written as what they match.
    """
    seen = await looked(KEYWORDS, str(case["query"]))

    assert [(each.name, each.score) for each in seen] == [(case["expected_category"], case["expected_confidence"])]


async def test_bands_of_length() -> None:
    """A request falls into the bands that the recipe writes with K, and its length alone is no rule."""
    recipe = 'SIGNAL context short { max_tokens: "1K" } SIGNAL context tokens { min_tokens: "8K" max_tokens: "1M" }'

    assert [each.name for each in await looked(recipe, "hello")] == ["short"]
    assert [each.name for each in await looked(recipe, "word " * 9000)] == ["tokens"]


async def test_personal_data_by_rule() -> None:
    """Each rule sees the types that it doesn't allow, in the history too."""
    recipe = (
        'SIGNAL pii all { threshold: 0.9 } SIGNAL pii but_mail { pii_types_allowed: ["EMAIL_ADDRESS"] }'
        "SIGNAL secret keys {}"
    )
    seen = Seen(await looked(recipe, "mail ada.l@analytical-engines.co.uk", "and now?"), LOOKED)
    card = Seen(await looked(recipe, "card 4111 1111 1111 1111"), LOOKED)

    assert (seen.truth("pii", "all"), seen.truth("pii", "but_mail")) == (TRUE, FALSE)
    assert (card.truth("pii", "all"), card.truth("pii", "but_mail"), card.truth("secret", "keys")) == (
        TRUE,
        TRUE,
        FALSE,
    )


async def test_secrets() -> None:
    """A key of a vendor is seen by every rule of the family."""
    seen = await looked("SIGNAL secret keys {}", "token gh" + "p_" + "q7Zt2MvB9xKc4LwYp8RnD3sFhG6jTa5EuXk1")

    assert {(each.signal, each.name) for each in seen} == {("secret", "keys")}


async def test_what_a_recipe_does_not_ask_for_is_not_looked_at() -> None:
    """No rule, no observation."""
    assert await looked('SIGNAL keyword k { keywords: ["x"] }', "card 4111 1111 1111 1111") == ()
