"""What a request would have cost."""

from __future__ import annotations

from datetime import date

import pytest

from providers.prices import PRICES, Long, Price, Tokens, price


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
    assert price(written) == PRICES[known].price


@pytest.mark.parametrize("model", ["", "some-model", "claude", "gpt-5-unheard-of", "claude-opus-4-8-turbo", "/", "gpt"])
def test_unknown_models_have_no_price(model: str) -> None:
    """A model that isn't in the table is not taken for one that is."""
    assert price(model) is None


def test_parts_of_a_prompt_have_prices_of_their_own() -> None:
    """A million each of new, cached, stored for five minutes and for an hour, and written, at the published prices."""
    opus = PRICES["claude-opus-5"].price
    million = 1_000_000

    assert opus.cost_usd(Tokens(read=million)) == pytest.approx(5)
    assert opus.cost_usd(Tokens(cached=million)) == pytest.approx(0.5)
    assert opus.cost_usd(Tokens(stored=million)) == pytest.approx(6.25)
    assert opus.cost_usd(Tokens(stored_long=million)) == pytest.approx(10)
    assert opus.cost_usd(Tokens(written=million)) == pytest.approx(25)
    assert Tokens(1, 2, 3, 4, 5).prompt == 10


def test_long_prompts() -> None:
    """Above its makers' bound, a prompt costs more, and so does its answer; at the bound not yet."""
    astra = PRICES["gpt-6-astra"].price

    assert astra.cost_usd(Tokens(272_000, written=1000)) == pytest.approx(2.72 + 0.05)
    assert astra.cost_usd(Tokens(272_001, written=1000)) == pytest.approx(2 * 2.72001 + 0.075)


def test_the_table_is_dated_and_sane() -> None:
    """Each row says where and when it was read, and no model reads dearer than it writes or cheaper than from its cache."""
    for name, row in PRICES.items():
        assert date.fromisoformat(row.as_of), name
        assert row.source, name
        found = row.price
        assert found.cached and found.stored and found.stored_long, name
        assert 0 < found.cached < found.read <= found.stored <= found.stored_long, name
        assert found.read < found.written, name


@pytest.mark.parametrize(
    ("price", "tokens", "nano"),
    [
        # by hand: 1,000 x 3,000 + 20,000 x 300 + 500 x 3,750 + 40 x 6,000 + 700 x 15,000 nano-USD
        (Price(3, 15, 0.3, 3.75, 6), Tokens(1_000, 20_000, 500, 40, 700), 21_615_000),
        (Price(0.1, 0.5, 0.01), Tokens(7, 3, written=1), 7 * 100 + 3 * 10 + 500),
        (Price(0.0375, 0.15), Tokens(4, written=3), 600),
        (Price(0.0375, 0.15), Tokens(1), 38),  # 37.5, rounded once
        (Price(2, 10), Tokens(100, cached=900), 2_000_000),  # no price of its own: as if it were read
        (Price(10, 50, 1, long=Long(1000, 2, 1.5)), Tokens(1000, 1, written=10), 10_000 * 2000 + 2000 + 50_000 * 15),
        (Price(10, 50), Tokens(), 0),
    ],
)
def test_to_the_nano_dollar(price: Price, tokens: Tokens, nano: int) -> None:
    """What a call costs is a whole number, and the one that is reckoned by hand."""
    assert price.cost_nano(tokens) == nano


def test_sums_are_exact() -> None:
    """A million calls cost a million times what one does, which no sum of floats says."""
    one = Price(0.1, 0.7).cost_nano(Tokens(1, written=1))
    assert sum(one for _ in range(1_000_000)) == 800_000_000


def test_the_most_a_call_may_come_to() -> None:
    """Its prompt may be written to the cache, for an hour."""
    price = PRICES["claude-opus-5"].price
    assert price.most_nano(1000, 100) == 1000 * 10_000 + 100 * 25_000
    assert Price(2, 10).most_nano(1000, 100) == 1000 * 2000 + 100 * 10_000
