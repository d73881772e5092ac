"""Tool calls on their way to a client: held until they are whole and fit, released one by one.

Theory of operation. Whoever runs tools acts on what it is sent, so half a call, a call of a tool that was not offered, or
one whose arguments its schema rules out is worse than no answer: the attempt has failed, and whoever asked for it may ask
somebody else as long as nothing was passed on. Words and thoughts are passed on as they come. A call is released as soon as
the object of its arguments is closed, calls of one answer in their order; an empty object may be a server's way to open
one, so it waits for the end.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from daemon.brackets import Brackets
from daemon.schema_fit import misfit
from providers.contract import BadAnswer, Delta, Finish, Logprob, Request, Tool, ToolCallDelta, Unsupported

_EMPTY: Final = "{}"


class _Call:
    """One call while it comes in. closed: the brackets of its arguments are."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.id: str | None = None
        self.name: str | None = None
        self.released = False
        self._pieces: list[str] = []
        self._logprobs: tuple[Logprob, ...] = ()
        self._brackets = Brackets()

    @property
    def closed(self) -> bool:
        return self._brackets.closed

    @property
    def arguments(self) -> str:
        return "".join(self._pieces)

    def take(self, delta: ToolCallDelta) -> None:
        self.id, self.name = self.id or delta.id, self.name or delta.name
        self._pieces.append(delta.arguments)
        self._logprobs += delta.logprobs
        self._brackets.take(delta.arguments)

    def release(self, tools: dict[str, Tool]) -> ToolCallDelta:
        """All of it. Raises BadAnswer if nobody could run it."""
        self.released = True
        if self.name not in tools:
            raise BadAnswer("the model called a tool that was not offered: ask again")
        text, tool = self.arguments.strip() or _EMPTY, tools[self.name]
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise BadAnswer("the model called a tool with arguments that are no JSON object: ask again")
        if keyword := misfit(value, tool.parameters, tool.strict is True):
            raise BadAnswer(f"the model called a tool with arguments that don't fit its schema ({keyword}): ask again")
        return ToolCallDelta(self.index, self.id, self.name, text, logprobs=self._logprobs)


class ToolTurns:
    """Those of one attempt."""

    def __init__(self, request: Request) -> None:
        self._tools = {tool.name: tool for tool in request.tools}
        self._parallel = request.parallel_calls
        self._calls: dict[int, dict[int, _Call]] = {}

    def ready(self, delta: Delta) -> tuple[Delta, ...]:
        """What can be passed on with this delta. Raises BadAnswer for a call that can't; Unsupported for one that the
        answer's limit cut.
        """
        if isinstance(delta, ToolCallDelta):
            return self._called(delta)
        if isinstance(delta, Finish) and (calls := self._calls.get(delta.choice)):
            return self._finished(delta, calls)
        if isinstance(delta, Finish) and delta.reason == "tool_calls":
            return (replace(delta, reason="stop"),)  # nobody can run none
        return (delta,)

    def _called(self, delta: ToolCallDelta) -> tuple[Delta, ...]:
        calls = self._calls.setdefault(delta.choice, {})
        if delta.index not in calls:
            if calls and not self._parallel:
                return ()  # one was asked for
            calls[delta.index] = _Call(delta.index)
        call = calls[delta.index]
        if call.released:
            if delta.arguments.strip():
                raise BadAnswer("the model's tool call went on behind its end: ask again")
            return ()
        call.take(delta)
        return self._released(calls, delta.choice, last=False) if call.closed else ()

    def _finished(self, finish: Finish, calls: dict[int, _Call]) -> tuple[Delta, ...]:
        if finish.reason == "length" and not all(call.closed for call in calls.values()):
            raise Unsupported(
                "max_tokens",
                "the answer's limit came in the middle of a tool call, and half a call is not passed on: allow more "
                "tokens, or choose a model with a larger window",
            )
        rest = self._released(calls, finish.choice, last=True)
        return (*rest, replace(finish, reason="tool_calls") if finish.reason == "stop" else finish)

    def _released(self, calls: dict[int, _Call], choice: int, last: bool) -> tuple[Delta, ...]:
        """Those that are whole, up to the first that isn't."""
        ready: list[Delta] = []
        for call in calls.values():
            if call.released:
                continue
            if not last and (not call.closed or call.arguments.strip() == _EMPTY):
                break
            ready.append(replace(call.release(self._tools), choice=choice))
        return tuple(ready)
