"""The observer: off the loop, complete, in time, and never raising."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

import daemon.signals.observe as module
from daemon.recipes.signals import Context, Keyword, Signals
from daemon.settings import OnFailure
from daemon.signals.base import LATE, UNSCANNED, Asked, Kind, Lane, Observation, unreadable
from daemon.signals.observe import TINY_CHARS, Observer
from daemon.signals.opening import Unread
from providers.contract import Image, Message, Sight, Text
from tests.fakes.asking import asking, without_models

NOTHING = Signals()


class Remembering:
    """Remembers its thread, and does what it is told."""

    kind = Kind.ROUTE

    def __init__(
        self, signal: str = "remembering", then: Callable[[Asked], None] | None = None, lane: Lane = "rules"
    ) -> None:
        self.signal = signal
        self.lane: Lane = lane
        self.threads: list[threading.Thread] = []
        self._then = then

    def look(self, asked: Asked) -> list[Observation]:
        self.threads.append(threading.current_thread())
        if self._then:
            self._then(asked)
        return [Observation(signal=self.signal, kind=self.kind, name="seen")]


class Breaking(Remembering):
    """Breaks, with the user's words in its message."""

    kind = Kind.PRIVACY

    def look(self, asked: Asked) -> list[Observation]:
        raise KeyError(asked.words)


def observer_of(*signals: Any, **more: Any) -> Observer:
    families = {signal.signal: lambda rules, parts, signal=signal: signal for signal in signals}
    return Observer(NOTHING, without_models(), families=families, **more)


async def test_all_signals_are_run() -> None:
    """What each of them sees is there, in the order of the table."""
    rules = Signals(keywords=(Keyword(name="hi", keywords=("hello",)),), context=(Context(name="short"),))
    observer = Observer(rules, without_models(guard=True))

    seen = await observer.observe(asking("hello, mara@nordhof.com, password: hunter2"))

    assert [(each.signal, each.name, each.label) for each in seen] == [
        ("context", "tokens", None),
        ("context", "short", None),
        ("keyword", "hi", None),
        ("pii", "pii", "EMAIL_ADDRESS"),
        ("secret", "secret", "PASSWORD"),
    ]
    observer.close()


async def test_words_in_the_pictures_of_the_last_message_are_the_users() -> None:
    """A screenshot is read with the question below it; an earlier one isn't."""
    words: list[str] = []
    observer = observer_of(Remembering(then=lambda asked: words.append(asked.words)))
    old, new = (Image("data:x", sight=Sight(form="png", text=text)) for text in ("earlier", "def main"))

    said = (Message("user", (old,)), Message("user", (new, Text("find the bug"))))
    await observer.observe(asking("", messages=said))

    assert words == ["def main\nfind the bug"]
    observer.close()


async def test_a_signal_that_breaks_is_told_and_the_others_go_on() -> None:
    """Its kind and the error's name are there for the boundary; the words of the message are not."""
    observer = observer_of(Breaking("breaking"), Remembering())

    broken, seen = await observer.observe(asking("canary"))

    assert broken == Observation(signal="breaking", kind=Kind.PRIVACY, name="breaking", error="KeyError")
    assert seen.signal == "remembering"
    observer.close()


async def test_a_model_that_is_not_there_is_told_by_its_code() -> None:
    """The reason is a name, and the family's rules are unknown."""

    def absent(asked: Asked) -> None:
        raise Unread("NoModel")

    observer = observer_of(Remembering("asking", absent, lane="models"), Remembering())
    broken, seen = await observer.observe(asking("hello"))
    observer.close()

    assert (broken.name, broken.error, seen.error) == ("asking", "NoModel", None)


async def test_a_request_that_can_not_be_walked_breaks_every_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    """If nobody could look, the boundary learns it from each privacy signal."""

    def fail(request: Any) -> Any:
        raise RecursionError

    monkeypatch.setattr(module, "fields", fail)
    observer = Observer(NOTHING, without_models(guard=True))

    seen = await observer.observe(asking("x" * 2 * TINY_CHARS))

    assert {(each.signal, each.error) for each in seen if each.kind is Kind.PRIVACY} == {
        ("pii", "RecursionError"),
        ("secret", "RecursionError"),
    }
    observer.close()


async def test_only_tiny_requests_are_looked_at_on_the_loop() -> None:
    """A hop costs as much as looking at some words, and less than anything else."""
    remembering = Remembering()
    observer = observer_of(remembering)

    await observer.observe(asking("x" * TINY_CHARS))
    await observer.observe(asking("x" * (TINY_CHARS + 1)))

    here, there = remembering.threads
    assert here is threading.current_thread()
    assert there is not here
    observer.close()


async def test_whoever_may_ask_a_model_never_runs_on_the_loop() -> None:
    """Nor in the rules' threads."""
    rules, models = Remembering("rules"), Remembering("models", lane="models")
    observer = observer_of(rules, models)

    await observer.observe(asking("x"))
    observer.close()

    assert threading.current_thread() not in (*rules.threads, *models.threads)
    assert rules.threads[0] is not models.threads[0]


async def test_who_is_late_is_left_behind() -> None:
    """What others saw by then is there, and a signal that never began says that it was late."""
    held = threading.Event()
    first = Remembering("first", lane="models")
    stuck = Remembering("stuck", lambda asked: (held.wait(20), None)[1], lane="models")
    observer = observer_of(first, stuck, Remembering("never", lane="models"), Remembering("rules"), deadline_s=0.05)

    seen = await observer.observe(asking("x" * 2 * TINY_CHARS))
    held.set()
    observer.close()

    assert [(each.signal, each.error) for each in seen] == [
        ("first", None),
        ("stuck", LATE),
        ("never", LATE),
        ("rules", None),
    ]


async def test_what_a_failure_counts_as_is_the_users_choice() -> None:
    """By family, and apart for texts that were not read whole; those count as a find for `jailbreak`, as upstream has it."""

    class Unscanned(Remembering):
        def look(self, asked: Asked) -> list[Observation]:
            return [unreadable(self, "rule", UNSCANNED)]

    signals = (Breaking("kb"), Unscanned("jailbreak"), Unscanned("domain"), Unscanned("safety"))
    failures = {"kb": OnFailure(on_error="no_match"), "safety": OnFailure(on_unscanned="unknown")}
    observer = observer_of(*signals, failures=failures)
    seen = await observer.observe(asking("x"))
    observer.close()

    assert [(each.signal, each.counts) for each in seen] == [
        ("kb", "no_match"),
        ("jailbreak", "match"),
        ("domain", None),
        ("safety", "unknown"),
    ]


async def test_a_first_digit_loads_what_is_slow_elsewhere() -> None:
    """Digits are looked at in a thread until the library for telephone numbers is there, which that thread sees to."""
    remembering = Remembering()
    observer = observer_of(remembering)

    async with asyncio.timeout(20):
        await observer.observe(asking("call 5"))
        while remembering.threads[-1] is not threading.current_thread():
            await observer.observe(asking("call 5"))

    assert remembering.threads[0] is not threading.current_thread()
    observer.close()


async def test_a_closed_observer_says_that_it_could_not_look() -> None:
    """Nothing is raised, and nothing counts as clean."""
    observer = Observer(NOTHING, without_models())
    observer.close()

    seen = await observer.observe(asking("x" * 2 * TINY_CHARS))

    assert {each.error for each in seen} == {"RuntimeError"}
