"""restore: an answer's aliases turned back into the values they stand for, in each of its texts.

Inside tool-call arguments, which are JSON in a string, an alias may be written with escapes, and a value is written as JSON
writes it. What a tool call could carry out again isn't turned back: see sinks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import aclosing
from typing import Final

import msgspec
from msgspec.structs import replace

from daemon.boundary.clear import Passage
from daemon.boundary.restorer import Index, Restorer
from daemon.boundary.sinks import sink_of
from providers.contract import Deltas, Finish, Progress, TextDelta, ThoughtDelta, ToolCallDelta

_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CUT_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def _in_json(value: str) -> str:
    try:
        return msgspec.json.encode(value).decode()[1:-1]
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(value)[1:-1]


class _Arguments:
    """Arguments of one call. Escapes of characters that need none are written out before aliases are looked for."""

    def __init__(self, index: Index) -> None:
        self._restorer = Restorer(index, _in_json)
        self._cut = ""

    def feed(self, piece: str) -> str:
        text = self._cut + piece
        whole = len(text)
        if cut := _CUT_ESCAPE.search(text):
            backslashes = len(text[: cut.start()]) - len(text[: cut.start()].rstrip("\\"))
            whole = cut.start() if backslashes % 2 == 0 else len(text)
        self._cut = text[whole:]
        return self._restorer.feed(_ESCAPE.sub(_written_out, text[:whole]))

    def finish(self) -> str:
        return self._restorer.feed(self._cut) + self._restorer.finish()


def _written_out(escape: re.Match[str]) -> str:
    if escape[2] == "/":
        return "/"
    if escape[1] is None:
        return escape[0]
    character = chr(int(escape[1], 16))
    return character if character.isprintable() and character not in '"\\' else escape[0]


class _Call:
    """One tool call on its way to the client."""

    def __init__(self, tool: str, passage: Passage, everything: Index, harmless: Index) -> None:
        to_files = sink_of(tool) == "files"
        self._arguments = _Arguments(everything if to_files else harmless)
        self._secrets = [alias.text for alias in passage.aliases if not to_files and alias.label in passage.secrets]
        self._out: list[str] = []

    def feed(self, piece: str) -> str:
        return self._noted(self._arguments.feed(piece))

    def finish(self) -> str:
        return self._noted(self._arguments.finish())

    def holds_secret(self) -> bool:
        """Whether a secret's alias went out as it is."""
        out = "".join(self._out)
        return any(alias in out for alias in self._secrets)

    def _noted(self, out: str) -> str:
        if self._secrets:
            self._out.append(out)
        return out


def restored(deltas: Deltas, passage: Passage, kept_back: Callable[[], None]) -> Deltas:
    """A provider's deltas with every alias turned back, but for secrets in calls that could carry them anywhere.

    kept_back: called for each call in which a secret's alias stays.
    """
    return _restored(deltas, passage, kept_back) if passage.aliases else deltas


async def _restored(deltas: Deltas, passage: Passage, kept_back: Callable[[], None]) -> Deltas:
    index = Index(passage.aliases)
    harmless = Index(alias for alias in passage.aliases if alias.label not in passage.secrets)
    texts: dict[int, Restorer] = {}
    thoughts: dict[int, Restorer] = {}
    calls: dict[tuple[int, int], _Call] = {}
    async with aclosing(deltas):
        async for delta in deltas:
            match delta:
                case TextDelta():
                    text = texts.setdefault(delta.choice, Restorer(index)).feed(delta.text)
                    if text or delta.logprobs:
                        yield replace(delta, text=text)
                case ThoughtDelta():
                    text = thoughts.setdefault(delta.choice, Restorer(index)).feed(delta.text)
                    if text or delta.signature is not None:
                        yield replace(delta, text=text)
                case ToolCallDelta():
                    place = delta.choice, delta.index
                    if place not in calls:
                        calls[place] = _Call(delta.name or "", passage, index, harmless)
                    yield replace(delta, arguments=calls[place].feed(delta.arguments))
                case Finish(choice=choice):
                    for held in _rest(choice, texts, thoughts, calls):
                        yield held
                    for (of, _), call in calls.items():
                        if of == choice and call.holds_secret():
                            kept_back()
                    yield delta
                case Progress():
                    yield delta


def _rest(
    choice: int,
    texts: dict[int, Restorer],
    thoughts: dict[int, Restorer],
    calls: dict[tuple[int, int], _Call],
) -> list[TextDelta | ThoughtDelta | ToolCallDelta]:
    """What is still held back of one choice."""
    rest: list[TextDelta | ThoughtDelta | ToolCallDelta] = []
    if choice in thoughts and (text := thoughts[choice].finish()):
        rest.append(ThoughtDelta(text, choice=choice))
    if choice in texts and (text := texts[choice].finish()):
        rest.append(TextDelta(text, choice=choice))
    for (of, index), call in calls.items():
        if of == choice and (text := call.finish()):
            rest.append(ToolCallDelta(index, arguments=text, choice=choice))
    return rest
