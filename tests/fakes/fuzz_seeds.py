"""Requests that are right, one list an address, from which the fuzzer makes those that are wrong.

They have every kind of part that a protocol has, so that a mutation finds something everywhere. `{W}` stands for words that
no log and no error may hold, `{KEPT}` for the name of an answer that is kept.
"""

from __future__ import annotations

from typing import Any, Final

W: Final = "{W}"
KEPT: Final = "{KEPT}"
PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}, "unit": {"enum": ["C", "F"]}},
    "required": ["city"],
    "additionalProperties": False,
}
_FUNCTION: Final = {"name": "weather", "description": f"Weather of {W}", "parameters": SCHEMA, "strict": True}
_OPTIONS: Final = {"temperature": 0.5, "top_p": 0.9, "seed": 7, "presence_penalty": 0.1, "frequency_penalty": -0.1}

CHAT: Final[list[dict[str, Any]]] = [
    {"model": "local", "messages": [{"role": "user", "content": f"hi {W}"}], "stream": True, "max_tokens": 9},
    {
        "model": "local",
        **_OPTIONS,
        "messages": [
            {"role": "system", "content": f"Be brief {W}"},
            {"role": "developer", "content": [{"type": "text", "text": W}]},
            {"role": "user", "name": "ada", "content": [{"type": "text", "text": W}, {"type": "text", "text": "?"}]},
            {"role": "assistant", "content": W, "refusal": None, "reasoning_content": "hm"},
            {"role": "user", "content": "and now?"},
        ],
        "max_completion_tokens": 16,
        "stop": ["END", f"{W}!"],
        "stream_options": {"include_usage": True},
        "logprobs": True,
        "top_logprobs": 0,
        "n": 1,
        "user": W,
        "metadata": {"a": W},
    },
    {
        "model": "near/big",
        **_OPTIONS,
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": f"what is this {W}"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}},
                {"type": "file", "file": {"file_data": f"data:text/plain;base64,{PIXEL}", "filename": "a.txt"}},
            ]},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Rome\"}"}},
                {"id": "call_2", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Oslo\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": f"sunny {W}"},
            {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "rain"}]},
            {"role": "user", "content": "and?"},
        ],
        "tools": [{"type": "function", "function": _FUNCTION}],
        "tool_choice": {"type": "function", "function": {"name": "weather"}},
        "parallel_tool_calls": False,
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA, "strict": True}},
        "logprobs": True,
        "top_logprobs": 2,
        "n": 2,
        "reasoning_effort": "low",
        "stream": True,
        "stream_options": {"include_usage": True},
    },
]  # fmt: skip
COMPLETIONS: Final[list[dict[str, Any]]] = [
    {"model": "local", "prompt": f"once {W}", "max_tokens": 5, "stream": True},
    {"model": "near/big", "prompt": [f"once {W}"], **_OPTIONS, "logprobs": 1, "n": 1, "best_of": 1, "echo": False,
     "stop": "END", "suffix": None, "stream_options": {"include_usage": True}, "user": W, "logit_bias": {"5": 1}},
]  # fmt: skip
RESPONSES: Final[list[dict[str, Any]]] = [
    {"model": "local", "input": f"hi {W}", "stream": True, "store": True},
    {"model": "local", "input": [{"role": "user", "content": W}], "previous_response_id": KEPT, "instructions": W},
    {
        "model": "near/big",
        "instructions": f"Be brief {W}",
        "input": [
            {"type": "message", "role": "developer", "content": W},
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": W},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"},
                {"type": "input_file", "file_data": PIXEL, "filename": "a.pdf"},
            ]},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": W}], "encrypted_content": "x"},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather", "arguments": "{\"city\":\"Rome\"}"},
            {"type": "function_call_output", "call_id": "call_1", "output": f"sunny {W}"},
            {"type": "custom_tool_call", "call_id": "call_2", "name": "patch", "input": W},
            {"type": "custom_tool_call_output", "call_id": "call_2", "output": [{"type": "input_text", "text": W}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": W, "annotations": []}]},
            {"type": "item_reference", "id": "{ITEM}"},
            {"type": "message", "role": "user", "content": "go on"},
        ],
        "tools": [
            {"type": "function", **_FUNCTION},
            {"type": "custom", "name": "patch", "description": W, "format": {"type": "text"}},
            {"type": "namespace", "name": "crm", "tools": [{"type": "function", "name": "find", "parameters": SCHEMA}]},
        ],
        "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "weather"}]},
        "text": {"format": {"type": "json_schema", "name": "a", "schema": SCHEMA, "strict": True}, "verbosity": "low"},
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["message.output_text.logprobs", "reasoning.encrypted_content"],
        "top_logprobs": 1,
        "max_output_tokens": 20,
        "temperature": 1,
        "top_p": 1,
        "truncation": "auto",
        "metadata": {"a": W},
        "parallel_tool_calls": True,
        "stream": True,
        "stream_options": {"include_obfuscation": False},
        "service_tier": "auto",
        "user": W,
    },
]  # fmt: skip
MESSAGES: Final[list[dict[str, Any]]] = [
    {"model": "local", "max_tokens": 9, "messages": [{"role": "user", "content": f"hi {W}"}], "stream": True},
    {
        "model": "near/big",
        "max_tokens": 64,
        "system": [{"type": "text", "text": W, "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": W, "citations": None},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                {"type": "image", "source": {"type": "url", "url": "https://example.invalid/a.png"}},
                {"type": "document", "title": W, "source": {"type": "text", "media_type": "text/plain", "data": W}},
                {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PIXEL}},
                {"type": "search_result", "title": W, "source": "s", "content": [{"type": "text", "text": W}]},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": W, "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "c2ln"},
                {"type": "text", "text": W},
                {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Rome"}},
                {"type": "tool_use", "id": "toolu_2", "name": "weather", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": f"sunny {W}"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": True, "content": [
                    {"type": "text", "text": W},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                ]},
                {"type": "text", "text": "go on"},
            ]},
        ],
        "tools": [{"name": "weather", "description": W, "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}}],
        "tool_choice": {"type": "tool", "name": "weather", "disable_parallel_tool_use": True},
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
        "stop_sequences": ["END"],
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 5,
        "metadata": {"user_id": f"user_{W}_account__session_01234567-89ab-cdef-0123-456789abcdef"},
        "stream": True,
        "betas": ["x-2025-01-01"],
        "service_tier": "auto",
    },
]  # fmt: skip
OLLAMA_CHAT: Final[list[dict[str, Any]]] = [
    {"model": "local", "messages": [{"role": "user", "content": f"hi {W}"}]},
    {
        "model": "near/big:latest",
        "messages": [
            {"role": "system", "content": W},
            {"role": "user", "content": W, "images": [PIXEL]},
            {"role": "assistant", "content": "", "thinking": W, "tool_calls": [
                {"id": "c1", "function": {"index": 0, "name": "weather", "arguments": {"city": "Rome"}}},
                {"function": {"name": "weather", "arguments": {"city": "Oslo"}}},
            ]},
            {"role": "tool", "tool_name": "weather", "content": f"sunny {W}"},
            {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            {"role": "user", "content": "go on"},
        ],
        "tools": [{"type": "function", "function": _FUNCTION}],
        "format": SCHEMA,
        "options": {**_OPTIONS, "num_predict": 20, "num_ctx": 4096, "stop": ["END"], "top_k": 3, "mirostat": 0},
        "think": "low",
        "keep_alive": "5m",
        "logprobs": True,
        "top_logprobs": 1,
        "stream": False,
    },
]  # fmt: skip
GENERATE: Final[list[dict[str, Any]]] = [
    {"model": "local", "prompt": f"once {W}"},
    {"model": "near/big", "prompt": W, "system": W, "suffix": "", "images": [PIXEL], "format": "json", "raw": False,
     "template": "", "options": {"num_predict": 3.0, "seed": -1}, "think": False, "keep_alive": -1,
     "stream": False},
]  # fmt: skip
_LOOK: Final = {"text": f"write to ada@example.org {W}"}
_LABEL: Final = [{**_LOOK, "options": {"confidence_threshold": 0.5}}]
_INTENT: Final = {"return_probabilities": True, "confidence_threshold": 0.5, "include_explanation": True}
_PII: Final = {"entity_types": ["EMAIL"], "return_positions": True, "mask_entities": True, "reveal_entity_text": True}
_SECURITY: Final = {"detection_types": ["jailbreak"], "sensitivity": "high", "include_reasoning": True}
CLASSIFY: Final[dict[str, list[dict[str, Any]]]] = {
    "classify/intent": [{**_LOOK, "options": _INTENT}],
    "classify/pii": [{**_LOOK, "options": _PII}],
    "classify/security": [{**_LOOK, "options": _SECURITY}],
    "classify/fact-check": _LABEL,
    "classify/user-feedback": _LABEL,
    "classify/combined": [{**_LOOK, "intent_options": _INTENT, "pii_options": _PII, "security_options": _SECURITY}],
    "classify/batch": [{"texts": [W, "x"], "task_type": "all"}],
    "embeddings": [{"texts": [W, "x"], "model": "auto", "dimension": 384, "images": []}],
    "similarity": [{"text1": W, "text2": "x", "model": "auto", "dimension": 0}],
    "similarity/batch": [{"query": W, "candidates": [W, "x"], "top_k": 1}],
    "nli": [{"premise": W, "hypothesis": "x"}],
}

BODIES: Final[dict[str, list[dict[str, Any]]]] = {
    "/v1/chat/completions": CHAT,
    "/v1/completions": COMPLETIONS,
    "/v1/responses": RESPONSES,
    "/v1/responses/input_tokens": RESPONSES,
    "/v1/messages": MESSAGES,
    "/v1/messages/count_tokens": MESSAGES,
    "/v1/embeddings": [{"model": "local", "input": ["a", W], "encoding_format": "base64", "dimensions": 384, "user": W}],
    "/api/v0/chat/completions": CHAT,
    "/api/v0/completions": COMPLETIONS,
    "/api/chat": OLLAMA_CHAT,
    "/api/generate": GENERATE,
    "/api/embed": [{"model": "local", "input": ["a", W], "truncate": True, "keep_alive": "5m", "options": {"a": 1}}],
    "/api/embeddings": [{"model": "local", "prompt": W, "keep_alive": 5, "options": {"a": 1}}],
    "/api/show": [{"model": "local/play", "verbose": True}, {"name": "local/play:latest"}],
    "/api/pull": [{"model": "local/play", "stream": False, "insecure": False}, {"name": "local/play"}],
    "/api/delete": [{"model": "local/play"}, {"name": "none"}],
    "/api/copy": [{"source": "a", "destination": "b"}],
    "/api/create": [{"model": "a", "from": "b", "files": {"a": "sha256:00"}}],
    "/api/push": [{"model": "a"}],
    "/api/blobs/{digest}": [{}],
    "/api/v1/eval": [{"text": W}, {"messages": CHAT[1]["messages"], "model": "auto", "tools": CHAT[2]["tools"]}],
    "/api/v1/routing/preview": [{"text": W, "model": "near/big"}],
    "/v1/systemone": [
        {"model": "nearloop/decisions", "state": W, "questions": {
            "a": {"type": "noul", "instructions": W, "criteria": {"true": W, "false": "no"}},
            "b": {"type": "choice", "instructions": {"ask": W}, "criteria": {"x": W, "y": None}},
            "c": {"type": "score", "instructions": ["how", W], "criteria": ["low", "high"]},
        }}
    ],
    **{f"/api/v1/{name}": bodies for name, bodies in CLASSIFY.items()},
}  # fmt: skip
"""By address. `test_fuzz` holds this table against the addresses that the daemon has."""
