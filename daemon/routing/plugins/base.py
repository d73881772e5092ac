"""The contract of a plugin: what a decision does to a request before anybody is asked."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

from providers.contract import Request


class Changed(Struct, frozen=True):
    """A request as it goes on. aside: its fields, by neutral name, that were taken from it or made smaller.

    message: the whole answer, where nobody is to be asked.
    """

    request: Request
    aside: tuple[str, ...] = ()
    message: str | None = None


class Plugin(Protocol):
    """A pure function. What it makes is looked at by the boundary, which never sees the request before it."""

    def __call__(self, request: Request, options: Any) -> Changed:
        """options: the Struct that `daemon.recipes.plugins` has for this type."""
        ...
