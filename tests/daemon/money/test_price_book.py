"""Whose price counts."""

from __future__ import annotations

from daemon.money.price_book import PLAN, PriceBook, unpriced_models
from daemon.settings import OwnPrice, Provider, Settings
from providers.cleared import Place
from providers.prices import AS_OF, Price

RECIPE = {"work/gpt-5": Price(7.0, 8.0)}
ROW = Provider("https://a.example/v1", models=("gpt-5", "mine"))


def test_the_users_word_comes_first() -> None:
    """Then a subscription, then a recipe, then the maker's list, for clouds alone; a model on none has no price."""
    own = PriceBook(Settings(prices={"work/gpt-5": OwnPrice(2.0, 3.0, 0.5)}))
    found = own.find("work", "gpt-5", Place.CLOUD, RECIPE)
    assert found and (found.price, found.by) == (Price(2.0, 3.0, 0.5), "settings")
    assert own.find("else", "gpt-5", Place.CLOUD, RECIPE) == PriceBook().find("work", "gpt-5", Place.CLOUD, {})
    named = PriceBook().find("work", "gpt-5", Place.CLOUD, RECIPE)
    assert named and named.by == "recipe"
    listed = PriceBook().find("work", "gpt-5", Place.CLOUD, {})
    assert listed and (listed.by, listed.as_of) == ("list", AS_OF)
    assert PriceBook().find("work", "gpt-5", Place.LAN, {}) is None
    assert PriceBook().find("work", "unheard-of", Place.CLOUD, {}) is None


def test_a_plan_is_not_free() -> None:
    """It is told apart, whatever a recipe or a list says."""
    book = PriceBook(Settings(providers={"work": Provider("https://a.example/v1", billing="plan")}))
    found = book.find("work", "gpt-5", Place.CLOUD, RECIPE)
    assert found and (found.price, found.by) == (PLAN, "plan")
    assert book.is_plan("work") and not book.is_plan("else")


def test_what_a_limit_leaves_out() -> None:
    """Those of a row's models that have no price, which are asked only if the row says so."""
    assert unpriced_models("work", ROW, PriceBook()) == ("mine",)
    assert not PriceBook(Settings(providers={"work": ROW})).asks_unpriced("work")
    asked = Provider("https://a.example/v1", unpriced="ask")
    assert PriceBook(Settings(providers={"work": asked})).asks_unpriced("work")
