"""A provider that plays a session: the model's turns as we wrote them, told to whoever brings tools along."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from tests.fakes.upstream import Answer, Piece, Received, Upstream, as_json, frames

USAGE: Final = {"prompt_tokens": 4321, "completion_tokens": 21, "total_tokens": 4342}
ASIDE: Final = "A small change"
"""What is said to side questions, such as for a title of the session."""

Body = dict[str, Any]


class Call(Struct, frozen=True):
    """One call of a tool, by the agent's own name of it."""

    name: str
    arguments: dict[str, Any]


class Calls(Struct, frozen=True):
    """Calls that are made together, or none, and what is said and thought before them."""

    calls: tuple[Call, ...]
    said: str = ""
    thought: str = ""


class Slowly(Struct, frozen=True):
    """Words that come after pieces of another kind, such as a pause."""

    before: tuple[Piece, ...]
    words: str


Turn = Answer | Calls | Slowly | str | Callable[[Body], "Turn"]
"""An answer to the byte, calls, words, or whichever of these fits what was asked."""


def calls(*made: Call, said: str = "", thought: str = "") -> Calls:
    """Calls that are made together."""
    return Calls(made, said, thought)


def refused(status: int, kind: str, **headers: str) -> Answer:
    """An error of the provider's."""
    return as_json({"error": {"message": "try again later", "type": kind, "code": kind}}, status, **headers)


FULL: Final = refused(429, "rate_limit_exceeded", retry_after="1")
BUSY: Final = refused(529, "overloaded_error")
"""Asked again by the daemon after half a second and after two more."""


def brings_tools(body: Body) -> bool:
    """Whether a request is a turn of an agent's session."""
    return bool(body.get("tools"))


class Player(Upstream):
    """The server. Each turn of the session gets the next of `turns`, the last one is repeated; other requests get ASIDE."""

    def __init__(self, *turns: Turn, main: Callable[[Body], bool] = brings_tools) -> None:
        """main: whether a request is a turn of the session."""
        super().__init__()
        self._main = main
        self.play(*turns)

    def play(self, *turns: Turn, after: int = 0) -> None:
        """Begin another session. after: how many turns of it were played before, so that calls have names of their own."""
        self._turns = turns
        self._after = after
        self.requests.clear()
        self.bytes.clear()
        self.hung_up.clear()
        self.session: list[Body] = []
        """The session's bodies."""

    @property
    def told(self) -> list[Body]:
        """The conversation as the last turn had it."""
        messages: list[Body] = self.session[-1]["messages"]
        return messages

    @property
    def results(self) -> dict[str, str]:
        """What tools answered, by the call's id."""
        return {each["tool_call_id"]: text(each["content"]) for each in self.told if each["role"] == "tool"}

    def choose(self, request: Received) -> Answer:
        """By the place in the session."""
        body = request.json
        if not self._main(body):
            return spoken(body, ASIDE)
        self.session.append(body)
        place = min(len(self.session), len(self._turns)) - 1
        turn = self._turns[place]
        while callable(turn):
            turn = turn(body)
        match turn:
            case Answer() as answer:
                return answer
            case str() as words:
                return spoken(body, words)
            case Slowly(before=before, words=words):
                answer = spoken(body, words)
                return Answer((*before, *answer.pieces), answer.status, answer.headers)
            case Calls() as made:
                return called(body, self._after + place, made)


def call_id(turn: int, place: int = 0) -> str:
    """The id that the player gives to a turn's call."""
    return f"call_{turn}_{place}"


def text(content: Any) -> str:
    """Of a message, whether it is in parts or not."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


def spoken(body: Body, words: str) -> Answer:
    """Words, a few characters a chunk if chunks are asked for."""
    if not body.get("stream"):
        return _whole({"role": "assistant", "content": words}, "stop")
    return Answer(frames(*_pieces("content", words, 5), _chunk({}, "stop"), {"choices": [], "usage": USAGE}))


def called(body: Body, turn: int, made: Calls) -> Answer:
    """Calls: the name first, then the arguments a few characters a chunk, one call after the other."""
    written = [json.dumps(call.arguments, ensure_ascii=False) for call in made.calls]
    reason = "tool_calls" if made.calls else "stop"
    opened = [
        {"id": call_id(turn, place), "type": "function", "function": {"name": call.name, "arguments": ""}}
        for place, call in enumerate(made.calls)
    ]
    if not body.get("stream"):
        whole = [
            {**each, "function": {"name": call.name, "arguments": arguments}}
            for each, call, arguments in zip(opened, made.calls, written, strict=True)
        ]
        said = {"content": made.said or None, **({"reasoning_content": made.thought} if made.thought else {})}
        return _whole({"role": "assistant", **said, **({"tool_calls": whole} if whole else {})}, reason)
    chunks = [*_pieces("reasoning_content", made.thought, 5), *_pieces("content", made.said, 5)]
    for place, arguments in enumerate(written):
        chunks.append(_chunk({"tool_calls": [{**opened[place], "index": place}]}))
        for at in range(0, len(arguments), 7):
            piece = {"index": place, "function": {"arguments": arguments[at : at + 7]}}
            chunks.append(_chunk({"tool_calls": [piece]}))
    return Answer(frames(*chunks, _chunk({}, reason), {"choices": [], "usage": USAGE}))


def _pieces(field: str, words: str, size: int) -> list[Body]:
    return [_chunk({field: words[at : at + size]}) for at in range(0, len(words), size)]


def _chunk(delta: Body, reason: str | None = None) -> Body:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _whole(message: Body, reason: str) -> Answer:
    return as_json({"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": USAGE})
