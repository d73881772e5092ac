"""Which recipe is in use, over HTTP: those there are, another one, and a file for one of the user's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from litestar import Response, get, post
from litestar.params import FromQuery
from litestar.types import ControllerRouterHandler

from daemon.callers import Callers, bearer, require
from daemon.control.recipe_routes import PREFIX, Http, answered, body, told
from daemon.errors import BadSettings, NotFound
from daemon.recipes.loading import load
from daemon.routing.book import Book
from daemon.routing.offers import Offer, offers, shelve
from daemon.routing.sources import source
from daemon.settings import Settings, SettingsFile
from daemon.wire import NewRecipe, RecipeChoice, RecipeOffer, RecipeOffers, Recipes, RecipeText


def recipe_choice_routes(
    book: Book, callers: Callers, file: SettingsFile, changed: Callable[[Settings], None]
) -> list[ControllerRouterHandler]:
    """changed: takes new settings in."""

    def allow(request: Http) -> None:
        require(callers.identify(bearer(request.headers)), "admin")

    async def listed() -> tuple[Offer, ...]:
        return await asyncio.to_thread(offers, book.beside, book.settings.routing.recipe)

    async def known(name: str) -> None:
        if name not in {offer.name for offer in await listed()}:
            raise NotFound("there is no such recipe, built in or beside the settings")

    async def write(name: str | None) -> None:
        changed(await asyncio.to_thread(file.set_recipe, name))

    @get(f"{PREFIX}/offered")
    async def offered(request: Http) -> RecipeOffers:
        allow(request)
        return RecipeOffers(tuple(RecipeOffer(each.name, each.built_in, each.about) for each in await listed()))

    @get(f"{PREFIX}/offered/text")
    async def text(request: Http, name: FromQuery[str]) -> RecipeText:
        allow(request)
        await known(name)
        with told():
            found = await asyncio.to_thread(source, name, book.beside)
        return RecipeText(found.text, found.form)

    @post(f"{PREFIX}/offered", status_code=201)
    async def add(request: Http) -> RecipeOffers:
        allow(request)
        wanted = await body(request, NewRecipe)
        with told():
            await asyncio.to_thread(shelve, book.beside, wanted.name, wanted.text)
        return RecipeOffers(tuple(RecipeOffer(each.name, each.built_in, each.about) for each in await listed()))

    @post(f"{PREFIX}/use", status_code=200)
    async def use(request: Http) -> Response[Recipes]:
        allow(request)
        name = (await body(request, RecipeChoice)).name
        before = book.settings.routing.recipe
        with told():
            if name is not None:
                await known(name)
                wanted = await asyncio.to_thread(source, name, book.beside)
                await asyncio.to_thread(load, wanted.text, wanted.form)
            await write(name)
            try:
                await book.reload()
            except BadSettings:
                await write(before)
                await book.reload()
                raise
        return answered(book)

    return [offered, text, add, use]
