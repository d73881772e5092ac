"""Sentences out of templates: a TOML file with slots, and families of templates that name them in braces."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from edge_models.training.rows import Span

FOLDER: Final = Path(__file__).parent / "templates"
Slots = Mapping[str, Sequence[str]]
_SLOT: Final = re.compile(r"\{([a-z]+)\}")
_MARK: Final = re.compile(r"<(/?)([POA])>")
MARKS: Final = {"P": "PERSON", "O": "ORGANIZATION", "A": "ADDRESS"}


@cache
def templates(name: str) -> dict[str, Any]:
    """One file of templates."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def holding(template: str, name: str, text: str) -> str:
    """The template with somebody's text in the slot, whose own braces are none."""
    return template.replace(f"{{{name}}}", text)


def filled(template: str, slots: Slots, random: Random) -> str:
    """The template with each slot filled by chance, again and again until none is left; unknown braces stay."""
    while True:
        text = _SLOT.sub(lambda slot: random.choice(slots[slot[1]]) if slot[1] in slots else slot[0], template)
        if text == template:
            return text
        template = text


def marked(text: str) -> tuple[str, tuple[Span, ...]]:
    """A text whose <P>names</P>, <O>organisations</O> and <A>addresses</A> are marked, without marks and with spans."""
    plain, spans, opened, last = "", [], 0, 0
    for mark in _MARK.finditer(text):
        plain += text[last : mark.start()]
        last = mark.end()
        if mark[1]:
            spans.append((MARKS[mark[2]], opened, len(plain)))
        else:
            opened = len(plain)
    return plain + text[last:], tuple(spans)


def roughened(text: str, random: Random) -> str:
    """Now and then as people type: all small, all capitals, no full stop."""
    chance = random.random()
    if chance < 0.12:
        return text.lower()
    if chance < 0.15 and "{" not in text:
        return text.upper()
    if chance < 0.25:
        return text.rstrip(".!")
    return text
