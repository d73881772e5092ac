"""A request said with less: all that users and models said in it, where it is nothing but a conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from daemon.boundary.reduction.rules import reduced
from providers.contract import Message, Part, Request, Text

RULES: Final = "rules"
Kept = Literal["tools", "told", "long", "model", "unsure"]
"""Why a request can't be said with less. tools: it is no mere conversation, and a tool's result has to stay what it is.
told: somebody could still be guessed, or little would be left of the question. long, model, unsure: of the model that was
asked to rewrite it: it is too much for it, it gave nothing in time, or nothing that may be believed.
"""


class Reduction(Struct, frozen=True):
    """What became of a request that tells too much. request: None: it stays as it is, and here. by: what reduced it.

    changes: how many facts of which kind were taken out, not to be turned back.
    """

    request: Request | None
    by: str
    changes: Mapping[str, int] = {}
    why: Kept | None = None


def reduced_request(request: Request) -> Reduction:
    """The same request in which nobody can be guessed, as far as rules can tell. The system's messages stay."""
    if request.tools or request.schema or not all(map(_is_said, request.messages)):
        return Reduction(None, RULES, why="tools")
    changes: Counter[str] = Counter()
    messages: list[Message] = []
    for message in request.messages:
        if message.role == "system":
            messages.append(message)
            continue
        parts: list[Part] = []
        for part in message.parts:
            assert isinstance(part, Text)
            made = reduced(part.text)
            if made is None:
                return Reduction(None, RULES, why="told")
            changes.update(made.changes)
            parts.append(Text(made.text, part.keep) if made.changes else part)
        messages.append(Message(message.role, tuple(parts)))
    return Reduction(replace(request, messages=tuple(messages)), RULES, dict(changes))


def _is_said(message: Message) -> bool:
    return message.role != "tool" and all(isinstance(part, Text) for part in message.parts)
