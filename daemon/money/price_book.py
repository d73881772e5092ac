"""What models cost here: by the user's word, a recipe's or their makers' lists, and what nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from daemon.settings import Provider, Settings
from daemon.wire import PricedBy
from providers import prices
from providers.cleared import Place
from providers.prices import Price

FREE: Final = Price(0.0, 0.0)
"""Of what runs on machines of the user's."""
PLAN: Final = Price(0.0, 0.0)
"""Of what a subscription pays for: nothing for a call, and not free."""


class Priced(Struct, frozen=True):
    """A model's price, by whom, and of which day."""

    price: Price
    by: PricedBy
    as_of: str | None = None


class PriceBook:
    """The user's settings of prices. Without any, only lists and recipes say something."""

    def __init__(self, settings: Settings = Settings()) -> None:  # noqa: B008  # frozen
        self._own = {
            name: Price(row.read, row.written, row.cached, row.stored, row.stored_long)
            for name, row in settings.prices.items()
        }
        self._rows = settings.providers

    def find(self, provider: str, model: str, place: Place, recipe: Mapping[str, Price]) -> Priced | None:
        """The user's price, else a plan's, else the recipe's, else the list price of a model in the cloud; None for machines
        of the user's without one of these, and where nobody knows.
        """
        name = f"{provider}/{model}"
        if own := self._own.get(name) or self._own.get(model):
            return Priced(own, "settings")
        if place is not Place.DEVICE and self.is_plan(provider):
            return Priced(PLAN, "plan")
        if named := recipe.get(name) or recipe.get(model):
            return Priced(named, "recipe")
        listed = prices.row(model) if place is Place.CLOUD else None
        return Priced(listed.price, "list", listed.as_of) if listed else None

    def is_plan(self, provider: str) -> bool:
        """Whether a subscription pays for it."""
        row = self._rows.get(provider)
        return row is not None and row.billing == "plan"

    def asks_unpriced(self, provider: str) -> bool:
        """Whether the user lets it be asked without a known price although there is a limit."""
        row = self._rows.get(provider)
        return row is not None and row.unpriced == "ask"


def unpriced_models(name: str, row: Provider, book: PriceBook) -> tuple[str, ...]:
    """Of the models that a provider in the cloud names, those whose price nobody knows."""
    return tuple(model for model in row.models if book.find(name, model, Place.CLOUD, {}) is None)
