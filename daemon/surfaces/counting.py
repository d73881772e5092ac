"""How long a prompt is for whoever would answer it, without an answer.

By the tokenizer of the local model that would be asked, if it is loaded: exact, its template included, as long as the prompt
fits its window. Else by the estimate that signals have: a count is asked for often, and is no reason to load a model.
"""

from __future__ import annotations

from msgspec import Struct

from daemon.callers import Caller
from daemon.decision.rules import LOCAL
from daemon.local import prompt_of
from daemon.pipeline import Visit
from daemon.surfaces.served import Served
from providers.contract import Request, Unreachable


class Count(Struct, frozen=True):
    """Of a prompt. exact: false for an estimate."""

    tokens: int
    exact: bool


async def count(request: Request, caller: Caller, served: Served) -> Count:
    """Decide who would answer, and count as they would. Raises NearloopError, ProviderError as an answer does."""
    visit = served.pipeline.visit(request, may_cloud=caller.may("infer:cloud"))
    decision = await visit.decide()
    first = decision.candidates[0] if decision.candidates else None
    if first is not None and first.provider == LOCAL:
        counted = await _by_model(first.model, visit, served)
        if counted is not None:
            return counted
    return Count(max(round(visit.prompt_tokens()), 1), exact=False)


async def _by_model(name: str, visit: Visit, served: Served) -> Count | None:
    """None: it isn't loaded, or has just ended."""
    worker = served.pipeline.rooms.pool.find(name).worker
    if worker is None or worker.ready is None:
        return None
    try:
        tokens = await worker.count(prompt_of(visit.asked))
    except Unreachable:
        return None
    return Count(tokens, exact=tokens < worker.ready.context_tokens)
