"""What a request is made of: text, pictures, sound. Nothing is inferred; upstream has this signal since v0.4.

No protocol here takes sound in, so `audio` never matches.
"""

from __future__ import annotations

from typing import Final

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.parts import Parts
from providers.contract import Image, Request, Text
from providers.texts import carried

TEXT, PICTURE, SOUND = "text", "image", "audio"
INPUTS: Final = (TEXT, PICTURE, SOUND)


class InputModalities:
    """The signal: a rule that is called like one of them matches if the request has such a part."""

    signal = "input_modality"
    kind = Kind.ROUTE
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._names = tuple(rule.name for rule in rules.input_modality if rule.name in INPUTS)

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each of them."""
        if not self._names:
            return []
        there = parts_of(asked.request)
        return [
            Observation(
                signal=self.signal, kind=self.kind, name=name, value=float(name in there), matched=name in there
            )
            for name in self._names
        ]


def parts_of(request: Request) -> frozenset[str]:
    """Which of them a request has, in its history too."""
    texts = (part for message in request.messages for part in message.parts if isinstance(part, Text))
    has_text = any(part.text.strip() for part in texts)
    has_picture = any(isinstance(each.part, Image) for each in carried(request))
    return frozenset(name for name, there in ((TEXT, has_text), (PICTURE, has_picture)) if there)
