"""All signals over one request, off the event loop, without ever raising.

A signal that breaks leaves an observation with the name of its error and with its kind, so that the boundary can tell a
privacy signal that saw nothing from one that could not look.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Final

from daemon.settings import Settings, Signals
from daemon.signals.base import Observation, Signal
from daemon.signals.registry import SIGNALS
from providers.contract import Request, Text
from providers.texts import Field, fields

TINY_CHARS: Final = 500
"""Up to here all signals together take about as long as a hop to a thread and back; bench_signals.py prints both."""
_THREADS: Final = 2
"""Rules hold the GIL, so more would not be faster; the second lets a short request pass a long one."""
_DIGIT: Final = re.compile(r"\d")
_SLOW_TO_LOAD: Final = "phonenumbers"
"""What a digit may call for. Its import takes 78 ms, which the event loop shall never wait for."""


class Observer:
    """Looks at requests. Call `close` at the end."""

    def __init__(self, settings: Settings, table: Mapping[str, Callable[[Signals], Signal]] = SIGNALS) -> None:
        self._signals = {name: make(settings.signals) for name, make in table.items()}
        self._threads = ThreadPoolExecutor(_THREADS, "nearloop-signals")
        self._loaded = False

    async def observe(self, request: Request) -> tuple[Observation, ...]:
        """What the signals see, in the order of the table."""
        if _is_tiny(request, digits=self._loaded):
            return self._look(request)
        try:
            looking = self._threads.submit(self._look, request)
            if not self._loaded:
                self._threads.submit(self._load)
        except RuntimeError as error:  # closed
            return self._broken(error)
        return await asyncio.wrap_future(looking)

    def close(self) -> None:
        """End the threads; looks that have not begun are given up."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _load(self) -> None:
        import_module(_SLOW_TO_LOAD)
        self._loaded = True

    def _look(self, request: Request) -> tuple[Observation, ...]:
        try:
            texts = fields(request)
        except Exception as error:  # noqa: BLE001  # one of the three doors
            return self._broken(error)
        seen: list[Observation] = []
        for signal in self._signals.values():
            seen += _guarded(signal, request, texts)
        return tuple(seen)

    def _broken(self, error: Exception) -> tuple[Observation, ...]:
        return tuple(_failure(signal, error) for signal in self._signals.values())


def _guarded(signal: Signal, request: Request, texts: tuple[Field, ...]) -> list[Observation]:
    try:
        return signal.look(request, texts)
    except Exception as error:  # noqa: BLE001  # one of the three doors
        return [_failure(signal, error)]


def _failure(signal: Signal, error: Exception) -> Observation:
    return Observation(signal=signal.signal, kind=signal.kind, name=signal.signal, error=type(error).__name__)


def _is_tiny(request: Request, digits: bool) -> bool:
    """Whether looking takes no longer than a hop, with or without digits. Walks a few parts at most."""
    if request.tools or request.schema or request.extras or request.sampling.stop or len(request.messages) > 4:
        return False
    left = TINY_CHARS
    for message in request.messages:
        for part in message.parts:
            if not isinstance(part, Text):
                return False
            left -= len(part.text)
            if left < 0 or (not digits and _DIGIT.search(part.text)):
                return False
    return True
