"""The model list, in OpenAI's shape; `anthropic_models` has Anthropic's, for its clients."""

from __future__ import annotations

from typing import Any

from litestar import Request as HttpRequest
from litestar import get
from litestar.types import ControllerRouterHandler
from msgspec import UNSET

from daemon.callers import bearer
from daemon.errors import UnknownModel
from daemon.protocols import anthropic
from daemon.surfaces import anthropic_models
from daemon.surfaces.listing import Offer, offers
from daemon.surfaces.served import Served
from providers.wire import anthropic as theirs
from providers.wire import openai_chat as wire


def routes(served: Served) -> list[ControllerRouterHandler]:
    """The list, and one entry of it."""
    return [_models(served), _model(served)]


def _entry(offer: Offer, created: int) -> wire.Model:
    modalities = ("decisions",) if offer.decides else ("embeddings",) if offer.embeds else UNSET
    return wire.Model(offer.name, created, offer.owner, offer.context_tokens, output_modalities=modalities)


def _created(served: Served) -> int:
    return int(served.clock.now().timestamp())


def _models(served: Served) -> Any:
    @get("/v1/models", name="models")
    async def models(request: HttpRequest[Any, Any, Any]) -> wire.ModelList | theirs.ModelPage:
        served.callers.identify(bearer(request.headers))
        found = offers(served.pipeline.rooms)
        if anthropic.HABITS.sign in request.headers:
            return anthropic_models.page(found, request.query_params)
        created = _created(served)
        return wire.ModelList([_entry(offer, created) for offer in found])

    return models


def _model(served: Served) -> Any:
    @get("/v1/models/{name:path}", name="model")
    async def model(request: HttpRequest[Any, Any, Any], name: str) -> wire.Model | theirs.Model:
        served.callers.identify(bearer(request.headers))
        wanted = name.lstrip("/")
        for offer in offers(served.pipeline.rooms):
            if offer.name == wanted:
                if anthropic.HABITS.sign in request.headers:
                    return anthropic_models.entry(offer)
                return _entry(offer, _created(served))
        raise UnknownModel("no model has this name: GET /v1/models lists them")

    return model
