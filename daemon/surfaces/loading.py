"""A client that wants a model loaded or unloaded, and nothing said."""

from __future__ import annotations

from typing import Final

from daemon.decision.rules import LOCAL
from daemon.errors import NoCandidate, Refused
from daemon.pipeline import Visit
from daemon.pool import Pool

RETRY_S: Final = 5.0


async def have_ready(visit: Visit, pool: Pool, wait_s: float) -> str:
    """Load the local model that would answer first, or unload it if it is not to be kept. Returns its name.

    Where none is local there is nothing to load. Raises NearloopError.
    """
    decision, keep_s = await visit.decide(), visit.request.keep_s
    name = next((candidate.model for candidate in decision.candidates if candidate.provider == LOCAL), None)
    if name is None:
        return decision.candidates[0].name if decision.candidates else visit.request.model
    model = pool.find(name)
    if keep_s == 0:
        if model.terms.keep_s is None:
            raise Refused(f"local/{name} is pinned in settings.toml, so no client may unload it")
        await pool.unload(name)
    else:
        model.asked_keep_s = keep_s
        await model.load(wait_s)
        if model.state != "ready":
            raise NoCandidate(f"local/{name} is not loaded yet: ask again in a moment", RETRY_S)
    return f"local/{name}"
