"""Tools of an OpenAI Responses request, and which of them may or has to be called.

Functions are functions. A `custom` tool takes free text, and is a function of one string here; a grammar for that text is
left aside. Functions in a namespace have its name before theirs, which is taken apart again in calls. Tools that run at
OpenAI (search, code, computers) don't exist here: they are left aside, and the client is told, unless one of them has to be
called.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from daemon.errors import BadRequest
from daemon.protocols.reading import read_as
from daemon.protocols.tool_hints import hints_of
from providers.contract import Tool
from providers.wire import openai_responses as wire

_decode_kind: Final = msgspec.json.Decoder(wire.Kind).decode
_decode_function: Final = msgspec.json.Decoder(wire.FunctionTool).decode
_decode_namespace: Final = msgspec.json.Decoder(wire.NamespaceTool).decode
_EMPTY: Final[dict[str, Any]] = {"type": "object", "properties": {}}
_FREE_TEXT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
    "additionalProperties": False,
}
_LEFT_ASIDE: Final = {
    "runs_async": "async",
    "allowed_callers": "allowed_callers",
    "defer_loading": "defer_loading",
    "output_schema": "output_schema",
}
"""What OpenAI knows of a function and nobody else does."""
_HOSTED: Final = frozenset(
    {
        "apply_patch",
        "code_interpreter",
        "computer",
        "computer_use_preview",
        "file_search",
        "image_generation",
        "local_shell",
        "mcp",
        "shell",
        "tool_search",
        "web_search",
        "web_search_2025_08_26",
        "web_search_preview",
    }
)
"""Kinds that are known, and whose names may so be told."""


class Offered(msgspec.Struct, frozen=True):
    """The tools that can be called. custom: names of those of free text. spaces: namespace and name of those that have both,
    by the name that they have here. aside: what of all is left aside, by name.
    """

    tools: tuple[Tool, ...]
    custom: frozenset[str] = frozenset()
    spaces: dict[str, tuple[str, str]] = {}
    aside: tuple[str, ...] = ()


def joined(namespace: str | None, name: str) -> str:
    """The name of a function here."""
    return f"{namespace}__{name}" if namespace else name


def offered(raws: tuple[msgspec.Raw, ...]) -> Offered:
    """Read them. Raises BadRequest."""
    tools: list[Tool] = []
    custom: list[str] = []
    spaces: dict[str, tuple[str, str]] = {}
    aside: list[str] = []
    for place, raw in enumerate(raws):
        where = f"tools[{place}]"
        kind = _read(_decode_kind, raw, where).type
        if kind == "function":
            tools.append(_function(raw, where, aside))
        elif kind == "namespace":
            space = _read(_decode_namespace, raw, where)
            for number, inner in enumerate(space.tools):
                inside = f"{where}.tools[{number}]"
                if _read(_decode_kind, inner, inside).type != "function":
                    aside.append("tools.namespace")
                    continue
                function = _function(inner, inside, aside, space.name)
                spaces[function.name] = (space.name, function.name.removeprefix(joined(space.name, "")))
                tools.append(function)
        elif kind == "custom":
            free = _read(_decode_function, raw, where)
            tools.append(Tool(free.name, free.description or "", _FREE_TEXT))
            custom.append(free.name)
            if free.format is not None and free.format.type == "grammar":
                aside.append("tools.format")
        else:
            aside.append(f"tools.{kind}" if kind in _HOSTED else "tools.other")
    return Offered(tuple(tools), frozenset(custom), spaces, tuple(dict.fromkeys(aside)))


def _function(raw: msgspec.Raw, where: str, aside: list[str], namespace: str | None = None) -> Tool:
    """aside: takes the names of what has no place."""
    function = _read(_decode_function, raw, where)
    aside += [f"tools.{name}" for field, name in _LEFT_ASIDE.items() if getattr(function, field)]
    parameters = function.parameters or _EMPTY
    hints = hints_of(function.annotations)
    return Tool(joined(namespace, function.name), function.description or "", parameters, function.strict, hints)


def chosen(choice: str | dict[str, Any] | None, tools: tuple[Tool, ...]) -> tuple[str, tuple[Tool, ...]]:
    """What may or has to be called: `auto`, `none`, `required` or a name; and the tools that are left. Raises BadRequest."""
    names = {tool.name for tool in tools}
    match choice:
        case None | "auto" | "none":
            return choice or "auto", tools
        case "required":
            wanted, left = "required", tools
        case {"type": "function" | "custom", "name": str(name)}:
            if name not in names:
                raise BadRequest("tool_choice names a tool that is not among the functions", "tool_choice")
            wanted, left = name, tools
        case {"type": "allowed_tools", "mode": "auto" | "required" as mode, "tools": list(allowed)}:
            listed = [each.get("name") for each in allowed if isinstance(each, dict)]  # anything, so no set
            left = tuple(tool for tool in tools if tool.name in listed)
            if mode == "auto":
                return ("auto" if left else "none"), left
            wanted = mode
        case dict():
            raise BadRequest(
                "tool_choice: functions and custom tools can be asked for; others don't run here", "tool_choice"
            )
        case _:
            raise BadRequest("tool_choice: auto, none, required, or a tool by its name", "tool_choice")
    if not left:
        raise BadRequest("tool_choice asks for a call, and there are no tools that can be called here", "tool_choice")
    return wanted, left


def _read(decode: Any, raw: msgspec.Raw, where: str) -> Any:
    """One tool. Raises BadRequest with the place in it."""
    try:
        return read_as(decode, bytes(raw))
    except BadRequest as error:
        parameter = f"{where}.{error.parameter}" if error.parameter else where
        raise BadRequest(f"{where}: {error}", parameter) from error
