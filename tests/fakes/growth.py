"""Whether work grows with the length of a text alone: a guard against patterns that go back and forth."""

from __future__ import annotations

import time
from collections.abc import Callable


def grows_with_length_alone(find: Callable[[str], object], unit: str) -> bool:
    """Whether eight times the length is at most twenty times the work; going back and forth would make it 64 times.

    Work is this thread's CPU time, which a busy machine does not change, and the best of three.
    """

    def work(size: int) -> float:
        text = (unit * size)[:size]
        best = float("inf")
        for _ in range(3):
            began = time.thread_time()
            find(text)
            best = min(best, time.thread_time() - began)
        return best

    # a memory that another test filled makes one measurement slow, never all of them
    return any(work(40_000) < 20 * max(work(5_000), 0.0005) for _ in range(3))
