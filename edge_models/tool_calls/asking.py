"""What tools mean for a request: the chat as the model's template can take it, and how its calls are read.

A template that has a place for tools gets them as they are. Where it has none, they are described in a system turn, the
way Hermes models were taught, and calls of earlier turns are written out as text. A call that has to be made needs no
family: the answer is held to a JSON schema of a call and read as that.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from edge_models.engines.base import BadSchema, Call, Chat, Prompt, Sampling, Tool, Turn
from edge_models.grammars.schema_check import check
from edge_models.tool_calls.base import CallReader, Family, from_json
from edge_models.tool_calls.registry import family_of

_TAUGHT: Final = (
    "You may call functions. Their signatures, one JSON object a line:\n<tools>\n{tools}\n</tools>\n"
    "To call one, answer with its name and arguments as a JSON object within tags:\n"
    '<tool_call>\n{{"name": "NAME", "arguments": {{}}}}\n</tool_call>'
)
_FORCED: Final = Family("forced", marks=(), opens=("{",), closes=(), calls=from_json, first=True)


def arranged(
    prompt: Prompt, sampling: Sampling, tool_choice: str, chat_template: str
) -> tuple[Prompt, Sampling, CallReader | None]:
    """Prompt and sampling as the engine takes them, and what reads the answer. Raises BadSchema."""
    calls: CallReader | None = None
    if isinstance(prompt, Chat):
        if prompt.tools and tool_choice == "auto":
            calls = CallReader(family_of(chat_template))
        elif prompt.tools:
            sampling = replace(sampling, schema=call_schema(prompt.tools, tool_choice))
            calls = CallReader(_FORCED)
        if "tools" not in chat_template:
            prompt = _without_tools(prompt)
    if sampling.schema is not None:
        check(sampling.schema)
    return prompt, sampling, calls


def call_schema(tools: tuple[Tool, ...], tool_choice: str) -> str:
    """A JSON schema that allows one call: of any tool, or of the one that is named. Raises BadSchema."""
    asked = [tool for tool in tools if tool_choice in ("required", tool.name)]
    if not asked:
        raise BadSchema("the tool that has to be called is not among the tools")
    forms = [
        {
            "type": "object",
            "properties": {"name": {"const": tool.name}, "arguments": _parameters(tool)},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for tool in asked
    ]
    return msgspec.json.encode(forms[0] if len(forms) == 1 else {"anyOf": forms}).decode()


def _parameters(tool: Tool) -> Any:
    try:
        return msgspec.json.decode(tool.parameters)
    except msgspec.DecodeError as error:
        raise BadSchema("a tool's parameters are no JSON schema") from error


def _without_tools(chat: Chat) -> Chat:
    turns = [_written(turn) for turn in chat.turns]
    if chat.tools:
        lines = "\n".join(_signature(tool) for tool in chat.tools)
        lesson = _TAUGHT.format(tools=lines)
        if turns and turns[0].role == "system":
            turns[0] = Turn("system", f"{turns[0].text}\n\n{lesson}")
        else:
            turns.insert(0, Turn("system", lesson))
    return Chat(tuple(turns))


def _written(turn: Turn) -> Turn:
    if turn.role == "tool":
        return Turn("user", f"<tool_response>\n{turn.text}\n</tool_response>")
    if turn.calls:
        return Turn(turn.role, "\n".join(filter(None, (turn.text, *map(_call, turn.calls)))))
    return turn


def _call(call: Call) -> str:
    name = msgspec.json.encode(call.name).decode()
    return f'<tool_call>\n{{"name": {name}, "arguments": {call.arguments or "{}"}}}\n</tool_call>'


def _signature(tool: Tool) -> str:
    function = {"name": tool.name, "description": tool.description, "parameters": msgspec.Raw(tool.parameters.encode())}
    return msgspec.json.encode({"type": "function", "function": function}).decode()
