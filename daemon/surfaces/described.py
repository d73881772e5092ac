"""Every name that can be asked for, with what its file says of it."""

from __future__ import annotations

import asyncio

from msgspec import Struct

from daemon.decision.rules import AUTO, LOCAL
from daemon.errors import UnknownModel
from daemon.pipeline import Rooms
from daemon.surfaces.listing import Offer, offers
from daemon.surfaces.model_facts import Facts, FactsOfFiles

LATEST = ":latest"
"""What Ollama's clients put behind a name that has no tag."""


class Described(Struct, frozen=True):
    """One name. window: the effective one; None where nobody told it. loaded: it answers without being loaded first."""

    offer: Offer
    facts: Facts
    window: int | None
    loaded: bool


async def described(rooms: Rooms, files: FactsOfFiles) -> list[Described]:
    """All names but those that only decide, which the lists of other programs have no form for."""
    found = [offer for offer in offers(rooms) if not offer.decides]
    facts = await asyncio.to_thread(lambda: [_facts(rooms, files, offer) for offer in found])
    return [_described(rooms, offer, each) for offer, each in zip(found, facts, strict=True)]


def offered(rooms: Rooms, name: str, client: str | None) -> Offer | None:
    """What a client's name stands for among those that can be asked for."""
    plain = name.removesuffix(LATEST)
    wanted = (name, plain, rooms.book.stands_for(plain, client))
    return next((each for each in offers(rooms) if each.name in wanted and not each.decides), None)


async def describe(rooms: Rooms, files: FactsOfFiles, name: str, client: str | None) -> Described:
    """One of them, by the client's name of it. Raises UnknownModel."""
    offer = offered(rooms, name, client)
    if offer is None:
        raise UnknownModel("model not found: GET /api/tags lists those there are")
    return _described(rooms, offer, await asyncio.to_thread(_facts, rooms, files, offer))


def _facts(rooms: Rooms, files: FactsOfFiles, offer: Offer) -> Facts:
    bare = rooms.pool.names()[0] if offer.name in (AUTO, LOCAL) else offer.name.removeprefix(f"{LOCAL}/")
    model = rooms.pool.models.get(bare)
    if model is None or not (offer.info or offer.name in (AUTO, LOCAL)):
        return files.of_name(offer.name)
    return files.of(model.ref)


def _described(rooms: Rooms, offer: Offer, facts: Facts) -> Described:
    first = rooms.pool.infos()[0]
    info = offer.info or (first if offer.name in (AUTO, LOCAL) else None)
    window = offer.context_tokens or facts.context_tokens
    return Described(offer, facts, window, info is None or info.state == "ready")
