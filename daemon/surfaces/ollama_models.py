"""Ollama's lists: which models there are, what they are, and which are loaded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec
from litestar import Request as HttpRequest
from litestar import post, route
from litestar.types import ControllerRouterHandler

from daemon.callers import bearer
from daemon.errors import BadRequest
from daemon.local_model import LocalModel
from daemon.protocols.reading import read_as
from daemon.surfaces.described import Described, describe, described
from daemon.surfaces.model_facts import Facts, FactsOfFiles
from daemon.surfaces.served import Served
from daemon.version import version
from providers.wire import ollama as wire

API_VERSION: Final = "0.13.5"
"""Whose API this is. VS Code asks for 0.6.4, Codex for 0.13.4 at least."""
ALWAYS: Final = timedelta(days=36500)
"""When a pinned model expires; there is no word for never."""
Http = HttpRequest[Any, Any, Any]
_decode_name: Final = msgspec.json.Decoder(wire.NameRequest).decode


def routes(served: Served) -> list[ControllerRouterHandler]:
    """Version, tags, ps and show."""
    rooms, files = served.pipeline.rooms, FactsOfFiles(served.clock.now())

    @route("/api/version", http_method=["GET", "HEAD"], name="ollama-version")
    async def api_version() -> wire.Version:
        return wire.Version(API_VERSION, version())

    @route("/api/tags", http_method=["GET", "HEAD"], name="ollama-tags")
    async def tags(request: Http) -> wire.Tags:
        served.callers.identify(bearer(request.headers))
        return wire.Tags([_listed(each) for each in await described(rooms, files)])

    @route("/api/ps", http_method=["GET", "HEAD"], name="ollama-ps")
    async def ps(request: Http) -> wire.Ps:
        served.callers.identify(bearer(request.headers))
        listed = await described(rooms, files)
        loaded = {each.offer.name: each for each in listed if each.offer.info and each.loaded}
        models = [model for model in rooms.pool.models.values() if f"local/{model.ref.name}" in loaded]
        now, ticks = served.clock.now(), served.clock.monotonic()
        return wire.Ps([_running(loaded[f"local/{model.ref.name}"], model, now, ticks) for model in models])

    @post("/api/show", status_code=200, name="ollama-show")
    async def show(request: Http) -> wire.Shown:
        caller = served.callers.identify(bearer(request.headers))
        return _shown(await describe(rooms, files, name_of(await request.body()), caller.name))

    return [api_version, tags, ps, show]


def name_of(body: bytes) -> str:
    """The model that a body names, by the new word or the old one. Raises BadRequest."""
    asked = read_as(_decode_name, body)
    if not (name := asked.model or asked.name):
        raise BadRequest("model is missing", "model")
    return name


def _details(facts: Facts, owner: str) -> wire.Details:
    family = facts.architecture or owner
    return wire.Details("", facts.form, family, [family], facts.parameter_size, facts.quantisation)


def _capabilities(each: Described) -> list[str]:
    """Each model may be offered tools; pictures and reasoning are not known of any."""
    return ["embedding"] if each.offer.embeds else ["completion", "tools"]


def _listed(each: Described) -> wire.Listed:
    name, facts = each.offer.name, each.facts
    details, changed = _details(facts, each.offer.owner), _time(facts.modified_at)
    return wire.Listed(name, name, changed, facts.size_bytes, facts.digest, details, _capabilities(each))


def _running(each: Described, model: LocalModel, now: datetime, ticks: float) -> wire.Running:
    name, info, keep_s = each.offer.name, model.info(), model.keep_s
    left_s = None if keep_s is None else keep_s if model.busy else max(0.0, keep_s - (ticks - model.last_used))
    size = info.estimate_bytes or each.facts.size_bytes
    return wire.Running(
        name=name,
        model=name,
        size=size,
        digest=each.facts.digest,
        details=_details(each.facts, each.offer.owner),
        expires_at=_time(now + (ALWAYS if left_s is None else min(ALWAYS, timedelta(seconds=left_s)))),
        size_vram=size if (info.device or "").startswith(("GPU", "NPU")) else 0,
        context_length=each.window or 0,
    )


def _shown(each: Described) -> wire.Shown:
    facts = each.facts
    details = _details(facts, each.offer.owner)
    said: dict[str, Any] = {"general.architecture": details.family, "general.basename": each.offer.name}
    if facts.weights:
        said["general.parameter_count"] = facts.weights
    if each.window:
        said[f"{details.family}.context_length"] = each.window
    return wire.Shown(
        license=facts.licence,
        modelfile="",
        parameters=f"num_ctx {each.window}" if each.window else "",
        template="",
        details=details,
        model_info=said,
        capabilities=_capabilities(each),
        modified_at=_time(facts.modified_at),
    )


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
