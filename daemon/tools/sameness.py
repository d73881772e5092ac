"""Whether two answers call the same: the form that calls share which do the same.

Names and JSON values have to be equal, in any order of members and calls. Ways of writing that change nothing are evened
out: members that say nothing or what the schema has anyway, spaces at the ends of a text, paths, spaces between a command's
words. What an agent's own tools take as remarks for the user is no part of what they do.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from daemon.tools.known import SHELLS, known_effect, plain_name
from providers.contract import Tool, ToolCall

_PATH: Final = re.compile(r"(?i)(?:^|_)(?:path|file|dir|directory|folder|cwd|workdir)(?:_?name)?$|(?:Path|File|Dir)$")
_COMMAND: Final = frozenset({"command", "cmd", "commandline"})
_PLAIN: Final = re.compile(r"[^'\"\\\n]*")
_REMARKS: Final = frozenset({"description", "explanation", "justification", "toolsummary", "goal"})
"""Of shells and of agents' own tools; anybody else's `description` may be what the tool is for."""


def calls_form(calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> str | None:
    """What calls come to. None for none, or if arguments are no JSON object."""
    forms = [_form(call, tools.get(call.name)) for call in calls]
    return "; ".join(sorted(each for each in forms if each is not None)) if forms and None not in forms else None


def _form(call: ToolCall, tool: Tool | None) -> str | None:
    try:
        given = msgspec.json.decode(call.arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    own = plain_name(call.name) in SHELLS or known_effect(call.name) is not None
    schemas = tool.parameters.get("properties") if tool is not None else None
    even = {
        key: _even(value, key)
        for key, value in given.items()
        if value is not None and not (own and key.lower() in _REMARKS) and not _as_without(value, key, schemas)
    }
    return f"{call.name} {msgspec.json.encode(even, order='sorted').decode()}"


def _as_without(value: Any, key: str, schemas: Any) -> bool:
    schema = schemas.get(key) if isinstance(schemas, dict) else None
    return (
        isinstance(schema, dict)
        and "default" in schema
        and type(schema["default"]) is type(value)
        and (schema["default"] == value)
    )


def _even(value: Any, key: str) -> Any:
    match value:
        case dict():
            return {name: _even(inner, name) for name, inner in value.items() if inner is not None}
        case list():
            return [_even(inner, key) for inner in value]
        case float() if value.is_integer():
            return int(value)
        case str():
            text = value.strip()
            if key.lower() in _COMMAND and _PLAIN.fullmatch(text):
                return " ".join(text.split())
            return posixpath.normpath(text) if text and _PATH.search(key) else text
        case _:
            return value
