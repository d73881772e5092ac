"""The methods that a recording allows: selectors by what its questions tell, and cascades by what its answers do."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.replaying.cascading import cascades
from daemon.replaying.curve import Halves
from daemon.replaying.methods import Method
from daemon.replaying.prices import Price
from daemon.replaying.selecting import (
    by_factors,
    by_hardness,
    by_likeness,
    complexity,
    length,
    likenesses,
    pairs_of,
    remembered,
)
from daemon.signals.parts import Parts


def offered(
    parted: Halves, prices: Mapping[str, Price], described: Mapping[str, str], parts: Parts
) -> tuple[Method, ...]:
    """described: models, for `router_dc`. parts: with the models that signals ask."""
    pairs = list(pairs_of(parted.models))
    hard = remembered(complexity(parts))
    told = remembered(
        likenesses({model: described[model] for model in parted.models if model in described}, parts.vectors)
    )
    nearby = [pair for pair in pairs if described.keys() >= set(pair)]
    selectors = (
        by_hardness("selector by length", parted.chosen_on, dict.fromkeys(pairs, length)),
        by_hardness("selector complexity", parted.chosen_on, dict.fromkeys(pairs, hard)),
        by_likeness(parted.chosen_on, nearby, told),
        by_factors(parted.qualities, prices, parts.vectors),
    )
    return (*filter(None, selectors), *cascades(parted.chosen_on, parted.models))
