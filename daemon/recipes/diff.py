"""What is different between two recipes, part by part; the order of a file makes no difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import Struct

from daemon.recipes.dsl_printer import condition_text
from daemon.recipes.model import MACHINE, RecipeFile
from daemon.recipes.nodes import node_of
from daemon.recipes.plain import plain


class Difference(Struct, frozen=True):
    """One. key: the way to the part, with names for numbers: `routing.decisions.local.priority`."""

    kind: Literal["added", "removed", "changed"]
    key: str
    before: str = ""
    after: str = ""


def diff(before: RecipeFile, after: RecipeFile) -> tuple[Difference, ...]:
    """By key. What is about machines is not compared: it may hold keys."""
    return tuple(_compare(_parts(before), _parts(after), ""))


def _parts(recipe: RecipeFile) -> Any:
    found = plain(recipe)
    return _keyed({key: value for key, value in found.items() if key not in MACHINE})


def _keyed(value: Any) -> Any:
    """Lists of named parts become tables by name; conditions become a line."""
    if isinstance(value, dict):
        return {key: _rules(inner) if key in ("rules", "composer") else _keyed(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        for name in ("name", "model", "type"):
            names = [each.get(name) if isinstance(each, dict) else None for each in value]
            if names and None not in names and len(set(names)) == len(names):
                return {
                    str(each[name]): _keyed({key: inner for key, inner in each.items() if key != name})
                    for each in value
                }
        return [_keyed(each) for each in value]
    return value


def _rules(value: Any) -> Any:
    bare = {key: inner for key, inner in value.items() if key != "on_unknown"}
    return {"when": condition_text(node_of(bare)), **{key: value[key] for key in ("on_unknown",) if key in value}}


def _compare(before: Any, after: Any, key: str) -> Iterator[Difference]:
    if before == after:
        return
    if not (isinstance(before, dict) and isinstance(after, dict)):
        yield Difference("changed", key, _shown(before), _shown(after))
        return
    for name in [*before, *(name for name in after if name not in before)]:
        here = f"{key}.{name}" if key else name
        if name not in after:
            yield Difference("removed", here, _shown(before[name]))
        elif name not in before:
            yield Difference("added", here, "", _shown(after[name]))
        else:
            yield from _compare(before[name], after[name], here)


_LONGEST = 200
"""Of a value that is shown."""


def _shown(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
