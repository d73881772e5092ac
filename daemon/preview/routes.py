"""The HTTP side of previews: what would be decided about a request, with no model asked and nothing recorded."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request as HttpRequest
from litestar import post
from litestar.params import FromQuery
from litestar.types import ControllerRouterHandler

from daemon.callers import Callers, bearer, require
from daemon.decision.rules import AUTO
from daemon.errors import BadRequest
from daemon.pipeline import Pipeline
from daemon.preview.telling import told
from daemon.preview_wire import Preview
from daemon.protocols import openai_chat
from daemon.protocols.base import Envelope
from providers.contract import Request

Http = HttpRequest[Any, Any, Any]
PATHS = ("/api/v1/eval", "/api/v1/routing/preview")
"""Upstream's older and newer name."""


def routes(pipeline: Pipeline, callers: Callers) -> list[ControllerRouterHandler]:
    """Who may ask this machine's models may ask this; what it may not have is left out of what it is told."""

    @post(list(PATHS), name="preview", status_code=200)
    async def preview(request: Http, trace: FromQuery[bool] = False) -> Preview:
        caller = callers.identify(bearer(request.headers))
        require(caller, "infer:local")
        asked = read(await request.body(), caller.name, request.headers.get("x-nearloop-reach") == "device")
        visit = pipeline.visit(asked, may_cloud=caller.may("infer:cloud"))
        await visit.decide()
        return told(visit, trace)

    return [preview]


def read(body: bytes, client: str | None, stays: bool) -> Request:
    """`text` or chat `messages`, with `model`, `tools` and whatever else a chat request may have. Raises BadRequest."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest("the body is not a JSON object in UTF-8: check what is sent") from error
    text, messages = fields.pop("text", None), fields.get("messages")
    if (text is None) == (messages is None):
        raise BadRequest("say `text` or `messages`, and not both", "text")
    if text is not None:
        if not isinstance(text, str) or not text:
            raise BadRequest("`text` is words", "text")
        fields["messages"] = [{"role": "user", "content": text}]
    fields["model"] = fields.get("model") or AUTO
    envelope = Envelope(
        id="0" * 16, client=client, session=None, project=None, reach="device" if stays else "any", created_s=0
    )
    return openai_chat.read(msgspec.json.encode(fields), envelope)
