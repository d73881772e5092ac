"""`system_prompt`: words of the recipe's in front of the conversation."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.recipes.plugins import SystemPrompt
from daemon.routing.plugins.base import Changed
from providers.contract import Message, Request, Text


def system_prompt(request: Request, options: SystemPrompt) -> Changed:
    """insert, also if it isn't said: before the client's own system messages. replace: instead of them."""
    own = Message("system", (Text(options.system_prompt),))
    rest = request.messages
    if options.mode == "replace":
        rest = tuple(message for message in rest if message.role != "system")
    elif rest and rest[0].role == "system":  # one message: many chat templates know no second one
        own = Message("system", (Text(options.system_prompt + "\n\n"), *rest[0].parts))
        rest = rest[1:]
    return Changed(replace(request, messages=(own, *rest)))
