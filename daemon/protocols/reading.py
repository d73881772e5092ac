"""A client's body as a value, or a refusal that names the field at fault and quotes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

import msgspec

from daemon.errors import BadRequest

Value = TypeVar("Value")


def read_as(decode: Callable[[bytes], Value], body: bytes) -> Value:
    """What a msgspec decoder makes of a body. Raises BadRequest."""
    try:
        return decode(body)
    except msgspec.ValidationError as error:
        message, parameter = explain(str(error))
        raise BadRequest(message, parameter) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest("the body is not valid JSON in UTF-8: check what the client sends") from error


def explain(message: str) -> tuple[str, str | None]:
    """A decoder's message as a sentence, and the field that it is about."""
    text, _, place = message.partition(" - at `")
    text = re.sub(r" '.*'$", "", text, flags=re.DOTALL)  # the value, which is the client's text
    text = re.sub(r"(unknown field) `.*`$", r"\1", text, flags=re.DOTALL)  # so is a name that nobody knows
    path = re.sub(r"^\$\.?", "", place.removesuffix("`"))
    if missing := re.fullmatch(r"Object missing required field `(.*)`", text):
        path = f"{path}.{missing[1]}" if path else missing[1]
        return f"{path} is missing", path
    return f"{path or 'the body'}: {text[:1].lower()}{text[1:]}", path or None
