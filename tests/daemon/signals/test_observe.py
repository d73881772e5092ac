"""The observer: off the loop, complete, and never raising."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import daemon.signals.observe as module
from daemon.settings import ContextBand, Keywords, Settings, Signals
from daemon.signals.base import Kind, Observation
from daemon.signals.observe import TINY_CHARS, Observer
from providers.contract import Message, Request, Text
from providers.texts import Field


def asking(text: str) -> Request:
    return Request(id="0" * 16, model="auto", protocol="t", messages=(Message("user", (Text(text),)),))


class Remembering:
    """Remembers its thread."""

    signal = "remembering"
    kind = Kind.ROUTE

    def __init__(self, settings: Signals) -> None:
        self.threads: list[threading.Thread] = []

    def look(self, request: Request, fields: tuple[Field, ...]) -> list[Observation]:
        self.threads.append(threading.current_thread())
        return [Observation(signal=self.signal, kind=self.kind, name="seen")]


class Breaking(Remembering):
    """Breaks, with the user's words in its message."""

    signal = "breaking"
    kind = Kind.PRIVACY

    def look(self, request: Request, fields: tuple[Field, ...]) -> list[Observation]:
        raise KeyError(fields[0].text)


async def test_all_signals_are_run() -> None:
    """What each of them sees is there, in the order of the table."""
    settings = Settings(signals=Signals(keywords={"hi": Keywords(("hello",))}, context={"short": ContextBand()}))
    observer = Observer(settings)

    seen = await observer.observe(asking("hello, mara@nordhof.com, password: hunter2"))

    assert [(each.signal, each.name, each.label) for each in seen] == [
        ("context", "tokens", None),
        ("context", "short", None),
        ("keyword", "hi", None),
        ("pii", "pii", "EMAIL_ADDRESS"),
        ("secret", "secret", "PASSWORD"),
    ]
    observer.close()


async def test_a_signal_that_breaks_is_told_and_the_others_go_on() -> None:
    """Its kind and the error's name are there for the boundary; the words of the message are not."""
    observer = Observer(Settings(), {"breaking": Breaking, "remembering": Remembering})

    broken, seen = await observer.observe(asking("canary"))

    assert broken == Observation(signal="breaking", kind=Kind.PRIVACY, name="breaking", error="KeyError")
    assert seen.signal == "remembering"
    observer.close()


async def test_a_request_that_can_not_be_walked_breaks_every_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    """If nobody could look, the boundary learns it from each privacy signal."""

    def fail(request: Request) -> Any:
        raise RecursionError

    monkeypatch.setattr(module, "fields", fail)
    observer = Observer(Settings())

    seen = await observer.observe(asking("x" * 2 * TINY_CHARS))

    assert {(each.signal, each.error) for each in seen if each.kind is Kind.PRIVACY} == {
        ("pii", "RecursionError"),
        ("secret", "RecursionError"),
    }
    observer.close()


async def test_only_tiny_requests_are_looked_at_on_the_loop() -> None:
    """A hop costs as much as looking at some words, and less than anything else."""
    remembering = Remembering(Signals())
    observer = Observer(Settings(), {"remembering": lambda settings: remembering})

    await observer.observe(asking("x" * TINY_CHARS))
    await observer.observe(asking("x" * (TINY_CHARS + 1)))

    here, there = remembering.threads
    assert here is threading.current_thread()
    assert there is not here
    observer.close()


async def test_a_first_digit_loads_what_is_slow_elsewhere() -> None:
    """Digits are looked at in a thread until the library for telephone numbers is there, which that thread sees to."""
    remembering = Remembering(Signals())
    observer = Observer(Settings(), {"remembering": lambda settings: remembering})

    async with asyncio.timeout(20):
        await observer.observe(asking("call 5"))
        while remembering.threads[-1] is not threading.current_thread():
            await observer.observe(asking("call 5"))

    assert remembering.threads[0] is not threading.current_thread()
    observer.close()


async def test_a_closed_observer_says_that_it_could_not_look() -> None:
    """Nothing is raised, and nothing counts as clean."""
    observer = Observer(Settings())
    observer.close()

    seen = await observer.observe(asking("x" * 2 * TINY_CHARS))

    assert {each.error for each in seen} == {"RuntimeError"}
