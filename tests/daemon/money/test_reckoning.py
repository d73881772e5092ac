"""How long a prompt is taken to be."""

from __future__ import annotations

from daemon.money.reckoning import PICTURE_CHARS, prompt_chars
from providers.contract import Image, Message, Request, Text


def test_pictures_count_too() -> None:
    """A picture takes as many tokens as a page of text, although it has no letter."""
    words = Message("user", (Text("hello"),))
    seen = Message("user", (Text("hello"), Image("data:image/png;base64,AA==")))

    def long(message: Message) -> int:
        return prompt_chars(Request(id="0" * 16, model="m", messages=(message,), protocol="test"))

    assert (long(words), long(seen)) == (5, 5 + PICTURE_CHARS)
