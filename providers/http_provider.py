"""Who answers over HTTP, in whatever family's words: the one place where a cleared request is sent and its answer read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

from providers.cleared import Cleared, Witness
from providers.contract import Deltas, Key, KeySource, ProviderError, Request, Unsupported, keeps
from providers.echoes import Echoes
from providers.families.base import Addressed, CacheMarked, Family, Keeping, Listed
from providers.http import Http, Reply
from providers.percent import encoded
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
        headers = {**dict(policys), **_ACCEPT, **dict(target.quirks.headers), **self._headers(key, cleared)}
        asking = self._http.post(cleared, target, _versioned(path, target), body, headers, crossed, label_of(key))
        del body  # an answer may take long
        try:
            with closing(await asking) as reply:
                await self._taken(key, reply)
                if self._used_up is not None and (seconds := used_up_s(reply.headers)) is not None:
                    self._used_up(model, seconds)
                reader, echoes = family.reader(target, cleared.request), Echoes(key)
                while not reader.ended and (chunk := await reply.chunk()):
                    for delta in reader.feed(chunk):
                        for told in echoes.without(delta):
                            yield told
                for delta in reader.end("event-stream" in reply.headers.get("content-type", "")):
                    for told in echoes.without(delta):
                        yield told
                await reply.drain()
        except ProviderError as problem:
            raise await self._told(key, problem) from problem.__cause__

    def not_honoured(self, request: Request) -> tuple[str, ...]:
        """As its family says; most know nothing of models that are kept, nor marks of what a cache shall keep."""
        aside = {
            "keep_s": request.keep_s is not None and not isinstance(self._family, Keeping),
            "cache_control": not isinstance(self._family, CacheMarked) and keeps(request),
        }
        told = self._family.not_honoured(request, self._target)
        return (*told, *(name for name, is_so in aside.items() if is_so))

    async def models(self) -> tuple[str, ...]:
        """The names that it has, of all pages; one that quotes a key is none. Raises ProviderError, Unsupported if it lists
        none.
        """
        names: dict[str, None] = {}
        path = self._target.quirks.models_path
        if path == "":
            raise Unsupported("models", f"{self._target.name} doesn't list its models: name them in settings.toml")
        page = await self._page(path or self._family.models_path)
        names |= dict.fromkeys(page.names)
        for _ in range(_PAGES):
            if page.more is None:
                break
            page = await self._page(page.more)
            names |= dict.fromkeys(page.names)
        return tuple(names)

    async def _page(self, path: str) -> Listed:
        """With the first key that is taken: it is no request, which would be counted."""
        versioned = _versioned(path, self._target)
        while True:
            key = await self._key.read()
            headers = {**dict(self._target.quirks.headers), **self._headers(key)}
            try:
                with closing(await self._http.get(self._target, versioned, headers, label_of(key))) as reply:
                    await self._taken(key, reply)
                    page = self._family.models(await reply.read(), self._target)
            except ProviderError as problem:
                told = await self._told(key, problem)
                if told.another_key:
                    continue
                raise told from problem.__cause__
            return replace(page, names=tuple(name for name in page.names if key is None or not key.is_told_by(name)))

    def _headers(self, key: Key | None, cleared: Cleared | None = None) -> dict[str, str]:
        if not isinstance(self._family, Addressed):
            return self._family.headers(key)
        return self._family.headers_to(self._target, key, cleared.request if isinstance(cleared, Cleared) else None)

    async def close(self) -> None:
        """Nothing to end: the connections are the client's, which all providers share."""

    async def _taken(self, key: Key | None, reply: Reply) -> None:
        """Raises ProviderError if it answers anything but an answer."""
        if reply.status != 200:
            raise await reply.problem(datetime.now(UTC))
        if reply.is_a_page:
            raise intercepted(self._target.name)
        self._key.served(key)

    async def _told(self, key: Key | None, problem: ProviderError) -> ProviderError:
        """What becomes of a problem: whose key it is about is kept, and its words never quote one."""
        if key is not None and key.is_told_by(" ".join((str(problem), getattr(problem, "parameter", "")))):
            problem = _wordless(problem, self._target.name)
        return await self._key.refused(key, problem)


def label_of(key: Key | None) -> str | None:
    """What may be shown of it."""
    return key.label or None if key is not None else None


def _wordless(problem: ProviderError, name: str) -> ProviderError:
    """The same without what its provider said, which quotes our key."""
    problem.args = (f"{name} quotes its key in what it says is wrong, so that is not told ({type(problem).__name__})",)
    if isinstance(problem, Unsupported):
        problem.parameter = ""
    return problem


def _versioned(path: str, target: Target) -> str:
    """With the version that the row asks for."""
    if target.api_version is None:
        return path
    return f"{path}{'&' if '?' in path else '?'}api-version={encoded(target.api_version)}"
