"""What OpenAI's protocols have in common: names of fields, limits, what is left aside, and the shape of an error."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from daemon.errors import BadRequest
from daemon.protocols.base import Problem
from daemon.protocols.reading import read_as
from providers.wire import openai_chat as wire

MAX_STOPS: Final = 64
"""Each token of an answer is held against all of them; OpenAI itself takes four."""
MAX_STOP_CHARS: Final = 4096
MAX_SCHEMA_BYTES: Final = 256 * 1024
"""Each text in it is looked at for what is private: a second for so much. OpenAI's own limit is 120,000 characters."""
OTHER: Final = "other"
"""Any name of a field that OpenAI doesn't have is the client's text, and is not written down."""

_decode_fields: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_any: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode
STATUSES: Final = {"insufficient_quota": 429}
"""Where OpenAI has another status than we."""
_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    402: "insufficient_quota",
    429: "rate_limit_error",
}


def unknown(body: bytes, known: frozenset[str]) -> dict[str, Any]:
    """The fields of a body that its shape doesn't have. Raises BadRequest."""
    fields = read_as(_decode_fields, body)
    return {name: read_as(_decode_any, bytes(raw)) for name, raw in fields.items() if name not in known}


def ignored(extras: dict[str, Any], documented: frozenset[str]) -> tuple[str, ...]:
    """The names of unknown fields that have a value; those that OpenAI doesn't have are one name together."""
    names = [name if name in documented else OTHER for name, value in extras.items() if value is not None]
    return tuple(dict.fromkeys(names))


def stops(stop: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """Stop strings within their limits. Raises BadRequest."""
    listed = (stop,) if isinstance(stop, str) else stop or ()
    if len(listed) > MAX_STOPS or sum(map(len, listed)) > MAX_STOP_CHARS:
        raise BadRequest(f"stop: at most {MAX_STOPS} strings of {MAX_STOP_CHARS} characters together", "stop")
    if not all(listed):
        raise BadRequest("stop: an empty string would end every answer at once: leave it out", "stop")
    return listed


def named_schema(
    schema: dict[str, Any] | None, name: str | None, description: str | None, where: str, parameter: str
) -> dict[str, Any]:
    """As `checked_schema`, with the name and the description of a format as the schema's own where it has none."""
    told = {"title": name, "description": description}
    checked = checked_schema(schema, where, parameter)
    return {**{word: value for word, value in told.items() if value and word not in checked}, **checked}


def checked_schema(schema: dict[str, Any] | None, where: str, parameter: str) -> dict[str, Any]:
    """A JSON schema that an answer shall fit. where: its place, for messages. Raises BadRequest."""
    if schema is None:
        raise BadRequest(f"{where} is missing", parameter)
    if len(_encode(schema)) > MAX_SCHEMA_BYTES:
        text = f"{parameter}: the schema is longer than {MAX_SCHEMA_BYTES >> 10} kB: send a shorter one"
        raise BadRequest(text, parameter)
    return schema


def refusal(problem: Problem, parameter: str | None) -> bytes:
    """OpenAI's error object. parameter: the client's name of the field at fault."""
    return _encode(wire.Error(error_body(problem, parameter)))


def error_body(problem: Problem, parameter: str | None) -> wire.ErrorBody:
    """What stands in it."""
    kind = _TYPES.get(problem.status, "invalid_request_error" if problem.status < 500 else "server_error")
    return wire.ErrorBody(problem.message, kind, parameter, problem.code)
