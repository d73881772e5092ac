"""Pictures that a request only names, fetched from the hosts that the user listed: then the request carries them.

Nothing is asked for while this machine is local-only, nor for a request that is to stay on it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import timedelta
from typing import Final, Protocol

from msgspec.structs import replace

from daemon.boundary.switch import Switch
from daemon.clock import Clock
from daemon.pictures.carried import data_url
from daemon.pictures.memory import Memory
from edge_models.vision.limits import LATE
from providers.contract import Image, ProviderError, Request
from providers.texts import Carried, with_carried

NOT_FETCHED: Final = "not-fetched"
"""Its host is listed, and could or may not be asked."""
_HEADS: Final = ((b"\x89PNG", "png"), (b"\xff\xd8", "jpeg"), (b"GIF8", "gif"), (b"RIFF", "webp"))
"""How files begin that clouds take; what a host says of them is not asked."""
_KEPT_BYTES: Final = 64 << 20


class Hosts(Protocol):
    """Who has pictures: `providers.picture_hosts.PictureHosts`."""

    def lists(self, url: str) -> bool: ...

    async def fetch(self, url: str) -> bytes: ...

    async def close(self) -> None: ...


class Fetching:
    """Asks hosts, and remembers what they gave for a while."""

    def __init__(self, hosts: Hosts, switch: Switch, clock: Clock) -> None:
        self._hosts = hosts
        self._switch = switch
        self._memory = Memory(clock, _KEPT_BYTES)

    async def fetched(
        self, request: Request, here: Collection[Carried], within_s: float
    ) -> tuple[Request, dict[str, str]]:
        """The request carrying what it named, and by path a code for what could not be had."""
        wanted = [(path, part) for path, part in here if isinstance(part, Image) and self._hosts.lists(part.url)]
        if not wanted:
            return request, {}
        if self._switch.on or request.reach == "device":
            return request, {path: NOT_FETCHED for path, _ in wanted}
        tasks = {}
        async with asyncio.TaskGroup() as group:
            for url in dict.fromkeys(part.url for _, part in wanted):
                tasks[url] = group.create_task(self._url(url, within_s))
        had = {url: task.result() for url, task in tasks.items()}
        instead = {path: replace(part, url=url) for path, part in wanted if (url := had[part.url]).startswith("data:")}
        codes = {path: had[part.url] for path, part in wanted if path not in instead}
        return with_carried(request, instead), codes

    def forget_older(self, span: timedelta) -> None:
        """What was fetched longer ago."""
        self._memory.forget_older(span)

    async def close(self) -> None:
        """End the connections."""
        await self._hosts.close()

    async def _url(self, url: str, within_s: float) -> str:
        """That carries the picture; or a code."""
        key = self._memory.key(url)
        known = self._memory.find(key)
        if isinstance(known, str):
            return known
        if within_s <= 0:
            return LATE
        try:
            async with asyncio.timeout(within_s):
                data = await self._hosts.fetch(url)
        except TimeoutError:
            return LATE
        except ProviderError:
            return NOT_FETCHED
        form = next((form for head, form in _HEADS if data.startswith(head)), None)
        if form is None:
            return NOT_FETCHED
        found = data_url(data, form)
        self._memory.hold(key, found)
        return found
