"""Where code stands in a text: in fences, between backticks, in lines written as programs are, in names of files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

_FENCE: Final = re.compile(r"^[ \t>]*(```+|~~~+)[ \t]*([\w+#.-]*)[^\n]*$", re.MULTILINE)
_INLINE: Final = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,200})(?<!`)\1(?!`)")
_FILE: Final = re.compile(
    r"(?<![\w:/.\\-])[~.]{0,2}/?(?:[\w.@-]+[/\\])*[\w.-]+\."
    r"(?:py|pyi|ipynb|js|jsx|mjs|ts|tsx|vue|java|kt|scala|go|rs|c|cc|cpp|h|hpp|cs|rb|php|swift|sql|sh|ya?ml|"
    r"toml|tf|proto|lua|ex|css|scss|"
    r"html|json|xml|ini|cfg|csv|parquet)\b(?![\w(])"
)
_STRONG: Final = re.compile(
    r"[ \t>+\-\d→|:]*(?:@\w+(?:\.\w+)*(?:\(.*)?$|#include\b|#!|(?:export |default |public |private |protected |"
    r"internal |static |abstract "
    r"|final |async |pub(?:\(\w+\))? |unsafe |override |virtual |const )*(?:def|class|func|fn|function|"
    r"interface|struct|enum|impl|trait"
    r"|namespace|package|module|type)\s+[\w*&(<][\w.<>, ]*\s*[({:=;<\[]|"
    r"(?:from\s+[\w.]+\s+)?import\s+[\w.*{\"'(]|(?:const|let|var|val|auto)"
    r"\s+[\w{\[,: ]+\s*:?=|(?i:select\b.*\b(?:from|where)\b|select\s+[\w.*]+(?:\s*,\s*[\w.*]+)*\s*$|"
    r"insert\s+into\b|update\s+[\w.\"]+\s+set\b|"
    r"delete\s+from\b|(?:create|alter|drop|truncate)\s+(?:or\s+replace\s+)?(?:table|view|index|schema|database|"
    r"function|procedure)\b"
    r"|(?:(?:left|right|inner|outer|full|cross)\s+)*join\s+[\w.\"]+\s+(?:as\s+)?\w*\s*on\b|from\s+\w+\.\w+|"
    r"grant\s+\w+.*\bon\b)"
    r"|(?:return|raise|throw|yield|await|assert)\b.*[\w)\]\"';]\s*[;(]?$|(?:if|elif|for|while|with|switch|catch|"
    r"except|else if)\b.*[:{]\s*$"
    r"|(?:try|else|finally|do)\s*[:{]\s*$)"
)
"""A line that is code, whatever stands around it."""
_WEAK: Final = re.compile(
    r".*(?:[;{}\[]|\)\s*[,;:{]?|\(|=>|->)\s*$|[ \t+\-]*[\w.\[\]\"'$*&]+\s*(?:[-+*/|&]|:)?=\s*\S|"
    r"[ \t]*[\w.:>-]+\(.*\)\s*$|[ \t+\-]*[\w\"'.-]+:(?:\s|$)"
    r"|[ \t]*[)\]}]|[ \t]*(?://|#|--|\*|/\*)|[ \t]+\S.*,\s*$|[ \t]*$"
)
"""A line that is code if one beside it is."""
_PROSE_WORDS: Final = re.compile(r"(?:[A-Za-z',]+ ){6}")
_WITH_HYPHENS_WORDS: Final = """
yaml yml toml ini json bash sh shell zsh console dockerfile docker makefile hcl terraform tf text txt plain xml html
env conf nginx properties powershell ps1
"""
_WITH_HYPHENS: Final = frozenset(_WITH_HYPHENS_WORDS.split())
"""Languages in which a hyphen is a part of names."""


class Region(Struct, frozen=True):
    """A piece of code. start, end: in characters. hyphens: whether a name in it may have one."""

    start: int
    end: int
    hyphens: bool


def regions(text: str) -> list[Region]:
    """All code of a text, in order, none overlapping."""
    found: list[Region] = []
    at = 0
    for region in _fenced(text):
        found += _outside(text, at, region.start)
        found.append(region)
        at = region.end
    found += _outside(text, at, len(text))
    return found


def _fenced(text: str) -> Iterator[Region]:
    at = 0
    while opening := _FENCE.search(text, at):
        end, at = len(text), len(text)
        for closing in _FENCE.finditer(text, opening.end()):
            if closing[1].startswith(opening[1]) and not closing[2]:
                end, at = closing.start(), closing.end()
                break
        yield Region(opening.end(), end, opening[2].lower() in _WITH_HYPHENS or not opening[2])


def _outside(text: str, start: int, end: int) -> list[Region]:
    """Of a piece without fences."""
    lines = list(_coded_lines(text, start, end))
    marked: list[Region] = []
    for pattern, group in ((_INLINE, 2), (_FILE, 0)):
        marked += [Region(*found.span(group), True) for found in pattern.finditer(text, start, end)]
    marked = [each for each in marked if not any(line.start <= each.start < line.end for line in lines)]
    merged: list[Region] = []
    for region in sorted((*lines, *marked), key=lambda each: (each.start, -each.end)):
        if not merged or region.start >= merged[-1].end:
            merged.append(region)
    return merged


def _coded_lines(text: str, start: int, end: int) -> Iterator[Region]:
    """Runs of lines around one that surely is code."""
    run: tuple[int, int] | None = None
    sure = False
    at = start
    while at <= end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = text[at:stop][:400]
        strong = _STRONG.match(line) is not None
        if strong or (_WEAK.match(line) is not None and not _PROSE_WORDS.search(line)):
            run = (run[0] if run else at, stop)
            sure = sure or strong
        else:
            if run and sure:
                yield Region(*run, False)
            run, sure = None, False
        at = stop + 1
    if run and sure:
        yield Region(*run, False)
