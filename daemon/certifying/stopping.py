"""What stopping drafts early saves and costs, told by recordings that no part of the profile was made of."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from daemon.certifying.recording import Row
from daemon.confidence.profile import Profile
from daemon.confidence.recovery import CHECKPOINTS


class Stopped(Struct, frozen=True):
    """At one threshold. passing, failing: whole answers that reach it, and that don't. wrong: of the passing, how many were
    stopped before they did. tokens: of the failing; saved: those of them that were never written.
    """

    required: float
    passing: int
    failing: int
    wrong: int
    tokens: int
    saved: int


def stopped(rows: Sequence[Row], profile: Profile, required: float) -> Stopped:
    """Play the looper's checkpoints over recorded answers. rows: of families that the profile knows."""
    passing = failing = wrong = tokens = saved = 0
    for row in rows:
        whole = profile.probability(row.seen, row.family)
        if whole is None:
            continue
        ended_at = _stopped_at(row, profile, required)
        if whole >= required:
            passing += 1
            wrong += ended_at is not None
        else:
            failing += 1
            tokens += row.features.tokens
            saved += row.features.tokens - ended_at if ended_at is not None else 0
    return Stopped(required, passing, failing, wrong, tokens, saved)


def _stopped_at(row: Row, profile: Profile, required: float) -> int | None:
    for tokens, beginning in zip(CHECKPOINTS, row.beginnings, strict=False):
        best = profile.best_probability(beginning, row.family)
        if best is not None and best < required:
            return tokens
    return None
