"""The selectors that are here, by upstream's names. `static` needs none: it is the recipe's order."""

from __future__ import annotations

from typing import Final

from daemon.routing.selection.base import Selector
from daemon.routing.selection.latency_aware import latency_aware
from daemon.routing.selection.multi_factor import multi_factor
from daemon.routing.selection.router_dc import router_dc

SELECTORS: Final[dict[str, Selector]] = {
    "latency_aware": latency_aware,
    "multi_factor": multi_factor,
    "router_dc": router_dc,
}
