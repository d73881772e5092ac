"""What a call of a tool would do to the world: its side-effect class.

The first that knows counts: the user's settings by the tool's name, what is known of coding agents' tools (of a shell, what
the command itself does), else the words of its name, description and parameters. A client's hints make a tool worse on
their word, and better only where nothing else is known, since whoever wrote the tool wrote them. What nobody knows is
`unknown`, and is treated as the worst.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec

from daemon.settings import Effect
from daemon.tools.commands import effect_of_argv, effect_of_command
from daemon.tools.known import SHELLS, known_effect, plain_name
from daemon.tools.ranks import worst
from daemon.tools.wording import effect_by_words
from providers.contract import Tool, ToolCall

_COMMAND_FIELDS = ("command", "cmd", "CommandLine", "commandLine", "script", "input")


def effect_of_calls(calls: Sequence[ToolCall], tools: Mapping[str, Tool], own: Mapping[str, Effect]) -> Effect:
    """The worst of them. own: the user's, by patterns of names."""
    return worst(effect_of(call, tools.get(call.name), own) for call in calls)


def effect_of(call: ToolCall, tool: Tool | None, own: Mapping[str, Effect]) -> Effect:
    """Of one call. tool: as it was offered; None: it was not."""
    name = call.name.casefold()
    for pattern, effect in own.items():
        if fnmatchcase(name, pattern.casefold()):
            return effect
    if plain_name(call.name) in SHELLS:
        return _of_shell(call.arguments)
    if (known := known_effect(call.name)) is not None:
        return known
    return _of_stranger(tool) if tool is not None else "unknown"


def effect_of_tool(tool: Tool, own: Mapping[str, Effect]) -> Effect:
    """Of any call of it."""
    return effect_of(ToolCall("", tool.name, ""), tool, own)


def _of_stranger(tool: Tool) -> Effect:
    effect, hints = effect_by_words(tool), tool.hints
    if hints is None:
        return effect
    if hints.destructive and not hints.read_only:
        return "irreversible"
    if effect == "unknown" and hints.read_only:
        return "network" if hints.open_world else "read"
    return worst((effect, "network")) if hints.open_world and not hints.read_only else effect


def _of_shell(arguments: str) -> Effect:
    """By the command, wherever agents put it; a shell that is given something else runs anything."""
    try:
        given = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return "execute"
    if not isinstance(given, dict):
        return "execute"
    for field in _COMMAND_FIELDS:
        command = given.get(field)
        if isinstance(command, str):
            return effect_of_command(command)
        if isinstance(command, list) and all(isinstance(word, str) for word in command):
            return effect_of_argv(command)
    return "execute"
