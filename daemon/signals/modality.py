"""What is asked for: text (AR), a picture (DIFFUSION), or both.

By examples of our own, not validated; if the shipped heads have one for it, that one answers. A request that names no
picture is one for text, and one that names no kind of text isn't one for both, whatever it is near to.
"""

from __future__ import annotations

import re
from time import perf_counter
from typing import Final

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, measured
from daemon.signals.contrast import contrast
from daemon.signals.parts import Parts

HEAD: Final = "modality"
TEXT, PICTURE, BOTH = "AR", "DIFFUSION", "BOTH"
_PICTURE: Final = re.compile(
    r"\b(?:image|picture|photo|photograph|drawing|draw|paint|painting|illustrat|render|sketch|logo|icon|poster|artwork|"
    r"wallpaper|portrait|cartoon|bild|zeichne|image|dessin|imagen|dibuj)|图|画|絵|イラスト|그림|사진",
    re.IGNORECASE,
)
_WORDS_TOO: Final = re.compile(
    r"\b(?:write|explain|describe|tell|list|summar|translate|answer|story|article|poem|recipe|essay|report|post|caption|text|"
    r"schreib|erklär|écri|expli|escrib)|写|説明|설명|作文",
    re.IGNORECASE,
)
EXAMPLES: Final = {
    TEXT: (
        "Explain how photosynthesis works.",
        "Describe the painting Guernica and its history.",
        "How do I resize an image in Python?",
        "What is the best file format for photos?",
        "Write a function that draws a line on a canvas.",
        "Summarise this text for me.",
    ),
    PICTURE: (
        "Draw a cat that sits on a red sofa.",
        "Generate an image of a sunset over the mountains.",
        "Create a photorealistic picture of a city at night.",
        "Paint a portrait of an old sailor in oil.",
        "Make a logo for a coffee shop.",
        "Design a poster for a jazz concert.",
    ),
    BOTH: (
        "Write a short story about a dragon and illustrate it with a picture.",
        "Explain the water cycle and draw a diagram of it.",
        "Give me a recipe for pancakes together with a photo of the result.",
        "Write a blog post about Rome and generate an image for it.",
        "Describe three dog breeds and show a picture of each.",
    ),
}


def modality(parts: Parts, asked: Asked) -> dict[str, float]:
    """Each kind's share. Raises Unread."""
    if parts.heads.has(HEAD):
        return parts.heads.whole(HEAD, asked.words, asked.in_time)
    if not _PICTURE.search(asked.words):
        return {TEXT: 1.0, PICTURE: 0.0, BOTH: 0.0}
    found = contrast(parts.vectors, asked.words, EXAMPLES)
    if not _WORDS_TOO.search(asked.words):
        found[PICTURE] += found[BOTH]
        found[BOTH] = 0.0
    return found


class Modalities:
    """The signal: one of the three matches always."""

    signal = "modality"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._names = {rule.name for rule in rules.modality}
        self._parts = parts
        self.lane: Lane = "models" if self._names else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule that is called like one of them."""
        if not self._names or not asked.words.strip():
            return []
        began = perf_counter()
        found = modality(self._parts, asked)
        best = max(found, key=lambda kind: found[kind])
        kinds = ((kind, score, kind == best) for kind, score in found.items() if kind in self._names)
        return measured(self, asked, began, kinds, validated=self._parts.heads.validated(HEAD))
