"""Every field that an official SDK can send is carried to the provider, refused by name, or told as left aside."""

from __future__ import annotations

from typing import Any, Final

import ollama._types
import pytest
from anthropic.types import ToolParam
from anthropic.types.message_create_params import MessageCreateParamsBase
from openai.types.chat.completion_create_params import CompletionCreateParamsBase as ChatParams
from openai.types.completion_create_params import CompletionCreateParamsBase
from openai.types.responses import FunctionToolParam
from openai.types.responses.response_create_params import ResponseCreateParamsBase
from openai.types.shared_params import FunctionDefinition

from tests.conformance.test_translation import House, house, in_its_loop
from tests.fakes.client_dialects import CLIENTS
from tests.fakes.talk import Talk, User
from tests.fakes.upstream import HELLO

__all__ = ["house"]
LOOK: Final = {"name": "look", "description": "looks", "parameters": {"type": "object"}}
SCHEMA: Final = {"type": "object", "properties": {"a": {"type": "string"}}}
CHAT_TOOL: Final = {"type": "function", "function": LOOK}
CALLABLE: Final = {"tools": [CHAT_TOOL]}
RESPONSES_TOOL: Final = {"type": "function", **LOOK}
ANTHROPIC_TOOL: Final = {"name": "look", "input_schema": {"type": "object"}}
OBJECT: Final[dict[str, Any]] = {"x": 1}
PNG: Final = "iVBORw0KGgoAAAANSUhEUg=="

FIELDS: Final[dict[str, frozenset[str]]] = {
    "openai-chat": frozenset(ChatParams.__annotations__),
    "openai-completions": frozenset(CompletionCreateParamsBase.__annotations__),
    "openai-responses": frozenset(ResponseCreateParamsBase.__annotations__),
    "anthropic": frozenset(MessageCreateParamsBase.__annotations__),
    "ollama-chat": frozenset(ollama._types.ChatRequest.model_fields),
    "ollama-generate": frozenset(ollama._types.GenerateRequest.model_fields),
}
"""As the SDKs have them that the tests are run with."""
BETWEEN_US: Final[dict[str, frozenset[str]]] = {
    "openai-chat": frozenset({"model", "messages"}),
    "openai-completions": frozenset({"model", "prompt"}),
    "openai-responses": frozenset({"model", "input", "store", "metadata"}),
    "anthropic": frozenset({"model", "messages"}),
    "ollama-chat": frozenset({"model", "messages", "stream"}),
    "ollama-generate": frozenset({"model", "prompt", "stream"}),
}
"""What is in every request, or is between client and daemon alone and honoured there."""
_OPENAI: Final[dict[str, Any]] = {
    "frequency_penalty": 0.5, "presence_penalty": 0.5, "logit_bias": {"1": 1}, "seed": 3, "stop": ["x"],
    "temperature": 0.5, "top_p": 0.5, "user": "u", "n": 2, "max_tokens": 9, "stream_options": {"include_obfuscation": True},
    "safety_identifier": "s", "prompt_cache_key": "k", "prompt_cache_retention": "24h", "prompt_cache_options": OBJECT,
    "service_tier": "flex", "moderation": OBJECT, "top_logprobs": 2,
}  # fmt: skip
SAMPLES: Final[dict[str, dict[str, Any]]] = {
    "openai-chat": {
        **_OPENAI, "audio": OBJECT, "function_call": "auto", "functions": [LOOK], "logprobs": True,
        "max_completion_tokens": 9, "metadata": {"a": "b"}, "modalities": ["text", "audio"], "parallel_tool_calls": False,
        "prediction": OBJECT, "reasoning_effort": "low", "store": True, "tool_choice": "required", "tools": [CHAT_TOOL],
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
        "verbosity": "low", "web_search_options": OBJECT,
    },
    "openai-completions": {**_OPENAI, "best_of": 3, "echo": True, "logprobs": 1, "suffix": "s"},
    "openai-responses": {
        **_OPENAI, "access_programs": [OBJECT], "background": True, "background_options": OBJECT,
        "context_management": [OBJECT], "conversation": "c", "image": OBJECT, "include": ["web_search_call.results"],
        "instructions": "be brief", "max_output_tokens": 9, "max_tool_calls": 3, "parallel_tool_calls": False,
        "previous_response_id": "resp_none", "prompt": {"id": "p"}, "reasoning": {"effort": "low"},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": SCHEMA}}, "tool_choice": "required",
        "tools": [RESPONSES_TOOL], "truncation": "auto",
    },
    "anthropic": {
        "max_tokens": 9, "cache_control": {"type": "ephemeral"}, "container": "c", "diagnostics": OBJECT,
        "inference_geo": "eu", "metadata": {"user_id": "u"}, "service_tier": "auto", "speed": "fast",
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}, "stop_sequences": ["x"], "system": "be brief",
        "temperature": 0.5, "top_p": 0.5, "top_k": 5, "thinking": {"type": "enabled", "budget_tokens": 1024},
        "tool_choice": {"type": "any"}, "tools": [ANTHROPIC_TOOL], "user_profile_id": "u", "workspace_id": "w",
    },
    "ollama-chat": {
        "options": {"num_ctx": 8192}, "format": SCHEMA, "keep_alive": "5m", "tools": [CHAT_TOOL], "think": True,
        "logprobs": True, "top_logprobs": 2,
    },
    "ollama-generate": {
        "options": {"num_ctx": 8192}, "format": SCHEMA, "keep_alive": "5m", "suffix": "s", "system": "be brief",
        "template": "t", "context": [1], "raw": True, "images": [PNG], "think": True, "logprobs": True, "top_logprobs": 2,
        "width": 9, "height": 9, "steps": 9,
    },
}  # fmt: skip
WITH: Final[dict[str, dict[str, Any]]] = {
    "openai-chat": {"tool_choice": CALLABLE, "parallel_tool_calls": CALLABLE, "top_logprobs": {"logprobs": True}},
    "openai-completions": {},
    "openai-responses": {
        "tool_choice": {"tools": [RESPONSES_TOOL]}, "parallel_tool_calls": {"tools": [RESPONSES_TOOL]}
    },
    "anthropic": {"tool_choice": {"tools": [ANTHROPIC_TOOL]}},
    "ollama-chat": {"top_logprobs": {"logprobs": True}},
    "ollama-generate": {"top_logprobs": {"logprobs": True}},
}  # fmt: skip
"""What a field says nothing without."""


