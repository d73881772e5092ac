"""A watch over a promise: whether more kept answers turn out wrong than were promised, told at any time.

It is a bet against the promise. Each outcome multiplies the stake by 1 + bet * (wrong - risk): a fair game if exactly
`risk` of the answers are wrong, a losing one if fewer are. Who starts with 1 and has 1/delta some day has seen what happens
with a chance of at most delta, however often one looks (Ville's inequality). Several bets are held at once, since nobody
knows how far it will be off, and their mean is the stake.
Source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (2024), section 4.
"""

from __future__ import annotations

import math
from typing import Final

from msgspec import Struct

from daemon.confidence.guarantee import DELTA, RISK

_BETS: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Shares of the largest bet that can't be ruined, 1/risk at no wrong answer."""


class Watch(Struct, frozen=True):
    """What was seen so far. logs: of each bet's stake."""

    risk: float = RISK
    delta: float = DELTA
    seen: int = 0
    wrong: int = 0
    logs: tuple[float, ...] = (0.0,) * len(_BETS)
    highest: float = 1.0

    def after(self, wrong: bool) -> Watch:
        """With one more kept answer whose outcome is known."""
        logs = tuple(
            log + math.log1p(bet / self.risk * ((1.0 if wrong else 0.0) - self.risk))
            for log, bet in zip(self.logs, _BETS, strict=True)
        )
        stake = sum(math.exp(min(log, 700.0)) for log in logs) / len(logs)
        return Watch(self.risk, self.delta, self.seen + 1, self.wrong + wrong, logs, max(self.highest, stake))

    @property
    def broken(self) -> bool:
        """Whether the promise can't be believed any more. Once said, it stays said."""
        return self.highest >= 1.0 / self.delta
