"""What an attempt cost, by whose price."""

from __future__ import annotations

import pytest

from daemon.decision.rules import Candidate
from daemon.grounds import Grounds
from daemon.receipts.store import Cost
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
