"""The estimate of a prompt's length."""

from __future__ import annotations

import pytest

from daemon.recipes.signals import Context, Signals
from daemon.signals.context import ContextLength, estimate
from providers.contract import Request, Tool
from tests.fakes.asking import asked, asking, without_models


def look(request: Request, *bands: Context) -> dict[str, float | None]:
    seen = ContextLength(Signals(context=bands), without_models()).look(asked(request))
    assert [observation.matched for observation in seen] == [False, *(True for _ in seen[1:])]
    return {observation.name: observation.value for observation in seen}


def looked(text: str, *bands: Context) -> dict[str, float | None]:
    return look(asking(text), *bands)


MEASURED = [
    # counted with SmolLM2-135M-Instruct's own tokenizer (openvino-genai 2026.4.1)
    (
        "The committee agreed that the bridge should be repaired before winter, although nobody could say who would pay for it.",
        22,
    ),
    (
        "def mean(values: list[float]) -> float:\n    total = 0.0\n    for value in values:\n        total += value\n    return total / len(values)\n",
        38,
    ),
    ('{"name": "look_up", "arguments": {"query": "weather", "limit": 10, "verbose": false}}', 29),
    (
        "# Install\n\n1. Clone the repository.\n2. Run `uv sync`.\n3. Start it with `nearloop up`, and open **another** terminal.\n",
        37,
    ),
    ("2026-03-04T12:33:07Z INFO worker[4211] GET /api/v2/items/8812 200 31ms id=9f1c22ab\n", 60),
    ("今天的会议改到下午三点，请大家提前十分钟到场，并带上上周的报告。", 51),
    ("明日の会議は午後三時に変更になりましたので、資料を忘れずに持ってきてください。", 70),
    ("SELECT id, total FROM orders WHERE created_at > now() - interval '7 days' ORDER BY total DESC LIMIT 20;", 30),
]


@pytest.mark.parametrize(("text", "tokens"), MEASURED)
def test_the_estimate_is_near_the_tokenizers_count(text: str, tokens: int) -> None:
    """Texts of several kinds are estimated to a third."""
    assert tokens / 1.35 <= estimate(text) <= tokens * 1.35


def test_the_estimate_of_mixed_texts_together_is_within_a_tenth() -> None:
    """Errors of single texts cancel each other in a long prompt."""
    assert sum(estimate(text) for text, _ in MEASURED) == pytest.approx(sum(tokens for _, tokens in MEASURED), rel=0.1)


def test_tokens_are_always_observed() -> None:
    """Without any band of the user's, the length is known."""
    assert looked("") == {"tokens": 5.0}


def test_each_band_that_holds_the_length_is_observed() -> None:
    """Bands may overlap, include both their ends, and may have no upper end."""
    bands = (
        Context(name="any"),
        Context(name="long", min_tokens="1K"),
        Context(name="exact", min_tokens=5, max_tokens=5),
        Context(name="short", max_tokens=4),
    )

    assert looked("", *bands).keys() == {"tokens", "any", "exact"}


def test_tools_count_and_stop_words_do_not() -> None:
    """What goes into the prompt is counted."""
    plain = looked("hello")["tokens"]
    tools = (Tool("look", "Looks something up in the archive", {"type": "object"}),)
    tooled = look(asking("hello", tools=tools))["tokens"]

    assert plain is not None
    assert tooled is not None
    assert tooled > plain + 5


def test_lone_surrogates_are_counted() -> None:
    """Text that is no valid UTF-8 does not break the estimate."""
    assert estimate("\ud800 a") > 0
