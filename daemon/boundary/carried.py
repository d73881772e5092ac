"""Secrets that a whole tool call would carry anywhere: found in it, and turned back if the user, who is asked, lets that.

An alias may be written in its arguments with any of JSON's escapes, and in JSON within JSON, so it is there if turning it
back changes them.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from daemon.boundary.aliases.base import Alias
from daemon.boundary.clear import Passage
from daemon.boundary.desk import Desk
from daemon.boundary.holds import Asked, Question, held
from daemon.boundary.in_json import arguments_restored
from daemon.boundary.restorer import Index
from daemon.boundary.sinks import sink_of
from daemon.signals.base import Span
from providers.contract import Delta, Request, ToolCallDelta


class Carried:
    """For the calls of one request's answers."""

    def __init__(self, desk: Desk, request: Request) -> None:
        self._desk = desk
        self._request = request
        self.kept_back = 0
        """Calls in which a secret's alias was left."""
        self.asked: list[Asked] = []

    async def settled(self, delta: Delta, passage: Passage, provider: str, model: str) -> Delta:
        """What may go on to the client. Of a call that holds a secret's alias and leads anywhere, this waits for the user's
        word, if the settings want that.
        """
        if not isinstance(delta, ToolCallDelta) or not passage.secrets or sink_of(delta.name or "") == "files":
            return delta
        secrets = tuple(alias for alias in passage.aliases if alias.label in passage.secrets)
        whole = arguments_restored(delta.arguments, Index(secrets))
        if whole == delta.arguments:
            return delta
        found = _found(delta.arguments, secrets)
        if self._desk.asks_for_calls and await self._let(delta.name or "", found, provider, model):
            return replace(delta, arguments=whole)
        self.kept_back += 1
        return delta

    async def _let(self, tool: str, found: list[tuple[str, Alias]], provider: str, model: str) -> bool:
        request, to = self._request, f"tool:{tool}"
        values = {Span(path, 0, place, alias.label): alias.value for place, (path, alias) in enumerate(found)}
        hashes = frozenset(self._desk.approvals.hashes(values).values())
        if self._desk.approvals.may_go(request.client, request.session, to, hashes):
            return True
        places: dict[tuple[str, str], list[tuple[str, str | None]]] = defaultdict(list)
        for path, alias in found:
            places[alias.label, path].append((alias.value, alias.text))
        loop = asyncio.get_running_loop()
        began = loop.time()
        outcome = await self._desk.holds.ask(
            Question(
                kind="call",
                record=request.id,
                to=to,
                finds=tuple(held(label, path, pairs) for (label, path), pairs in places.items()),
                hashes=hashes,
                client=request.client,
                session=request.session,
                project=request.project,
                provider=provider,
                model=model,
                tool=tool,
            )
        )
        self.asked.append(Asked("tool", outcome, loop.time() - began))
        return outcome == "allowed"


def _found(arguments: str, secrets: tuple[Alias, ...]) -> list[tuple[str, Alias]]:
    """Where in the arguments which alias stands; what is in JSON within JSON is somewhere in them."""
    index = Index(secrets)
    by_value = {alias.value: alias for alias in secrets}
    found: list[tuple[str, Alias]] = []
    for path, text in _texts(msgspec.json.decode(arguments), "arguments"):
        at = 0
        for start, end in index.find(text, 0):
            if start >= at:
                at = end
                found.append((path, by_value.get(index.value(text[start:end]), secrets[0])))
    seen = {alias.value for _, alias in found}
    rest = (alias for alias in secrets if alias.value not in seen)
    return found + [("arguments", each) for each in rest if arguments_restored(arguments, Index((each,))) != arguments]


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield path, value
        case dict():
            for key, inner in value.items():
                yield path, key
                yield from _texts(inner, f"{path}/{key}")
        case list():
            for place, inner in enumerate(value):
                yield from _texts(inner, f"{path}/{place}")
