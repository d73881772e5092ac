"""The HTTP side of classification: /api/v1/classify, embeddings, similarity, nli, and /v1/systemone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from litestar import Request as HttpRequest
from litestar import post
from litestar.types import ControllerRouterHandler
from msgspec import Struct

from daemon.callers import Callers, bearer, require
from daemon.classify import shapes, systemone
from daemon.classify.answers import Answers
from daemon.protocols.reading import read_as
from daemon.signals.parts import Parts

Asked = TypeVar("Asked", bound=Struct)
Told = TypeVar("Told", bound=Struct)
Http = HttpRequest[Any, Any, Any]


def routes(parts: Parts, callers: Callers, deadline_s: float) -> list[ControllerRouterHandler]:
    """All of them. Who may ask this machine's models may ask these."""
    answers = Answers(parts, deadline_s)

    def allow(request: Http) -> None:
        require(callers.identify(bearer(request.headers)), "infer:local")

    def route(path: str, shape: type[Asked], tell: Callable[[Asked], Told]) -> ControllerRouterHandler:
        decode = msgspec.json.Decoder(shape).decode

        @post(path, name=path, status_code=200)
        async def told(request: Http) -> Struct:
            allow(request)
            return await asyncio.to_thread(tell, read_as(decode, await request.body()))

        return told

    @post("/v1/systemone", status_code=200)
    async def decide(request: Http) -> systemone.Answered:
        allow(request)
        asked = systemone.read(await request.body())
        return await asyncio.to_thread(systemone.answer, parts, asked)

    return [
        route("/api/v1/classify/intent", shapes.IntentRequest, answers.intent),
        route("/api/v1/classify/pii", shapes.PiiRequest, answers.pii),
        route("/api/v1/classify/security", shapes.SecurityRequest, answers.security),
        route("/api/v1/classify/fact-check", shapes.LabelRequest, answers.fact_check),
        route("/api/v1/classify/user-feedback", shapes.LabelRequest, answers.user_feedback),
        route("/api/v1/classify/combined", shapes.CombinedRequest, answers.combined),
        route("/api/v1/classify/batch", shapes.BatchRequest, answers.batch),
        route("/api/v1/embeddings", shapes.EmbeddingRequest, answers.embeddings),
        route("/api/v1/similarity", shapes.SimilarityRequest, answers.similarity),
        route("/api/v1/similarity/batch", shapes.SimilarityBatchRequest, answers.similarities),
        route("/api/v1/nli", shapes.NliRequest, answers.nli),
        decide,
    ]
