"""TOML: tables that are not there are put at the end, keys are set by tomlkit, which keeps all else as it is."""

from __future__ import annotations

import tomllib
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from daemon.connecting.merging import Unreadable, brought_in, line_end


def merge_toml(text: str, wanted: dict[str, Any]) -> str:
    """The text with what is wanted in it. Raises Unreadable."""
    before = _read(text)
    expected = brought_in(before, wanted)
    after = _with_keys(text, before, wanted)
    missing = _missing(before, wanted, ())
    if missing:
        between = "" if not after or after.endswith("\n") else "\n"
        tables = "\n".join(_table(path, table) for path, table in missing)
        gap = "\n" if after.strip() else ""
        after += (between + gap + tables).replace("\n", line_end(text))
    try:
        right = tomllib.loads(after) == expected
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        raise Unreadable(1, "it is written in a way that this command can't add to safely: do it by hand")
    return after


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).partition(" (at line ")
        number = place.partition(",")[0]
        raise Unreadable(int(number) if number.isdigit() else text.count("\n") + 1, reason) from error
    except RecursionError as error:
        raise Unreadable(1, "it nests too deep") from error


def _with_keys(text: str, before: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Values of tables that are there."""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise Unreadable(getattr(error, "line", 1), "it can't be read") from error
    if _set(document, before, wanted):
        return tomlkit.dumps(document)
    return text


def _set(table: Any, before: dict[str, Any], wanted: dict[str, Any]) -> bool:
    changed = False
    for key, value in wanted.items():
        if isinstance(value, dict):
            if isinstance(before.get(key), dict):
                changed |= _set(table[key], before[key], value)
        elif before.get(key) != value or type(before.get(key)) is not type(value):
            table[key] = value
            changed = True
    return changed


def _missing(
    before: dict[str, Any], wanted: dict[str, Any], path: tuple[str, ...]
) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """The tables that are not there, outer ones first, each with its own values."""
    found: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    for key, value in wanted.items():
        if not isinstance(value, dict):
            continue
        here = (*path, key)
        if key not in before:
            own = {name: inner for name, inner in value.items() if not isinstance(inner, dict)}
            if own or not value:
                found.append((here, own))
            found += _missing({}, value, here)
        elif isinstance(before[key], dict):
            found += _missing(before[key], value, here)
    return found


def _table(path: tuple[str, ...], values: dict[str, Any]) -> str:
    document = tomlkit.document()
    for key, value in values.items():
        document[key] = value
    name = ".".join(tomlkit.key(part).as_string() for part in path)
    return f"[{name}]\n{tomlkit.dumps(document)}"
