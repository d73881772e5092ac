"""What a request would have cost."""

from __future__ import annotations

from datetime import date

import pytest

from providers.prices import AS_OF, PRICES, Tokens, price


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("claude-opus-4-8", "claude-opus-4-8"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-opus-5[1m]", "claude-opus-5"),
        ("anthropic/claude-haiku-4-5", "claude-haiku-4-5"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("openai/gpt-5-2025-08-07", "gpt-5"),
        ("GPT-5.4-mini", "gpt-5.4-mini"),
    ],
)
def test_names_in_logs(written: str, known: str) -> None:
    """Providers before a name, and dates and windows behind it, don't matter."""
    assert price(written) == PRICES[known]


@pytest.mark.parametrize("model", ["", "some-model", "claude", "gpt-5-unheard-of", "claude-opus-4-8-turbo", "/", "gpt"])
def test_unknown_models_have_no_price(model: str) -> None:
    """A model that isn't in the table is not taken for one that is."""
    assert price(model) is None


def test_parts_of_a_prompt_have_prices_of_their_own() -> None:
    """A million each of new, cached, stored for five minutes and for an hour, and written, at the published prices."""
    opus = PRICES["claude-opus-5"]
    million = 1_000_000

    assert opus.cost_usd(Tokens(read=million)) == pytest.approx(5)
    assert opus.cost_usd(Tokens(cached=million)) == pytest.approx(0.5)
    assert opus.cost_usd(Tokens(stored=million)) == pytest.approx(6.25)
    assert opus.cost_usd(Tokens(stored_long=million)) == pytest.approx(10)
    assert opus.cost_usd(Tokens(written=million)) == pytest.approx(25)
    assert Tokens(1, 2, 3, 4, 5).prompt == 10


def test_long_prompts() -> None:
    """Above its makers' bound, a prompt costs more, and so does its answer; at the bound not yet."""
    astra = PRICES["gpt-6-astra"]

    assert astra.cost_usd(Tokens(272_000, written=1000)) == pytest.approx(2.72 + 0.05)
    assert astra.cost_usd(Tokens(272_001, written=1000)) == pytest.approx(2 * 2.72001 + 0.075)


def test_the_table_is_dated_and_sane() -> None:
    """It says when it was read, and no model reads dearer than it writes or cheaper than from its cache."""
    assert date.fromisoformat(AS_OF)
    for name, found in PRICES.items():
        assert 0 < found.cached < found.read <= found.stored <= found.stored_long, name
        assert found.read < found.written, name
