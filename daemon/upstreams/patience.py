"""Whether an attempt that failed is made again, and how long after; no I/O.

What passes by itself is asked again: a full or unreachable provider. Its own word counts before our guess, both as to when
(`retry-after`) and as to whether (`x-should-retry`). An empty account, a key that is rejected and a request that is refused
stay so. Another key than the one that was refused is no repetition (`ProviderError.another_key`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from providers.cleared import Place
from providers.contract import KeyRejected, NoCredit, Overloaded, ProviderError, Unreachable

RETRIES: Final = 2
WITHIN_S: Final = 10.0
"""For all repetitions of one call, what they wait included."""
BACK_OFF_S: Final = (0.5, 2.0)
"""Before the first and the second repetition, where the provider names no time; a quarter of it less or more."""


def again_s(problem: Exception, repetition: int, place: Place, draw: Callable[[], float]) -> float | None:
    """How long before it is asked again; None if asking again is no use. draw: in [0, 1).

    A server on this machine that isn't there now is not started within a second or two: the next candidate is asked.
    """
    if repetition >= RETRIES or not isinstance(problem, ProviderError) or problem.again is False:
        return None
    if isinstance(problem, NoCredit):
        return None
    if isinstance(problem, KeyRejected):
        return 0.0 if problem.again and repetition == 0 else None
    if not isinstance(problem, Overloaded | Unreachable):
        return BACK_OFF_S[repetition] if problem.again else None
    if place is Place.DEVICE and isinstance(problem, Unreachable):
        return None
    if problem.retry_after_s is not None:
        return problem.retry_after_s
    return BACK_OFF_S[repetition] * (0.75 + 0.5 * draw())
