"""The model list, in OpenAI's shape; `anthropic_models` has Anthropic's, for its clients."""

from __future__ import annotations

from typing import Any, Final

from litestar import Request as HttpRequest
from litestar import get
from litestar.params import FromPath
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

CODEX_SIGN: Final = "client_version"
"""Codex asks with it, and reads `models`: a catalogue whose entries replace its own instructions to the model, so that none
of ours can stand in it. Without the field it logs an error at each start (seen of 0.171).
"""


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
        entries = [_entry(offer, created) for offer in found]
        return wire.ModelList(entries, models=() if CODEX_SIGN in request.query_params else UNSET)

    return models


def _model(served: Served) -> Any:
    @get("/v1/models/{name:path}", name="model")
    async def model(request: HttpRequest[Any, Any, Any], name: FromPath[str]) -> wire.Model | theirs.Model:
        served.callers.identify(bearer(request.headers))
        wanted = name.lstrip("/")
        for offer in offers(served.pipeline.rooms):
            if offer.name == wanted:
                if anthropic.HABITS.sign in request.headers:
                    return anthropic_models.entry(offer)
                return _entry(offer, _created(served))
        raise UnknownModel("no model has this name: GET /v1/models lists them")

    return model
