"""restore: placeholders in an answer turned back into the values they stand for.

A stream may be cut anywhere, so the tail that could still become a placeholder is held back. Inside tool-call arguments,
which are JSON in a string, a value is written as JSON writes it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

import msgspec
from msgspec.structs import replace

from daemon.boundary.vault import PLACEHOLDER
from providers.contract import Deltas, Finish, Progress, TextDelta, ThoughtDelta, ToolCallDelta


def _as_it_is(value: str) -> str:
    return value


def _in_json(value: str) -> str:
    return msgspec.json.encode(value).decode()[1:-1]


class Restorer:
    """One text that comes in pieces. values: placeholder to value."""

    def __init__(self, values: dict[str, str], write: Callable[[str], str] = _as_it_is) -> None:
        self._values = {placeholder: write(value) for placeholder, value in values.items()}
        self._longest = max(map(len, values), default=0)
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take a piece, return what is certain."""
        self._held += piece
        keep = self._doubtful()
        ready, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return self._replaced(ready)

    def finish(self) -> str:
        """The text is over: what was held back is all there is."""
        ready, self._held = self._held, ""
        return self._replaced(ready)

    def _replaced(self, text: str) -> str:
        """In one pass, so that a value which looks like a placeholder is left alone."""
        if "<" not in text:
            return text
        return PLACEHOLDER.sub(lambda found: self._values.get(found[0], found[0]), text)

    def _doubtful(self) -> int:
        """Length of the tail that is the beginning of a placeholder."""
        at = self._held.find("<", max(0, len(self._held) - self._longest + 1))
        while at >= 0:
            tail = self._held[at:]
            if any(placeholder.startswith(tail) for placeholder in self._values):
                return len(tail)
            at = self._held.find("<", at + 1)
        return 0


def restored(deltas: Deltas, values: dict[str, str]) -> Deltas:
    """A provider's deltas with every placeholder turned back."""
    return _restored(deltas, values) if values else deltas


async def _restored(deltas: Deltas, values: dict[str, str]) -> Deltas:
    texts: dict[int, Restorer] = {}
    thoughts: dict[int, Restorer] = {}
    calls: dict[tuple[int, int], Restorer] = {}
    async with aclosing(deltas):
        async for delta in deltas:
            match delta:
                case TextDelta():
                    text = texts.setdefault(delta.choice, Restorer(values)).feed(delta.text)
                    if text or delta.logprobs:
                        yield replace(delta, text=text)
                case ThoughtDelta():
                    text = thoughts.setdefault(delta.choice, Restorer(values)).feed(delta.text)
                    if text or delta.signature is not None:
                        yield replace(delta, text=text)
                case ToolCallDelta():
                    restorer = calls.setdefault((delta.choice, delta.index), Restorer(values, _in_json))
                    yield replace(delta, arguments=restorer.feed(delta.arguments))
                case Finish(choice=choice):
                    for held in _rest(choice, texts, thoughts, calls):
                        yield held
                    yield delta
                case Progress():
                    yield delta


def _rest(
    choice: int,
    texts: dict[int, Restorer],
    thoughts: dict[int, Restorer],
    calls: dict[tuple[int, int], Restorer],
) -> list[TextDelta | ThoughtDelta | ToolCallDelta]:
    """What is still held back of one choice."""
    rest: list[TextDelta | ThoughtDelta | ToolCallDelta] = []
    if choice in thoughts and (text := thoughts[choice].finish()):
        rest.append(ThoughtDelta(text, choice=choice))
    if choice in texts and (text := texts[choice].finish()):
        rest.append(TextDelta(text, choice=choice))
    for (of, index), restorer in calls.items():
        if of == choice and (text := restorer.finish()):
            rest.append(ToolCallDelta(index, arguments=text, choice=choice))
    return rest
