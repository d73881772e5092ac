"""A chat as chat templates take it: the plain dictionaries that Hugging Face's templates are written for."""

from __future__ import annotations

from typing import Any

import msgspec

from edge_models.engines.base import Chat, ContextTooLong, Prompt, Raw, Turn


def refuse_the_hopeless(prompt: Prompt, longest_token_bytes: int, most_tokens: int) -> None:
    """Raise ContextTooLong for a prompt that can't fit however it is cut: cutting 30 MB takes seconds from everybody.

    longest_token_bytes: of the model's vocabulary; a text has at least its length over that in tokens.
    """
    texts = [prompt.text] if isinstance(prompt, Raw) else [turn.text for turn in prompt.turns]
    least = sum(map(len, texts)) // max(longest_token_bytes, 1)
    if least > most_tokens:
        raise ContextTooLong(least, most_tokens)


def messages(chat: Chat) -> list[dict[str, Any]]:
    """The turns. A call's arguments are an object, as templates expect; what isn't one stays a string."""
    return [_message(turn) for turn in chat.turns]


def tools(chat: Chat) -> list[dict[str, Any]]:
    """The tools, each as OpenAI's protocol writes it."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": msgspec.json.decode(tool.parameters),
            },
        }
        for tool in chat.tools
    ]


def _message(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": turn.role, "content": turn.text}
    if turn.calls:
        message["tool_calls"] = [
            {"type": "function", "function": {"name": call.name, "arguments": _arguments(call.arguments)}}
            for call in turn.calls
        ]
    return message


def _arguments(text: str) -> Any:
    try:
        return msgspec.json.decode(text or "{}")
    except msgspec.DecodeError:
        return text
