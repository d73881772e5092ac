"""Servers for local models that run on this machine already, found at the ports that their makers gave them.

Each is asked for its list of models, on the loopback address and nowhere else. That something answers at a port does not
prove that its models run here: a tunnel looks the same, so adding one is left to the user.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from providers.cleared import Place, Witness
from providers.contract import ProviderError
from providers.given_key import GivenKey
from providers.http import Http
from providers.places import place_of_model
from providers.registry import provider_of
from providers.target import Target
from providers.vendors import VENDORS, Vendor

PATIENCE_S: Final = 2.0
"""A busy server may take a moment; a closed port answers at once."""
_OTHER_WORK: Final = ("embed", "rerank", "whisper", "tts", "clip", "bge-", "minilm", "guard")
"""In names of models that do not chat."""


class LocalServer(Struct, frozen=True):
    """One that answers. models: those that run here, the ones that may chat first."""

    name: str
    base_url: str
    models: tuple[str, ...]


async def look(version: str, witness: Witness) -> tuple[LocalServer, ...]:
    """Those that answer now. version: ours, as they are told it. witness: writes down that they were asked."""
    http = Http(version, witness)
    try:
        return await local_servers(http)
    finally:
        await http.close()


async def local_servers(http: Http, table: Mapping[str, Vendor] = VENDORS) -> tuple[LocalServer, ...]:
    """Those of the table that need no key and answer now, in its order."""
    known = [
        (name, vendor.base_url)
        for name, vendor in table.items()
        if vendor.key_variable is None and vendor.base_url is not None
    ]
    found = await asyncio.gather(*(_ask(http, name, base_url) for name, base_url in known))
    return tuple(server for server in found if server)


async def _ask(http: Http, name: str, base_url: str) -> LocalServer | None:
    provider = provider_of("openai-chat", http, Target(name, base_url, Place.DEVICE), GivenKey())
    try:
        async with asyncio.timeout(PATIENCE_S):
            models = await provider.models()
    except (ProviderError, TimeoutError):
        return None
    here = [model for model in models if place_of_model(Place.DEVICE, model) is Place.DEVICE]
    return LocalServer(name, base_url, tuple(sorted(here, key=_does_other_work)))


def _does_other_work(model: str) -> bool:
    return any(word in model.lower() for word in _OTHER_WORK)
