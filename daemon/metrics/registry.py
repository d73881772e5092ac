"""The families of metrics that are there."""

from __future__ import annotations

from typing import Final

from daemon.metrics import (
    boundary,
    crossings,
    decisions,
    failures,
    loopers,
    models,
    pictures,
    requests,
    signals,
    state,
)
from daemon.metrics.base import Family

FAMILIES: Final[tuple[Family, ...]] = (
    requests.FAMILY,
    models.FAMILY,
    failures.FAMILY,
    signals.FAMILY,
    decisions.FAMILY,
    loopers.FAMILY,
    boundary.FAMILY,
    crossings.FAMILY,
    pictures.FAMILY,
    state.FAMILY,
)
