"""Recipes: what there is to choose, one's text in colours, and what is different between two."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Final

from textual.content import Content

from daemon import wire
from tui.panels.writing import said, wrapped
from tui.tones import STYLES, Tone, Toned
from tui.words import counted, day, plain

_TOKENS: Final = re.compile(
    r"""(?P<muted>\#.*)|(?P<good>"(?:[^"\\]|\\.)*"|'[^']*')|(?P<strong>\b[A-Z][A-Z_]{2,}\b)"""
    r"""|(?P<accent>[A-Za-z_][\w.-]*(?=\s*:(?:\s|$)))|(?P<warn>\b(?:\d[\w.]*|true|false|null)\b)"""
)
"""Of both forms: comments, strings, the language's own words, names of fields, values."""
_WHY: Final = {
    "start": "at a start",
    "file": "the file changed",
    "api": "written here or over HTTP",
    "rollback": "had back",
    "settings": "named by the settings",
}
_KINDS: Final[dict[str, tuple[str, Tone]]] = {"added": ("+", "good"), "removed": ("-", "bad"), "changed": ("~", "warn")}
_SEVERITIES: Final[dict[str, Tone]] = {"error": "bad", "warning": "warn"}


def coloured(line: str) -> Content:
    """A line of a recipe, of either form."""
    parts: list[str | tuple[str, str]] = []
    end = 0
    for found in _TOKENS.finditer(line):
        tone: Tone = found.lastgroup  # type: ignore[assignment]  # the groups are called by tones
        parts += [plain(line[end : found.start()]), (plain(found[0]), STYLES[tone])]
        end = found.end()
    return Content.assemble(*parts, plain(line[end:]))


def text(words: str) -> list[Content]:
    """A whole recipe, with the numbers of its lines."""
    lines = words.splitlines()
    room = len(str(len(lines)))
    return [
        Content.assemble((f"{number:>{room}} ", "$muted"), " ", coloured(line)) for number, line in enumerate(lines, 1)
    ]


def offer_row(offer: wire.RecipeOffer, used: wire.Recipes) -> tuple[Toned, ...]:
    """A recipe that can be put to use."""
    in_use = offer.name == used.name
    return (
        Toned("●", "good") if in_use else Toned("○", "muted"),
        Toned(offer.name, "strong" if in_use else "plain"),
        Toned("in use", "good") if in_use else Toned("built in" if offer.built_in else "yours", "muted"),
        Toned(offer.about, "muted"),
    )


def version_row(version: wire.RecipeVersion, used: wire.Recipes) -> tuple[Toned, ...]:
    """An earlier text of the recipe in use, or the present one."""
    in_use = version.digest == used.digest
    return (
        Toned("●", "good") if in_use else Toned("↺", "muted"),
        Toned(f"version {version.number}", "strong" if in_use else "plain"),
        Toned("in use", "good") if in_use else Toned(day(version.at)[5:16], "muted"),
        Toned(_WHY.get(version.why, version.why), "muted"),
    )


def worth_telling(used: wire.Recipes) -> list[wire.RecipeProblem]:
    """What may be another thing than its author meant; notes are for who validates it."""
    return [each for each in used.problems if each.severity != "note"]


def standing(used: wire.Recipes) -> Content:
    """Which recipe is in use, and whether something is wrong with it."""
    if used.failure is not None:
        return said(Toned("✗ not taken in: ", "bad"), used.failure)
    if used.name is None:
        return said(Toned("no recipe is in use", "muted"), ": `auto` asks here first, and the cloud if that isn't sure")
    worst = worth_telling(used)
    about = Toned(f"  {counted(len(worst), 'warning')}", "warn") if worst else Toned("  nothing wrong with it", "muted")
    names = [name for name, recipe in used.entrypoints.items() if recipe]
    return said(Toned("● ", "good"), Toned(used.name, "strong"), Toned(f"  for {', '.join(names)}", "muted"), about)


def problems(found: Iterable[wire.RecipeProblem], width: int) -> list[Content]:
    """Each with its line and what to do."""
    told = []
    for each in found:
        place = f"line {each.line}: " if each.line is not None else f"{each.key}: " if each.key else ""
        told += wrapped(f"{each.severity}, {place}{each.message}", width, tone=_SEVERITIES.get(each.severity, "muted"))
        if each.remedy:
            told += wrapped(each.remedy, width, "  ")
    return told


def checked(found: wire.RecipeChecked, width: int) -> list[Content]:
    """What there is to say about a text."""
    verdict = Toned("✓ it can be used", "good") if found.usable else Toned("✗ it can't be used", "bad")
    return [
        said(verdict, Toned(f"  {counted(len(found.problems), 'remark')}", "muted")),
        *problems(found.problems, width),
    ]


def compared(found: wire.RecipeDiff, width: int) -> list[Content]:
    """Part by part, as the daemon tells it."""
    told = []
    for each in found.differences:
        mark, tone = _KINDS.get(each.kind, ("~", "warn"))
        change = " → ".join(filter(None, (each.before, each.after)))
        told += wrapped(f"{mark} {each.key}: {change}", width, tone=tone)
    return told or [said(Toned("no difference in what it decides", "muted"))]


def lines_apart(before: str, after: str) -> list[Content]:
    """Line by line."""
    told = []
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm=""):
        if line.startswith(("---", "+++")):
            continue
        tone: Tone = {"+": "good", "-": "bad", "@": "accent"}.get(line[:1], "muted")  # type: ignore[assignment]
        told.append(said(Toned(line, tone)))
    return told or [said(Toned("the same text", "muted"))]
