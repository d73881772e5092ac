"""How fast and how busy those who answer are, as their own answers measured it."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from daemon.wire import Attempt

KEPT: Final = 64
"""Answers of each that count: enough for a 95th percentile, few enough to forget yesterday's network."""
MOST: Final = 1024
"""Who is kept count of; names come from settings and recipes, and the oldest goes."""
MIN_TOKENS: Final = 8
"""Shorter answers measure overhead, not speed."""


class Speed(Struct, frozen=True):
    """Milliseconds to the first token, and for each token after it; the newest last. Empty: never measured."""

    ttft_ms: tuple[float, ...] = ()
    tpot_ms: tuple[float, ...] = ()


class Speeds:
    """By `PROVIDER/MODEL`. Nothing of it outlives the process."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[deque[float], deque[float]]] = OrderedDict()
        self._busy: Counter[str] = Counter()

    def learn(self, attempts: Iterable[Attempt]) -> None:
        """Take in how some attempts went; only answers count."""
        for attempt in attempts:
            if attempt.outcome != "answered" or attempt.first_token_ms is None:
                continue
            firsts, nexts = self._of(f"{attempt.provider}/{attempt.model}")
            firsts.append(attempt.first_token_ms)
            if attempt.completion_tokens >= MIN_TOKENS:
                nexts.append((attempt.took_ms - attempt.first_token_ms) / (attempt.completion_tokens - 1))

    def _of(self, name: str) -> tuple[deque[float], deque[float]]:
        if name not in self._kept:
            self._kept[name] = (deque(maxlen=KEPT), deque(maxlen=KEPT))
        self._kept.move_to_end(name)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return self._kept[name]

    def of(self, name: str) -> Speed:
        """What is known of one."""
        firsts, nexts = self._kept.get(name, ((), ()))
        return Speed(tuple(firsts), tuple(nexts))

    def busy(self, name: str) -> int:
        """How many requests it has been asked and not ended."""
        return self._busy[name]

    def all_busy(self) -> dict[str, int]:
        """The same of all that are busy."""
        return dict(self._busy)

    def began(self, name: str) -> None:
        """It is asked."""
        self._busy[name] += 1

    def ended(self, name: str) -> None:
        """It has answered, or failed, or nobody listens any more."""
        self._busy[name] -= 1
        if self._busy[name] <= 0:
            del self._busy[name]
