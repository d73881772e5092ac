"""The loopers, by the name that a decision gives."""

from __future__ import annotations

from typing import Final

from daemon.loopers.base import Looper
from daemon.loopers.confidence import confidence
from daemon.loopers.fast_response import fast_response
from daemon.loopers.fusion import fusion
from daemon.loopers.ratings import ratings
from daemon.loopers.remom import remom
from daemon.loopers.single import single
from daemon.loopers.workflows import workflows

LOOPERS: Final[dict[str, Looper]] = {
    "single": single,
    "confidence": confidence,
    "fast_response": fast_response,
    "ratings": ratings,
    "fusion": fusion,
    "remom": remom,
    "workflows": workflows,
}
