"""What the eyes tell of a picture or a document, in the shape that travels from their process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

Box = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
"""Corners from the top left, in reading direction, in pixels."""


class SeenLine(Struct, frozen=True, array_like=True):
    """A line. start, end: in characters of the text. sure: in [0, 1]. page: or frame, from 0."""

    start: int
    end: int
    box: Box
    sure: float
    page: int = 0


class Seen(Struct, frozen=True, kw_only=True):
    """form: the file's real format. width, height: in pixels, upright; 0 where there are none. pages: or frames.

    text: all words, line by line. lines: where they stand; () where nobody knows. kinds: what kind of picture it is, as
    probabilities. things: what a photograph shows, likewise. explicit, detail: in [0, 1]; None: not looked at.
    """

    form: str
    width: int = 0
    height: int = 0
    pages: int = 1
    text: str = ""
    lines: tuple[SeenLine, ...] = ()
    kinds: Mapping[str, float] = {}
    things: Mapping[str, float] = {}
    explicit: float | None = None
    detail: float | None = None


class Kinds(NamedTuple):
    """kinds: what kind of picture it is, by name, as probabilities. things: what a photograph shows, likewise."""

    kinds: Mapping[str, float]
    things: Mapping[str, float]


class KindReader(Protocol):
    """Tells what kind of picture it is."""

    def read(self, image: Any, text: str = "", written: str = "", clear: str = "") -> Kinds:
        """image: Pillow's, RGB. text: the words in it. written: what kind of file they would be. clear: those read well."""
        ...
