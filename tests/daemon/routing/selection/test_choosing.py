"""One of a decision's candidates, for a conversation."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.decision.rules import Candidate
from daemon.loopers.registry import LOOPERS
from daemon.recipes.algorithms import Algorithm
from daemon.recipes.availability import ALGORITHMS
from daemon.recipes.model import ModelRef
from daemon.routing.live import Live
from daemon.routing.selection.choosing import Asking, Bound, Chooser
from daemon.routing.selection.registry import SELECTORS
from daemon.wire import Attempt, Model
from providers.contract import Message, Request, Text, ToolResult
from tests.fakes.asking import asking
from tests.fakes.routing import chooser, recipe

A, B = (Bound(ModelRef(model=name), Candidate("work", name)) for name in "ab")
FAST = Algorithm(type="latency_aware")
LIVE = "MODEL a { context_window_size: 100 }\nMODEL b {}\nROUTE code { MODEL a, b }\n"


def measured(here: Chooser, a_ms: float, b_ms: float) -> None:
    """The only answers that count from now on."""
    for name, ms in (("a", a_ms), ("b", b_ms)):
        here.speeds.learn([Attempt("work", name, "answered", 10 * ms, ms, completion_tokens=10)] * 64)


async def chosen(here: Chooser, live: Live, request: Request, algorithm: Algorithm | None = FAST) -> tuple[str, str]:
    found = await here.choose([A, B], live, "code", algorithm, Asking(request, 10, remember=True))
    return found.bound[0].ref.model, found.method


def test_what_check_says_is_here_is_here() -> None:
    """`nearloop recipe check` warns of exactly those that are neither selectors nor loopers."""
    assert set(SELECTORS) == ALGORITHMS - {"static"} - LOOPERS.keys()


async def test_the_recipes_order() -> None:
    """Without a selector, and where it can't tell."""
    here = chooser()

    assert await chosen(here, recipe(LIVE), asking("x"), None) == ("a", "static")
    assert await chosen(here, recipe(LIVE), asking("x")) == ("a", "static")


async def test_a_conversation_stays_unless_another_is_clearly_better() -> None:
    """Within the margin it stays with its model; a new one takes the best at once; a better one takes it over."""
    here, live = chooser(), recipe(LIVE)
    measured(here, 100, 200)
    first = await chosen(here, live, asking("hello"))
    measured(here, 105, 100)
    later, other = await chosen(here, live, asking("hello", "and?")), await chosen(here, live, asking("else"))
    measured(here, 200, 100)
    last = await chosen(here, live, asking("hello", "and?", "so?"))

    assert (first, later, other, last) == (
        ("a", "latency_aware"), ("a", "latency_aware"), ("b", "latency_aware"), ("b", "latency_aware")
    )  # fmt: skip


async def test_a_tool_loop_stays() -> None:
    """However much better another one is by now."""
    here, live = chooser(), recipe(LIVE)
    measured(here, 100, 200)
    await chosen(here, live, asking("hello"))
    measured(here, 900, 100)
    waiting = replace(
        asking("hello"), messages=(*asking("hello").messages, Message("tool", (ToolResult("1", (Text("x"),)),)))
    )

    found = await here.choose([A, B], live, "code", FAST, Asking(waiting, 10, remember=True))

    assert (found.bound[0], found.notes) == (A, ("stays",))


async def test_another_recipe_or_decision_is_not_bound() -> None:
    """A conversation stays with its model for the same decision of the same edition."""
    here, live = chooser(), recipe(LIVE)
    measured(here, 100, 200)
    await chosen(here, live, asking("hello"))
    measured(here, 105, 100)

    assert await chosen(here, recipe(LIVE), asking("hello")) == ("b", "latency_aware")


async def test_a_preview_changes_nothing() -> None:
    """Who only looks leaves no trace in the conversation."""
    here, live = chooser(), recipe(LIVE)

    await here.choose([A, B], live, "code", FAST, Asking(asking("hello"), 10, remember=False))

    assert here.sessions.last(asking("hello")) is None


def test_who_can() -> None:
    """Cards and loaded models say how long a request may be; who can't is left out and that is said."""
    live = recipe(LIVE)
    small = Bound(ModelRef(model="c"), Candidate("local", "c"))
    info = Model("local/c", "scripted", "ready", False, context_tokens=50)
    here = chooser(info)

    assert here.capable([A, B, small], live, Asking(asking("x"), 60, remember=False)) == ([A, B], ("not-able",))
    assert here.capable([A, B, small], live, Asking(asking("x"), 10, remember=False)) == ([A, B, small], ())
