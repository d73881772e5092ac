"""OpenAI's model list."""

from __future__ import annotations

from typing import Any

from litestar import Request as HttpRequest
from litestar import get
from litestar.types import ControllerRouterHandler
from msgspec import UNSET

from daemon.callers import bearer
from daemon.errors import UnknownModel
from daemon.surfaces.listing import Offer, offers
from daemon.surfaces.served import Served
from providers.wire import openai_chat as wire


def routes(served: Served) -> list[ControllerRouterHandler]:
    """The list, and one entry of it."""
    return [_models(served), _model(served)]


def _entry(offer: Offer, created: int) -> wire.Model:
    modalities = ("decisions",) if offer.decides else ("embeddings",) if offer.embeds else UNSET
    return wire.Model(offer.name, created, offer.owner, offer.context_tokens, output_modalities=modalities)


def _entries(served: Served) -> list[wire.Model]:
    created = int(served.clock.now().timestamp())
    return [_entry(offer, created) for offer in offers(served.pipeline.rooms)]


def _models(served: Served) -> Any:
    @get("/v1/models", name="models")
    async def models(request: HttpRequest[Any, Any, Any]) -> wire.ModelList:
        served.callers.identify(bearer(request.headers))
        return wire.ModelList(_entries(served))

    return models


def _model(served: Served) -> Any:
    @get("/v1/models/{name:path}", name="model")
    async def model(request: HttpRequest[Any, Any, Any], name: str) -> wire.Model:
        served.callers.identify(bearer(request.headers))
        wanted = name.lstrip("/")
        for entry in _entries(served):
            if entry.id == wanted:
                return entry
        raise UnknownModel("no model has this name: GET /v1/models lists them")

    return model
