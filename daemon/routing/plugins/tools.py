"""`tools`: which tools a request may keep."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.recipes.plugins import Tools
from daemon.routing.plugins.base import Changed
from providers.contract import Message, Part, Request, ToolCall, ToolResult


def tools(request: Request, options: Tools) -> Changed:
    """none: not one. filtered: those of `allow_tools`, if it names any, and none of `block_tools`. passthrough: all."""
    if options.mode == "none":
        kept: tuple[str, ...] = ()
    elif options.mode == "filtered":
        allowed = set(options.allow_tools) or {tool.name for tool in request.tools}
        kept = tuple(tool.name for tool in request.tools if tool.name in allowed - set(options.block_tools))
    else:
        kept = tuple(tool.name for tool in request.tools)
    left = tuple(tool for tool in request.tools if tool.name in kept)
    choice = request.tool_choice
    if (choice == "required" and not left) or (choice not in ("auto", "none", "required") and choice not in kept):
        choice = "auto"
    messages = request.messages
    if options.strip_tool_history:
        messages = tuple(stripped for message in messages if (stripped := _without_calls(message)).parts)
    changed = replace(request, tools=left, tool_choice=choice, messages=messages)
    return Changed(changed, ("tools",) if len(left) < len(request.tools) else ())


def _without_calls(message: Message) -> Message:
    parts: tuple[Part, ...] = tuple(part for part in message.parts if not isinstance(part, ToolCall | ToolResult))
    return message if len(parts) == len(message.parts) else Message(message.role, parts)
