"""What a wire family is: one protocol as servers speak it, from a request to bytes and from bytes to deltas; no I/O.

A family is a value without state. Calling out, keys, redirects and refusals are the one provider's (`http_provider.py`), so
that a family is a file here and a line in the registry.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from msgspec import Struct

from providers.contract import Delta, Key, Request
from providers.target import Target


class Reader(Protocol):
    """Reads one answer, from bytes cut anywhere."""

    @property
    def ended(self) -> bool:
        """The answer's end was understood: what follows is not read."""
        ...

    def feed(self, chunk: bytes) -> Iterator[Delta]:
        """The deltas that are complete with this chunk, those before an error included. Raises ProviderError."""
        ...

    def end(self, said_events: bool) -> Iterator[Delta]:
        """What is left when no more comes, a Finish for each choice at its end. said_events: whether the server called its
        answer a stream of events. Raises NoAnswer, BadAnswer, Unreachable for an answer that broke off.
        """
        ...


@runtime_checkable
class Keeping(Protocol):
    """A family that can be told how long a model is kept loaded (`Request.keep_s`). keeps_models: true."""

    keeps_models: bool


@runtime_checkable
class CacheMarked(Protocol):
    """A family that tells its server what of a prompt to keep in its cache. marks_cache: true."""

    marks_cache: bool


@runtime_checkable
class Addressed(Protocol):
    """A family whose headers hang on whom it asks, and what for."""

    def headers_to(self, target: Target, key: Key | None, request: Request | None) -> dict[str, str]:
        """Instead of `headers`. request: None for a list of models."""
        ...


class Listed(Struct, frozen=True):
    """A page of a list of models. more: the path of the next one; None: there is none."""

    names: tuple[str, ...]
    more: str | None = None


class Family(Protocol):
    """One protocol. Paths are behind `base_url`, without a slash in front, and may have a query."""

    models_path: str
    """Where the models are listed."""

    def path(self, request: Request, model: str) -> str:
        """Where a request is sent."""
        ...

    def body(self, request: Request, model: str, target: Target) -> bytes:
        """The request in its words. Raises Unsupported for what it can't be told and an answer would mean something else
        without.
        """
        ...

    def headers(self, key: Key | None) -> dict[str, str]:
        """What each call carries beside the policy's own, the key among it; names in small letters."""
        ...

    def reader(self, target: Target, request: Request) -> Reader:
        """For the answer to one request."""
        ...

    def not_honoured(self, request: Request, target: Target) -> tuple[str, ...]:
        """Fields, by neutral name, that this server can't be told, and without which an answer means the same."""
        ...

    def models(self, body: bytes, target: Target) -> Listed:
        """A page of its models. Raises BadAnswer if it isn't one."""
        ...
