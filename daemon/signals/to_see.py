"""How much there is to see in the pictures of the user's last message, as a share.

Three things count, each as a share of what is much: words read in them (of 1,000, some two printed pages), pages beyond the
first (of ten), and detail as it was measured. The largest decides, since they measure the same work from three sides: a page
that was read has words, a chart has detail. Detail alone counts half: a photograph of gravel has much of it and asks for
little. Pictures count together in words and pages; one that nobody looked at counts as nothing.
"""

from __future__ import annotations

from typing import Final

from daemon.signals.base import Asked
from providers.contract import Sight
from providers.texts import carried

MANY_WORDS: Final = 1000
MANY_PAGES: Final = 10
WEIGHT: Final = 0.3
"""How far all there is to see moves a margin towards 1: past the 0.1 to 0.2 that thresholds of difficulty mostly have, so
that an easy word beside a full page is not easy, and less than a hard question by itself."""


def to_see(asked: Asked) -> float:
    """From 0, for a request without pictures, to 1."""
    sights = _sights(asked)
    words = sum(len(sight.text.split()) for sight in sights)
    pages = sum(max(1, sight.pages) for sight in sights) - 1
    detail = max((sight.detail or 0.0 for sight in sights), default=0.0)
    return max(min(1.0, words / MANY_WORDS), min(1.0, max(0, pages) / MANY_PAGES), min(1.0, detail) / 2)


def harder(margin: float, share: float) -> float:
    """A margin of difficulty with what is to be seen; the same where there is nothing. Stays within -1 to 1."""
    return margin + WEIGHT * share * (1 - margin) if share else margin


def _sights(asked: Asked) -> list[Sight]:
    messages = asked.request.messages
    last = max((place for place, message in enumerate(messages) if message.role == "user"), default=-1)
    return [
        part.sight
        for path, part in carried(asked.request)
        if part.sight is not None and path.startswith(f"messages[{last}].")
    ]
