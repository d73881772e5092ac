"""What the icon can say."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """One glance. When several hold, the first one in this order is shown: what leaves comes before all that is known."""

    STOPPED = "stopped"
    CLOUD = "cloud in use"
    ATTENTION = "attention"
    LOCAL_ONLY = "local-only"
    WORKING = "working locally"
    IDLE = "idle"