@pytest.mark.parametrize("protocol", CLIENTS)
def test_every_field_of_the_sdk_is_tried(protocol: str) -> None:
    """A field that an SDK's new version brings fails here until somebody says what becomes of it."""
    assert FIELDS[protocol] - BETWEEN_US[protocol] <= SAMPLES[protocol].keys()


CASES: Final = [
    (protocol, field) for protocol, fields in FIELDS.items() for field in sorted(fields - BETWEEN_US[protocol])
]


async def sent(here: House, protocol: str, body: dict[str, Any]) -> tuple[Any, Any]:
    """(the answer, what the provider got of the body)."""
    client = CLIENTS[protocol]
    plain = client.body(Talk((User("hi"),)), False)
    answer = await here.ask(client, "openai-chat", {**plain, **body}, HELLO)
    return answer, here.served.requests[0].json if here.served.requests else None


async def becomes_something(
    here: House, protocol: str, field: str, beside: dict[str, Any], body: dict[str, Any]
) -> None:
    """The field makes a difference to the provider, or is refused or told by its name."""
    _, without = await sent(here, protocol, beside)
    answer, with_it = await sent(here, protocol, {**beside, **body})
    names = answer.headers.get("x-nearloop-ignored", "").split(", ")
    if answer.status_code == 200:
        told = any(name.partition(".")[0] == field or name.rpartition(".")[2] == field for name in names)
        assert with_it != without or told or "other" in names, names
    else:
        assert answer.status_code in (400, 404)
        assert with_it is None
        assert field.rpartition(".")[2] in answer.text or "no answer of yours" in answer.text, answer.text


@in_its_loop
@pytest.mark.parametrize(("protocol", "field"), CASES)
async def test_no_field_goes_missing(house: House, protocol: str, field: str) -> None:
    """Each field of the request, one at a time."""
    await becomes_something(house, protocol, field, WITH[protocol].get(field, {}), {field: SAMPLES[protocol][field]})


TOOL_FIELDS: Final = [
    *(("openai-chat", field) for field in sorted(FunctionDefinition.__annotations__)),
    *(("openai-responses", field) for field in sorted(FunctionToolParam.__annotations__)),
    *(("anthropic", field) for field in sorted(ToolParam.__annotations__)),
]
TOOL_SAMPLES: Final[dict[str, Any]] = {
    "allowed_callers": ["direct"], "async": True, "cache_control": {"type": "ephemeral"}, "defer_loading": True,
    "description": "other", "eager_input_streaming": True, "input_examples": [OBJECT], "input_schema": SCHEMA, "name": "other",
    "output_schema": SCHEMA, "parameters": SCHEMA, "strict": True, "type": "unheard_of",
}  # fmt: skip


@in_its_loop
@pytest.mark.parametrize(("protocol", "field"), TOOL_FIELDS)
async def test_no_field_of_a_tool_goes_missing(house: House, protocol: str, field: str) -> None:
    """Each field of a tool, one at a time."""
    tool = {"openai-chat": LOOK, "openai-responses": RESPONSES_TOOL, "anthropic": ANTHROPIC_TOOL}[protocol]

    def offered(made: dict[str, Any]) -> dict[str, Any]:
        return {"tools": [{"type": "function", "function": made} if protocol == "openai-chat" else made]}

    changed = offered({**tool, field: TOOL_SAMPLES[field]})

    await becomes_something(house, protocol, field, offered(tool), changed)


OPTIONS: Final = sorted(ollama._types.Options.model_fields)


@in_its_loop
@pytest.mark.parametrize("option", OPTIONS)
async def test_no_option_of_ollamas_goes_missing(house: House, option: str) -> None:
    """Each of them, one at a time."""
    kind = str(ollama._types.Options.model_fields[option].annotation)
    value: Any = ["x"] if option == "stop" else True if "bool" in kind else 0.5 if "float" in kind else 3

    await becomes_something(house, "ollama-chat", option, {}, {"options": {option: value}})
