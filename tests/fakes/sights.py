"""Pictures with what was seen in them, as the service of pictures leaves them."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from providers.contract import PICTURE_KINDS, File, Image, Message, Request, Sight, Text, ToolResult

PIXEL = b"\x89PNG\r\n\x1a\n not a picture that anybody decodes"


def sight(kind: str | None = None, sure: float = 0.9, *, words: str = "", **more: Any) -> Sight:
    """What was seen: one kind for the most part, the others evenly. kind: None: no head looked."""
    rest = (1 - sure) / (len(PICTURE_KINDS) - 1)
    kinds = {name: sure if name == kind else rest for name in PICTURE_KINDS} if kind else {}
    return Sight(**{"form": "png", "width": 640, "height": 480, "text": words, "kinds": kinds, **more})


def picture(kind: str | None = None, sure: float = 0.9, **more: Any) -> Image:
    """A picture that was looked at."""
    return Image(data_url(), sight=sight(kind, sure, **more))


def unseen() -> Image:
    """A picture that nobody could look at."""
    return Image(data_url())


def data_url(content: bytes = PIXEL, form: str = "png") -> str:
    return f"data:image/{form};base64,{b64encode(content).decode()}"


def shown(
    said: str, *parts: Image | File, before: tuple[Message, ...] = (), after: tuple[Message, ...] = ()
) -> Request:
    """A request whose user says something beside pictures. before, after: other messages."""
    words = (Text(said),) if said else ()
    messages = (*before, Message("user", (*words, *parts)), *after)
    return Request(id="0" * 16, model="auto", protocol="t", messages=messages)


def result(*parts: Text | Image) -> Message:
    """What a tool gave back."""
    return Message("tool", (ToolResult("c1", parts),))
