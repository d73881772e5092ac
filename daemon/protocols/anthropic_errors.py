"""An error in Anthropic's shape, and Anthropic's names of what it is about."""

from __future__ import annotations

from typing import Final

import msgspec

from daemon.protocols.base import Problem
from providers.wire import anthropic as wire

_encode: Final = msgspec.json.Encoder().encode
_NEUTRAL_TO_OURS: Final = {
    "parallel_calls": "disable_parallel_tool_use",
    "schema": "output_config",
    "stop": "stop_sequences",
    "thoughts": "messages.thinking",
}
_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
}

_KINDS: Final = {"overloaded": "overloaded_error", "private": "invalid_request_error"}


def field(neutral: str) -> str:
    """Anthropic's name of a neutral field."""
    return _NEUTRAL_TO_OURS.get(neutral, neutral)


def refusal(problem: Problem, request_id: str | None = None) -> bytes:
    """Anthropic's error object. It has no place for the field at fault, which is named in the message, and for our code
    among its details.
    """
    if problem.code in _KINDS:
        kind = _KINDS[problem.code]
    else:
        kind = _TYPES.get(problem.status, "invalid_request_error" if problem.status < 500 else "api_error")
    name = field(problem.parameter) if problem.parameter else None
    message = problem.message if name is None or name in problem.message else f"{name}: {problem.message}"
    return _encode(wire.Error(wire.ErrorBody(kind, message, wire.ErrorDetails(problem.code)), request_id))
