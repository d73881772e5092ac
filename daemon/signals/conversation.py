"""The form of a conversation: messages, tools, calls, pictures."""

from __future__ import annotations

from daemon.recipes.signals import Signals, TurnSource
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.parts import Parts
from providers.contract import Image, Message, Request, ToolCall, ToolResult


class ConversationRules:
    """The signal. Its value is the count. Its score is 1 and measures nothing: decisions don't compare it."""

    signal = "conversation"
    kind = Kind.ROUTE
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.conversation

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule."""
        seen = []
        for rule in self._rules:
            value = float(count(rule.feature.source, asked.request))
            if rule.feature.type == "exists":
                value = float(value > 0)
            matched = value > 0 if rule.predicate is None else rule.predicate.hold(value)
            seen.append(Observation(signal=self.signal, kind=self.kind, name=rule.name, value=value, matched=matched))
        return seen


def count(source: TurnSource, request: Request) -> int:
    """How many there are of what a rule counts."""
    match source.type:
        case "message":
            return sum(_has_role(message, source.role) for message in request.messages)
        case "tool_definition":
            return len(request.tools)
        case "assistant_tool_call":
            return _calls(request)
        case "assistant_tool_cycle":
            return _results(request)
        case "active_tool_loop":
            return int(_in_tool_loop(request))
        case "image_content":
            return sum(_images(message) for message in request.messages)


def _has_role(message: Message, role: str | None) -> bool:
    if role is None:
        return True
    if role == "non_user":
        return message.role != "user"
    return message.role == ("system" if role == "developer" else role)  # codecs read both as one


def _calls(request: Request) -> int:
    return sum(isinstance(part, ToolCall) for message in request.messages for part in message.parts)


def _results(request: Request) -> int:
    return sum(isinstance(part, ToolResult) for message in request.messages for part in message.parts)


def _is_result(message: Message) -> bool:
    return any(isinstance(part, ToolResult) for part in message.parts)


def _in_tool_loop(request: Request) -> bool:
    """The last message is a result, or what the user said follows one, or a call is still without its result."""
    messages = request.messages
    if messages and _is_result(messages[-1]):
        return True
    asked = [place for place, message in enumerate(messages) if message.role == "user"]
    if asked and asked[-1] > 0 and _is_result(messages[asked[-1] - 1]):
        return True
    return _calls(request) > _results(request)


def _images(message: Message) -> int:
    inner = (each for part in message.parts if isinstance(part, ToolResult) for each in part.parts)
    return sum(isinstance(part, Image) for part in (*message.parts, *inner))
