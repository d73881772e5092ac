"""Tests of whether a conversation stays with its decision."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.routing.holding import held
from daemon.routing.live import Live
from daemon.routing.sessions import Sessions
from daemon.signals.base import Kind, Observation
from providers.contract import Message, Request, Text, ToolResult
from tests.fakes.asking import asking
from tests.fakes.clock import HeldClock
from tests.fakes.routing import recipe

RECIPE = """
SIGNAL domain law {}
SIGNAL domain math {}
SIGNAL keyword guard { keywords: ["forbidden"] }
MODEL local {}
ROUTE law { PRIORITY 5 WHEN domain("law") MODEL local }
ROUTE math { PRIORITY 5 WHEN domain("math") MODEL local }
ROUTE guard { PRIORITY 9 WHEN keyword("guard") MODEL local }
ROUTE rest { MODEL local }
"""
WAITING = replace(
    asking("hello"), messages=(*asking("hello").messages, Message("tool", (ToolResult("1", (Text("x"),)),)))
)


def saw(**scores: float) -> tuple[Observation, ...]:
    families = {"guard": "keyword"}
    return tuple(
        Observation(signal=families.get(name, "domain"), kind=Kind.ROUTE, name=name, score=score)
        for name, score in scores.items()
    )


def after(live: Live, before: str, request: Request, **scores: float) -> str | None:
    """The decision of a turn, in a conversation whose last one was `before`."""
    sessions = Sessions(HeldClock())
    sessions.keep(request, live.number, before, "local/small")
    seen = saw(**scores)
    return held(live, live.verdict(seen), seen, sessions, request).outcome.decision


def test_a_small_edit_turns_nothing() -> None:
    """Another decision has to be clearly surer."""
    live = recipe(RECIPE)

    assert after(live, "law", asking("hello"), law=0.70, math=0.72) == "law"
    assert after(live, "law", asking("hello"), law=0.70, math=0.76) == "math"
    assert after(live, "law", asking("hello"), math=0.72) == "math"


def test_a_tool_loop_goes_on() -> None:
    """As long as its decision holds at all."""
    live = recipe(RECIPE)

    assert after(live, "law", WAITING, law=0.6, math=0.99) == "law"
    assert after(live, "law", WAITING, math=0.99) == "math"


def test_what_guards_wins_at_once() -> None:
    """A rule of a higher rank is never held back, in a tool loop either; and a catch-all holds nothing."""
    live = recipe(RECIPE)

    assert after(live, "law", WAITING, law=0.9, guard=1.0) == "guard"
    assert after(live, "rest", WAITING, law=0.9) == "law"


def test_another_edition_starts_anew() -> None:
    """What another recipe decided binds nobody."""
    live, other = recipe(RECIPE), recipe(RECIPE)
    sessions = Sessions(HeldClock())
    sessions.keep(asking("hello"), other.number, "law", "local/small")
    seen = saw(law=0.70, math=0.72)

    assert held(live, live.verdict(seen), seen, sessions, asking("hello")).outcome.decision == "math"
