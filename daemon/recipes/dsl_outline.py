"""A first look at a text in the recipe language: its remarks, and whether brackets nest and quotes close."""

from __future__ import annotations

import re
from typing import Final

from daemon.recipes.dsl_faults import fault
from daemon.recipes.dsl_statements import Comment
from daemon.recipes.nodes import MAX_DEPTH
from daemon.recipes.problems import Place

_OUTLINE: Final = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.)*(?P<closed>")?)|(?P<comment>\#[^\n]*)|(?P<open>[({\[])|(?P<close>[)}\]])|\b(?P<no>NOT)\b|\S"""
)
"""Each text is taken to its end at once, closed or not: to look again from each of its quotes would take quadratic time."""


def outline(text: str) -> tuple[Comment, ...]:
    """The remarks; raises BadRecipe if brackets or NOTs nest so deep that what reads on would lose its footing."""
    comments = []
    depth = denials = 0
    line, at, start_of_line, fresh = 1, 0, 0, True
    for found in _OUTLINE.finditer(text):
        between = text.count("\n", at, found.start())
        if between:
            line, start_of_line, fresh = line + between, text.rfind("\n", at, found.start()) + 1, True
        at = found.start()
        denials = denials + 1 if found["no"] else 0
        depth += bool(found["open"]) - bool(found["close"])
        place = Place(line, found.start() - start_of_line + 1)
        if found["text"] and not found["closed"]:
            remedy = "close it, and write a line's end in it as \\n"
            raise fault("syntax", place, "this text has no closing quote", remedy)
        if depth > MAX_DEPTH or denials > MAX_DEPTH:
            raise fault("too-deep", place, f"this is more than {MAX_DEPTH} levels deep", "nest less")
        if found["comment"]:
            comments.append(Comment(place, found["comment"].rstrip(), after_code=not fresh))
        fresh = False
    return tuple(comments)
