"""Every name that can be asked for, before a protocol gives the list its shape."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from daemon.decision.rules import AUTO, CLOUD, LOCAL
from daemon.pipeline import Rooms
from daemon.signals import questions
from daemon.signals.shipped import EMBEDDER
from daemon.wire import Model


class Offer(Struct, frozen=True):
    """One name. owner: `nearloop`, or the provider's name. context_tokens: the effective window; None until the model was
    loaded once, or where it isn't known. info: of a model on this machine. decides: it answers typed questions. embeds: it
    makes vectors, and answers nothing.
    """

    name: str
    owner: str
    context_tokens: int | None = None
    info: Model | None = None
    decides: bool = False
    embeds: bool = False


OURS: Final = "nearloop"


def offers(rooms: Rooms) -> list[Offer]:
    """Aliases and recipes first, then models on this machine, then others'."""
    infos = rooms.pool.infos()
    listed = [Offer(name, OURS, infos[0].context_tokens) for name in (AUTO, LOCAL)]
    listed += [Offer(name, OURS) for name in rooms.book.names()]
    if rooms.cloud:
        listed.append(Offer(CLOUD, OURS))
    listed += [Offer(info.name, OURS, info.context_tokens, info) for info in infos]
    listed += [Offer(each.name, each.provider) for each in (*rooms.near, *rooms.cloud)]
    if rooms.observer.parts.vectors.installed():
        listed.append(Offer(questions.MODEL, OURS, decides=True))
        listed.append(Offer(EMBEDDER, OURS, embeds=True))
    return listed
