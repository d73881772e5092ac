"""What calls in a draft weigh: what they would do, which keys they need for it, and whether any tool fits at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from daemon.settings import Effect, Keys, Tools
from daemon.tools.effects import effect_of_calls, effect_of_tool
from daemon.tools.gate import ToolGate
from daemon.tools.ranks import keys_for, wants_second
from daemon.tools.sameness import calls_form
from providers.contract import Request, ToolCall

Bar = Literal["no-tool-fits", "never-alone"]


class Weighed(Struct, frozen=True):
    """effect: the worst of the calls, keys: what they need together. none_fits: the probability that no tool fits; None: it
    can't be told. barred: why they may not pass, however sure the model is.
    """

    effect: Effect
    keys: Keys
    none_fits: float | None = None
    barred: Bar | None = None

    @property
    def wants_second(self) -> bool:
        """Whether they need a second answer that calls the same."""
        return wants_second(self.keys)


class Weighing:
    """By the user's settings. gate: asked once for each draft that calls."""

    def __init__(self, settings: Tools, gate: ToolGate) -> None:
        self._settings = settings
        self._gate = gate

    @property
    def refuses(self) -> bool:
        """Whether calls that need a second key are held where none can be had."""
        return self._settings.without_second_key == "refuse"

    def careful(self, request: Request) -> bool:
        """Whether a tool is offered whose calls need more than any answer does."""
        if request.tool_choice == "none":
            return False
        own = self._settings
        return any(keys_for(effect_of_tool(tool, own.effects), own.keys) != "usual" for tool in request.tools)

    def weigh(self, request: Request, calls: Sequence[ToolCall]) -> Weighed:
        """Calls of an answer to a request. Takes milliseconds, so call it off the event loop."""
        tools = {tool.name: tool for tool in request.tools}
        effect = effect_of_calls(calls, tools, self._settings.effects)
        keys = keys_for(effect, self._settings.keys)
        none_fits = self._gate.none_fits(request)
        barred: Bar | None = "no-tool-fits" if self._gate.sure(none_fits) else None
        return Weighed(effect, keys, none_fits, "never-alone" if keys == "beyond" else barred)

    def same(self, request: Request, one: Sequence[ToolCall], other: Sequence[ToolCall]) -> bool:
        """Whether two answers to a request call the same."""
        tools = {tool.name: tool for tool in request.tools}
        form = calls_form(one, tools)
        return form is not None and form == calls_form(other, tools)
