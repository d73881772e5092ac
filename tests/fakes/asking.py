"""Requests for signals, and what an observer with a recipe's rules sees in them."""

from __future__ import annotations

from math import inf
from typing import NoReturn

from daemon.recipes.files import read_recipe
from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Observation
from daemon.signals.forward import Forward
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from daemon.signals.vectors import Vectors
from edge_models.engines.base import Unavailable
from providers.contract import Message, Request, Text
from providers.texts import fields


def asking(*said: str, **more: object) -> Request:
    """A conversation in which only the user speaks."""
    messages = tuple(Message("user", (Text(text),)) for text in said)
    return Request(id="0" * 16, model="auto", protocol="t", **{"messages": messages, **more})  # type: ignore[arg-type]


def asked(request: Request) -> Asked:
    return Asked(request, fields(request))


def rules(recipe: str) -> Signals:
    """Of the recipe language."""
    return read_recipe(recipe, "dsl").routing.signals


def without_models(**more: object) -> Parts:
    """As where no model is installed."""

    def absent() -> NoReturn:
        raise Unavailable("there are none in this test")

    return Parts(Forward(absent), Vectors(absent), **more)  # type: ignore[arg-type]


async def looked(recipe: str, *said: str, parts: Parts | None = None, **more: object) -> tuple[Observation, ...]:
    """What the rules of a recipe see, without what they only measured."""
    seen = await observed(recipe, *said, parts=parts, **more)
    return tuple(each for each in seen if each.matched)


async def observed_request(recipe: str, request: Request, parts: Parts) -> tuple[Observation, ...]:
    """All that the rules of a recipe see in a request."""
    observer = Observer(rules(recipe), parts, deadline_s=inf)  # what is seen, however busy the machine
    try:
        return tuple(each for each in await observer.observe(request) if each.name in recipe)
    finally:
        observer.close()


async def observed(recipe: str, *said: str, parts: Parts | None = None, **more: object) -> tuple[Observation, ...]:
    """All of what they see."""
    observer = Observer(rules(recipe), parts or without_models(), deadline_s=inf)
    try:
        return await observer.observe(asking(*said, **more))
    finally:
        observer.close()
