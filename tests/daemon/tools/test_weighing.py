"""What calls need, by their class and by the user's word."""

from __future__ import annotations

from typing import NoReturn, get_args

import pytest

from daemon.settings import Effect, Keys, Tools
from daemon.signals.shipped import shipped_vectors
from daemon.signals.vectors import Vectors
from daemon.tools.gate import ToolGate
from daemon.tools.ranks import NEEDED, STRICTER, WORSE, doubt, wants_second, worst
from daemon.tools.weighing import Weighed, Weighing
from edge_models.engines.base import Unavailable
from providers.contract import Tool, ToolCall
from tests.fakes.asking import asking

READ, EDIT, BASH = Tool("Read", "", {}), Tool("Edit", "", {}), Tool("Bash", "", {})
REMOVE, LIST = ToolCall("1", "Bash", '{"command": "rm a"}'), ToolCall("2", "Bash", '{"command": "ls"}')


def weighing(settings: Tools | None = None) -> Weighing:
    def absent() -> NoReturn:
        raise Unavailable("there is none in this test")

    return Weighing(settings or Tools(), ToolGate(Vectors(absent)))


def test_every_class_has_its_place() -> None:
    """The orders hold all words of the settings, and nothing that does harm goes on one key."""
    assert set(WORSE) == set(NEEDED) == set(get_args(Effect))
    assert set(STRICTER) == set(get_args(Keys))
    assert [effect for effect in WORSE if wants_second(NEEDED[effect])] == [*WORSE[2:]]
    assert worst(()) == "read"


def test_calls_weigh_what_their_worst_does() -> None:
    """And need what that needs."""
    request = asking("Do it", tools=(BASH,))

    assert weighing().weigh(request, (LIST,)) == Weighed("read", "usual")
    assert weighing().weigh(request, (LIST, REMOVE)) == Weighed("irreversible", "independent")


@pytest.mark.parametrize(
    ("keys", "second", "left"),
    [("usual", False, 1.0), ("surer", False, 0.3), ("two", True, 0.3), ("independent", True, 0.3)],
)
def test_the_user_says_what_a_class_needs(keys: Keys, second: bool, left: float) -> None:
    """Instead of what stands in the table."""
    weighed = weighing(Tools(keys={"irreversible": keys})).weigh(asking("Do it", tools=(BASH,)), (REMOVE,))

    assert (weighed.effect, weighed.wants_second, weighed.barred, doubt(weighed.keys)) == (
        "irreversible",
        second,
        None,
        left,
    )


def test_what_is_never_enough_is_barred() -> None:
    """By the user's word."""
    assert weighing(Tools(keys={"read": "beyond"})).weigh(asking("x", tools=(BASH,)), (LIST,)).barred == "never-alone"


def test_care_is_taken_where_a_tool_could_need_it() -> None:
    """Before it is known what will be called; a shell could be given anything."""
    assert not weighing().careful(asking("x", tools=(READ,)))
    assert weighing().careful(asking("x", tools=(READ, EDIT)))
    assert weighing().careful(asking("x", tools=(READ, BASH)))
    assert not weighing().careful(asking("x", tools=(BASH,), tool_choice="none"))
    assert not weighing(Tools(effects={"bash": "read"})).careful(asking("x", tools=(BASH,)))


def test_a_call_where_no_tool_fits_is_barred() -> None:
    """Whatever the call would do."""
    vectors = shipped_vectors()
    pizza = Tool("find_pizza", "Find a place that sells pizza.", {"properties": {"city": {}}})
    request = asking("Who wrote the novel about the white whale?", tools=(pizza,))
    try:
        weighed = Weighing(Tools(), ToolGate(vectors)).weigh(request, (ToolCall("1", "find_pizza", "{}"),))
    finally:
        vectors.close()

    assert (weighed.effect, weighed.barred) == ("read", "no-tool-fits")
    assert weighed.none_fits is not None


def test_calls_are_the_same_by_what_they_do() -> None:
    """With the request's own schemas."""
    request = asking("x", tools=(Tool("look", "", {"properties": {"far": {"default": False}}}),))
    one, other = ToolCall("1", "look", '{"far": false}'), ToolCall("2", "look", "{}")

    assert weighing().same(request, (one,), (other,))
    assert not weighing().same(request, (one,), ())
    assert not weighing().same(request, (), ())
