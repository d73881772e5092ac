"""Why a request may leave, and what it costs there: for receipts and the ledger."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from daemon.decision.rules import Candidate
from daemon.ledger import tokens_of
from daemon.money.price_book import FREE, PriceBook
from daemon.receipts.store import Cost
from daemon.wire import PricedBy
from providers.cleared import Place
from providers.contract import Usage
from providers.prices import NANO, Price


class Grounds(Struct, frozen=True):
    """Why a request may leave: for its receipts. rule: as `wire.Receipt` has it. reduced: by what less is told to
    whoever may have no more. prices: the recipe's, by `PROVIDER/MODEL` or model. book: the user's.
    """

    rule: str
    reduced: str | None = None
    prices: Mapping[str, Price] = {}
    book: PriceBook = PriceBook()

    def price(self, candidate: Candidate, place: Place) -> Price | None:
        """As the book has it; nothing for machines of the user's. None: unknown."""
        found = self.book.find(candidate.provider, candidate.model, place, self.prices)
        if found is not None:
            return found.price
        return None if place is Place.CLOUD else FREE

    def priced_by(self, candidate: Candidate, place: Place) -> PricedBy | None:
        """Whose that price is; None where nothing is paid, or nobody knows."""
        found = self.book.find(candidate.provider, candidate.model, place, self.prices)
        return found.by if found else None

    def cost(self, candidate: Candidate, place: Place, usage: Usage) -> Cost | None:
        """What an answer cost, as its provider told, else as the book has it; None if nobody knows, or nobody counted. A
        plan's calls cost nothing, whatever is told.
        """
        found = self.book.find(candidate.provider, candidate.model, place, self.prices)
        if usage.cost_usd is not None and place is not Place.DEVICE and (found is None or found.by != "plan"):
            return Cost(round(usage.cost_usd, 9), "told")
        if found is None or not (usage.prompt_tokens or usage.completion_tokens):
            return None
        return Cost(found.price.cost_nano(tokens_of(usage)) / NANO, found.by, found.as_of)
