"""Recipes that can be put to use by name: those of this version, and files beside the settings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.errors import BadRequest, NearloopError
from daemon.paths import make_private_directory, write_private
from daemon.recipes.files import SUFFIXES, form_of
from daemon.recipes.loading import load
from daemon.routing.sources import folder, source

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}\.(dsl|yaml|yml)")
"""Of a file that is made here: no folders, nothing hidden."""
_ABOUT_CHARS: Final = 120


class Offer(Struct, frozen=True):
    """name: as the settings take it. about: the first line of its first comment."""

    name: str
    built_in: bool
    about: str


def offers(beside: Path, used: str | None) -> tuple[Offer, ...]:
    """Built-in ones first, then the user's. used: the one in use, which may lie anywhere."""
    ours = [path.stem for path in sorted(folder().glob("*.dsl"))]
    theirs = [path.name for path in sorted(beside.glob("*")) if path.suffix.lower() in SUFFIXES and path.is_file()]
    if used is not None and used not in (*ours, *theirs):
        theirs.append(used)
    return tuple(Offer(name, name in ours, _about(name, beside)) for name in (*ours, *theirs))


def _about(name: str, beside: Path) -> str:
    try:
        text = source(name, beside).text
    except (NearloopError, OSError):
        return ""
    first = next((line for line in text.splitlines() if line.startswith("#")), "")
    return first.lstrip("# ")[:_ABOUT_CHARS]


def shelve(beside: Path, name: str, text: str) -> None:
    """Write a recipe into a file of its own beside the settings. Raises BadRequest, BadRecipe, OSError."""
    if not NAME.fullmatch(name):
        raise BadRequest("a recipe's file is called by 1 to 40 of a-z, 0-9, - and _, then .dsl or .yaml", "name")
    path = beside / name
    load(text, form_of(path))
    if path.exists():
        raise BadRequest(f"there is a file {name} already: take another name", "name")
    make_private_directory(beside)
    write_private(path, text.encode())
