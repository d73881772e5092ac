"""LM Studio's model list, and its second address for OpenAI's chat: what Zed and Cline ask for exact windows."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request as HttpRequest
from litestar import get
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler
from msgspec import UNSET

from daemon.callers import bearer
from daemon.protocols.registry import PROTOCOLS
from daemon.surfaces.answering import answering
from daemon.surfaces.described import Described, describe, described
from daemon.surfaces.model_facts import FactsOfFiles
from daemon.surfaces.served import Served
from providers.wire import lm_studio as wire

UNKNOWN_WINDOW: Final = 32_768
"""Where nobody told a window, and the list has no word for that: what VS Code takes for unknown ones too."""
OPENAIS: Final = ("/v1/chat/completions", "/v1/completions")
Http = HttpRequest[Any, Any, Any]


def routes(served: Served) -> list[ControllerRouterHandler]:
    """The list, one entry of it, and what is answered there as at OpenAI's addresses."""
    rooms, files = served.pipeline.rooms, FactsOfFiles(served.clock.now())

    @get("/api/v0/models", name="lm-studio-models")
    async def models(request: Http) -> wire.ModelList:
        served.callers.identify(bearer(request.headers))
        listed = await described(rooms, files)
        return wire.ModelList([_entry(each, listed[0].window) for each in listed])

    @get("/api/v0/models/{name:path}", name="lm-studio-model")
    async def model(request: Http, name: FromPath[str]) -> wire.Model:
        caller = served.callers.identify(bearer(request.headers))
        first = (await described(rooms, files))[0]
        return _entry(await describe(rooms, files, name.lstrip("/"), caller.name), first.window)

    again = [
        answering(codec, served, f"/api/v0{codec.PATH.removeprefix('/v1')}")
        for codec in PROTOCOLS.values()
        if codec.PATH in OPENAIS
    ]
    return [models, model, *again]


def _entry(each: Described, default: int | None) -> wire.Model:
    """default: the window of this machine's default model, with which names of ours have to reckon."""
    own = each.offer.owner == "nearloop" and not each.offer.embeds
    window = each.window or (default if own else None) or UNKNOWN_WINDOW
    return wire.Model(
        id=each.offer.name,
        type="embeddings" if each.offer.embeds else "llm",
        publisher=each.offer.owner,
        arch=each.facts.architecture or each.offer.owner,
        quantization=each.facts.quantisation,
        state="loaded" if each.loaded else "not-loaded",
        max_context_length=window,
        loaded_context_length=window if each.loaded else UNSET,
        capabilities=[] if each.offer.embeds else ["tool_use"],
    )
