"""Why a request may leave, and what it costs there: for receipts and the ledger."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from daemon.decision.rules import Candidate
from daemon.ledger import FREE, Price
from daemon.receipts.store import Cost
from providers import prices
from providers.cleared import Place
from providers.contract import Usage


class Grounds(Struct, frozen=True):
    """Why a request may leave: for its receipts. rule: as `wire.Receipt` has it. reduced: by what less is told to
    whoever may have no more. prices: the recipe's, by `PROVIDER/MODEL` or model.
    """

    rule: str
    reduced: str | None = None
    prices: Mapping[str, Price] = {}

    def price(self, candidate: Candidate, place: Place) -> Price | None:
        """The recipe's, else the list price of a model in the cloud; nothing for machines of the user's. None: unknown."""
        named = self.prices.get(candidate.name) or self.prices.get(candidate.model)
        if named is not None:
            return named
        if place is not Place.CLOUD:
            return FREE
        listed = prices.price(candidate.model)
        return Price(listed.read, listed.written) if listed else None

    def cost(self, candidate: Candidate, place: Place, usage: Usage) -> Cost | None:
        """What an answer cost, by the recipe if it names a price, else by the makers' lists if it came from a cloud; None if
        neither has one, or nobody counted.
        """
        if not usage.prompt_tokens and not usage.completion_tokens:
            return None
        if (own := self.prices.get(candidate.name) or self.prices.get(candidate.model)) is not None:
            return Cost(round(own.cost_usd(usage.prompt_tokens, usage.completion_tokens), 9), "recipe")
        listed = prices.price(candidate.model) if place is Place.CLOUD else None
        if listed is None:
            return None
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        tokens = prices.Tokens(usage.prompt_tokens - cached, cached, written=usage.completion_tokens)
        return Cost(round(listed.cost_usd(tokens), 9), "list", prices.AS_OF)
