"""Which kind of harm a text is near to, by examples of our own: for the hazards that nobody has trained a head yet.

For each kind there are wishes of that kind, and harmless requests about the same things. How sure it is grows with how much
nearer a text is to the wishes than to the harmless ones, or than what is near to nothing. The kinds are independent, as
upstream's twelve are, and answered sentence by sentence, the worst one counting. Nothing of this was measured on data of
others, and how sharp it is was chosen by hand: not validated, and not calibrated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from daemon.signals.base import UNSCANNED
from daemon.signals.contrast import SHARPNESS
from daemon.signals.hazard_examples import EXAMPLES
from daemon.signals.opening import Unread
from daemon.signals.questions import NEAR
from daemon.signals.vectors import Bank, Vectors


def hazards(
    vectors: Vectors, text: str, kinds: Iterable[str], in_time: Callable[[], bool]
) -> tuple[dict[str, float], bool]:
    """Of those kinds that are known here, how sure each is, and whether the text was read whole. Raises Unread."""
    banks = {kind: _banks(vectors, kind) for kind in kinds if kind in EXAMPLES}
    found = dict.fromkeys(banks, 0.0)
    pieces = 0
    for vector in vectors.pieces(text, in_time) if banks else ():
        pieces += 1
        for kind, (wishes, harmless) in banks.items():
            lead = wishes.best(vector) - max(harmless.best(vector), NEAR)
            found[kind] = max(found[kind], 1 / (1 + math.exp(-SHARPNESS * lead)))
    whole = in_time()
    if banks and not pieces and not whole:
        raise Unread(UNSCANNED)
    return found, whole


def _banks(vectors: Vectors, kind: str) -> tuple[Bank, Bank]:
    examples = EXAMPLES[kind]
    return vectors.bank(examples.wishes), vectors.bank(examples.harmless)
