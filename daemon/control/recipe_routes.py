"""The recipe in use, over HTTP: read, checked, changed, compared and had back."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import msgspec
from litestar import Request as HttpRequest
from litestar import Response, get, post, put
from litestar.params import FromQuery
from litestar.types import ControllerRouterHandler
from msgspec import Struct

from daemon.callers import Callers, bearer, require
from daemon.errors import BadRequest, BadSettings, NotFound, StoreError, VersionNeeded
from daemon.recipes.diff import diff
from daemon.recipes.files import read_recipe
from daemon.recipes.problems import BadRecipe, Problem
from daemon.routing.book import Book
from daemon.routing.sources import Source
from daemon.settings import Scope
from daemon.wire import (
    RecipeChecked,
    RecipeDiff,
    RecipeDifference,
    RecipeProblem,
    Recipes,
    RecipeText,
    RecipeVersion,
    Rollback,
)

Http = HttpRequest[Any, Any, Any]
Body = TypeVar("Body", bound=Struct)
PREFIX = "/nearloop/v1/recipes"
_TAG: Final = re.compile(r"[0-9a-f]{64}")
"""Our ETags, in whatever they are wrapped."""


def recipe_routes(book: Book, callers: Callers, reread: Callable[[], None]) -> list[ControllerRouterHandler]:
    """All of them. reread: has the settings read anew, and told to everybody. Changes need an If-Match with the ETag."""

    def allow(request: Http, scope: Scope) -> None:
        require(callers.identify(bearer(request.headers)), scope)

    @get(PREFIX)
    async def recipes(request: Http) -> Response[Recipes]:
        allow(request, "read:records")
        return answered(book)

    @get(f"{PREFIX}/text")
    async def text(request: Http, version: FromQuery[int | None] = None) -> Response[RecipeText]:
        allow(request, "admin")
        used = _used(book)
        if version is not None:
            return Response(RecipeText(await asyncio.to_thread(book.shelf.text, version, used.name), used.form))
        return Response(RecipeText(used.text, used.form), headers={"etag": f'"{used.digest}"'})

    @put(f"{PREFIX}/text", status_code=200)
    async def write(request: Http) -> Response[Recipes]:
        allow(request, "admin")
        _used(book)
        digests, wanted = _if_match(request), await body(request, RecipeText)
        with told():
            await book.write(wanted.text, digests)
        return answered(book)

    @post(f"{PREFIX}/validate", status_code=200)
    async def validate(request: Http) -> RecipeChecked:
        allow(request, "admin")
        wanted = await body(request, RecipeText)
        try:
            edition = await asyncio.to_thread(book.check, wanted.text)
        except BadRecipe as error:
            return RecipeChecked(False, tuple(map(problem_of, error.problems)))
        edition.retire()
        return RecipeChecked(True, tuple(map(problem_of, edition.problems)))

    @post(f"{PREFIX}/reload", status_code=200)
    async def reload(request: Http) -> Response[Recipes]:
        allow(request, "admin")
        with told():
            reread()
            await book.reload()
        return answered(book)

    @post(f"{PREFIX}/rollback", status_code=200)
    async def rollback(request: Http) -> Response[Recipes]:
        allow(request, "admin")
        _used(book)
        digests, wanted = _if_match(request), await body(request, Rollback)
        with told():
            await book.roll_back(wanted.version, digests)
        return answered(book)

    @get(f"{PREFIX}/diff")
    async def compare(request: Http, before: FromQuery[int], after: FromQuery[int | None] = None) -> RecipeDiff:
        allow(request, "admin")
        used = _used(book)
        old = book.shelf.text(before, used.name)
        new = used.text if after is None else book.shelf.text(after, used.name)
        found = await asyncio.to_thread(lambda: diff(read_recipe(old, used.form), read_recipe(new, used.form)))
        return RecipeDiff(tuple(RecipeDifference(each.kind, each.key, each.before, each.after) for each in found))

    return [recipes, text, write, validate, reload, rollback, compare]


def answered(book: Book) -> Response[Recipes]:
    """The recipe in use, with its ETag."""
    shown = info(book)
    return Response(shown, headers={"etag": f'"{shown.digest}"'} if shown.digest else {})


def info(book: Book) -> Recipes:
    """The recipe in use, as the control API shows it."""
    versions = tuple(RecipeVersion(each.number, each.at, each.digest, each.why) for each in book.versions())
    edition = book.edition
    if edition is None:
        return Recipes(book.settings.routing.recipe, failure=book.failure, versions=versions)
    return Recipes(
        name=edition.source.name,
        path=str(edition.source.path) if edition.source.path else None,
        digest=edition.source.digest,
        recipes=tuple(edition.lives),
        entrypoints=dict(edition.entries),
        failure=book.failure,
        problems=tuple(map(problem_of, edition.problems)),
        versions=versions,
    )


def problem_of(problem: Problem) -> RecipeProblem:
    """As the control API shows it."""
    line = problem.place.line if problem.place else None
    return RecipeProblem(problem.code, problem.severity, problem.key, problem.message, problem.remedy, line)


def _used(book: Book) -> Source:
    if book.edition is None:
        raise NotFound("no recipe is in use: `nearloop recipe use NAME` names one")
    return book.edition.source


def _if_match(request: Http) -> frozenset[str] | None:
    """The digests of which one has to be that of the text that is to be replaced; None for any (RFC 9110, 13.1.1)."""
    given = request.headers.get("if-match", "").strip()
    if not given:
        raise VersionNeeded("say which version you change: send the ETag that you read as If-Match")
    return None if given == "*" else frozenset(_TAG.findall(given))


async def body(request: Http, shape: type[Body]) -> Body:
    """What was sent. Raises BadRequest."""
    try:
        return msgspec.json.decode(await request.body(), type=shape)
    except msgspec.DecodeError as error:
        fields = ", ".join(shape.__struct_fields__)
        raise BadRequest(f"the body is {{{fields}}}: {error}") from error


@contextmanager
def told() -> Iterator[None]:
    """What is wrong with a text or a file is the client's to mend."""
    try:
        yield
    except BadSettings as error:
        raise BadRequest(str(error), "recipe") from error
    except OSError as error:
        raise StoreError(f"the recipe's file can't be written: {error.strerror}") from error
