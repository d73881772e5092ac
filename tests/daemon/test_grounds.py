"""What an attempt cost, by whose price."""

from __future__ import annotations

import pytest

from daemon.decision.rules import Candidate
from daemon.grounds import Grounds
from daemon.money.price_book import PriceBook
from daemon.receipts.store import Cost
from daemon.settings import Provider, Settings
from providers.cleared import Place
from providers.contract import Usage
from providers.prices import AS_OF, Price

USAGE = Usage(prompt_tokens=1_000_000, completion_tokens=100_000, cached_tokens=400_000)
LISTED = Candidate("work", "anthropic/claude-haiku-4-5-20251001")


@pytest.mark.parametrize("named", ["work/big", "big"])
def test_the_recipe_s_price_comes_first(named: str) -> None:
    """Also for a model that is on a list, under either of its names, and for a server on this machine."""
    candidate = Candidate("work", "big")
    grounds = Grounds("rule", prices={named: Price(2.0, 10.0)})

    assert grounds.cost(candidate, Place.DEVICE, USAGE) == Cost(3.0, "recipe")
    own = Grounds("rule", prices={LISTED.model: Price(2.0, 10.0)})
    assert own.cost(LISTED, Place.CLOUD, USAGE) == Cost(3.0, "recipe")


def test_the_list_s_price_has_a_date() -> None:
    """What came from the provider's cache costs less; whoever calls the model so is asked by its maker's list."""
    assert Grounds("r").cost(LISTED, Place.CLOUD, USAGE) == Cost(1.14, "list", AS_OF)


@pytest.mark.parametrize(
    ("candidate", "place", "usage"),
    [
        (Candidate("work", "big"), Place.CLOUD, USAGE),
        (LISTED, Place.LAN, USAGE),
        (LISTED, Place.DEVICE, USAGE),
        (LISTED, Place.CLOUD, Usage(0, 0)),
    ],
    ids=["unknown", "own network", "this machine", "not counted"],
)
def test_nobody_guesses_a_price(candidate: Candidate, place: Place, usage: Usage) -> None:
    """Of models on no list, of machines of one's own, and where nothing was counted."""
    assert Grounds("r").cost(candidate, place, usage) is None


def test_what_a_provider_tells_counts() -> None:
    """Before any price, from others' machines; but what a subscription pays for costs nothing of its own."""
    told = Usage(10, 5, cost_usd=0.0123)
    assert Grounds("r").cost(LISTED, Place.CLOUD, told) == Cost(0.0123, "told")
    assert Grounds("r").cost(Candidate("work", "big"), Place.CLOUD, told) == Cost(0.0123, "told")
    assert Grounds("r").cost(Candidate("local", "big"), Place.DEVICE, told) is None
    plan = PriceBook(Settings(providers={"work": Provider("https://a.example/v1", billing="plan")}))
    assert Grounds("r", book=plan).cost(LISTED, Place.CLOUD, told) == Cost(0.0, "plan")


def test_cached_and_stored_tokens_have_their_prices() -> None:
    """By hand: 1,000 read at 1, 400 cached at 0.1, 300 stored at 1.25, 200 for an hour at 2, 50 written at 5, for a million."""
    usage = Usage(1_900, 50, cached_tokens=400, stored_tokens=300, stored_long_tokens=200)
    assert Grounds("r").cost(LISTED, Place.CLOUD, usage) == Cost(0.002065, "list", AS_OF)
