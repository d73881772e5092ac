"""Who answers over HTTP, in whatever family's words: the one place where a cleared request is sent and its answer read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

from providers.cleared import Cleared, Witness
from providers.contract import Deltas, Key, KeyRejected, KeySource, NoCredit, ProviderError, Request
from providers.families.base import Family, Listed
from providers.http import Http, Reply
from providers.places import place_of_model
from providers.refusals import intercepted
from providers.retry_after import used_up_s
from providers.target import Target

_ACCEPT: Final = {"content-type": "application/json", "accept": "text/event-stream, application/json"}
_PAGES: Final = 50
"""So many pages of a list of models are read at most."""


UsedUp = Callable[[str, float], None]
"""Takes a model, and for how many seconds its limit is used up."""


class HttpProvider:
    """One of them. Tries once; who asks decides about repeating."""

    def __init__(
        self, family: Family, http: Http, target: Target, key: KeySource, used_up: UsedUp | None = None
    ) -> None:
        """used_up: is told where an answer says that the next call to its model will be one too many."""
        self.place = target.place
        self._used_up = used_up
        self._family = family
        self._http = http
        self._target = target
        self._key = key

    async def stream(self, cleared: Cleared, model: str, crossed: Witness) -> Deltas:
        """Ask once. Closing the generator closes the connection. Raises ProviderError."""
        target, family = self._target, self._family
        if (place := place_of_model(target.place, model)) is not target.place:
            target = replace(target, place=place)
        body, path = b"", ""
        policys: tuple[tuple[str, str], ...] = ()
        if isinstance(cleared, Cleared):  # what isn't is refused where the socket is
            request = cleared.request
            body, path, policys = family.body(request, model, target), family.path(request, model), request.headers
        key = await self._key.read()
        headers = {**dict(policys), **_ACCEPT, **family.headers(key)}
        asking = self._http.post(cleared, target, path, body, headers, crossed)
        del body  # an answer may take long
        with closing(await asking) as reply:
            if reply.status != 200:
                raise await self._refused(reply, key)
            if reply.is_a_page:
                raise intercepted(target.name)
            if self._used_up is not None and (seconds := used_up_s(reply.headers)) is not None:
                self._used_up(model, seconds)
            reader = family.reader(target, cleared.request)
            while not reader.ended and (chunk := await reply.chunk()):
                for delta in reader.feed(chunk):
                    yield delta
            for delta in reader.end("event-stream" in reply.headers.get("content-type", "")):
                yield delta
            await reply.drain()

    def not_honoured(self, request: Request) -> tuple[str, ...]:
        """As its family says."""
        return self._family.not_honoured(request, self._target)

    async def models(self) -> tuple[str, ...]:
        """The names that it has, of all pages. Raises ProviderError."""
        names: dict[str, None] = {}
        page = await self._page(self._family.models_path)
        names |= dict.fromkeys(page.names)
        for _ in range(_PAGES):
            if page.more is None:
                break
            page = await self._page(page.more)
            names |= dict.fromkeys(page.names)
        return tuple(names)

    async def _page(self, path: str) -> Listed:
        key = await self._key.read()
        headers = self._family.headers(key)
        with closing(await self._http.get(self._target, path, headers)) as reply:
            if reply.status != 200:
                raise await self._refused(reply, key)
            if reply.is_a_page:
                raise intercepted(self._target.name)
            return self._family.models(await reply.read(), self._target)

    async def close(self) -> None:
        """Nothing to end: the connections are the client's, which all providers share."""

    async def _refused(self, reply: Reply, asked_with: Key | None) -> ProviderError:
        """What a status means. After a key was rejected it is read once more: with another one, asking again is of use."""
        problem = await reply.problem(datetime.now(UTC))
        if isinstance(problem, KeyRejected):
            self._key.forget()
            if asked_with is not None and not isinstance(problem, NoCredit):
                with suppress(ProviderError):
                    fresh = await self._key.read()
                    problem.again = fresh is not None and fresh.reveal() != asked_with.reveal()
        return problem
