"""All signals over one request, off the event loop, in time, without ever raising.

Families that may ask a model have a thread of their own beside those that are rules. (A third, to ask heads and encoder at
the same time, was tried: 17 ms instead of 13 over 200 prompts, on two cores of which somebody else had one.) A signal that
breaks, or that isn't done in time, leaves an observation with the name of its error and with its kind, so that the boundary
can tell a privacy signal that saw nothing from one that could not look.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from math import inf
from time import monotonic
from typing import Final, NamedTuple

from msgspec.structs import replace

from daemon.recipes.signals import Signals
from daemon.settings import OnFailure
from daemon.signals.base import LATE, UNSCANNED, Asked, Lane, Observation, Signal
from daemon.signals.forward import Forward
from daemon.signals.hazard_examples import EXAMPLES
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts
from daemon.signals.registry import BOUNDARY, FAMILIES, Family
from edge_models.heads.manifest import CalibratedBy
from providers.contract import Message, Request, Text
from providers.texts import fields

TINY_CHARS: Final = 500
"""Up to here all rules together take about as long as a hop to a thread and back; bench_signals.py prints both."""
DEADLINE_S: Final = 10.0
_UNSCANNED_COUNTS: Final = frozenset({"jailbreak", "safety"})
"""Families for which a text that was not read whole counts as a find: upstream's `on_unscanned: block`."""
_THREADS: Final = 2
"""Rules hold the GIL, so more would not be faster; the second lets a short request pass a long one."""
_GRACE_S: Final = 0.05
"""So long after its time a family may take to notice that it is over."""
_READ_WORDS: Final = frozenset(
    {
        "complexity",
        "decision",
        "domain",
        "embedding",
        "fact_check",
        "kb",
        "modality",
        "preference",
        "reask",
        "safety",
        "task_shape",
        "user_feedback",
    }
)
"""Families that ask the shipped models about the user's last words, and about nothing else."""
_BY_HEADS: Final = {
    "complexity": "complexity",
    "domain": "domain",
    "fact_check": "fact_check",
    "safety": "harm",
    "task_shape": "task_shape",
}
"""Those of them whose scores are a head's probabilities, and which head's."""
_DIGIT: Final = re.compile(r"\d")
_SLOW_TO_LOAD: Final = "phonenumbers"
"""What a digit may call for. Its import takes 78 ms, which the event loop shall never wait for."""

_SAMPLES: Final = tuple(
    Request(
        id="0" * 16,
        model="auto",
        protocol="signals",
        messages=tuple(Message("user", (Text(text),)) for text in said),
    )
    for said in (("How do bridges carry weight?", "And a picture of one, please?"), (EXAMPLES["weapons"].wishes[0],))
)
"""What families look at before anybody asks. The second has examples of hazards read, which only harm calls for."""


class _Begun(NamedTuple):
    """Families that look in a thread. done: filled by it, family by family."""

    names: list[str]
    done: dict[str, list[Observation]]
    future: Future[dict[str, list[Observation]]]


class Observer:
    """Looks at requests. Call `close` at the end.

    rules: what to look for; a family without a rule doesn't look, but for the privacy signals where `parts.guard` is set.
    failures: what broken rules count as, by family.
    """

    def __init__(
        self,
        rules: Signals,
        parts: Parts,
        failures: Mapping[str, OnFailure] | None = None,
        deadline_s: float = DEADLINE_S,
        families: Mapping[str, Family] = FAMILIES,
    ) -> None:
        self.parts = parts
        named = {name: make for name, make in BOUNDARY.items() if name in parts.reduce}
        self._signals = {name: make(rules, parts) for name, make in {**families, **named}.items()}
        self._failures = failures or {}
        self._deadline_s = deadline_s
        self._rules = ThreadPoolExecutor(_THREADS, "nearloop-signals")
        self._models = ThreadPoolExecutor(_THREADS, "nearloop-models")
        self._lanes: dict[Lane, list[str]] = {}
        for name, signal in self._signals.items():
            self._lanes.setdefault(signal.lane, []).append(name)
        self._asks_models = "models" in self._lanes
        self._loaded = False
        self.looked = frozenset({*self._signals, *(("kb_metric",) if "kb" in self._signals else ())})
        """Of which families something is known, as `decision.seen` asks."""

    async def observe(self, request: Request) -> tuple[Observation, ...]:
        """What the signals see, in the order of the table."""
        until = monotonic() + self._deadline_s if self._deadline_s != inf else inf
        if not self._asks_models and _is_tiny(request, digits=self._loaded):
            return self._in_order(self._look(request, self._signals, until))
        try:
            begun = [
                self._begin(self._rules if lane == "rules" else self._models, request, names, until)
                for lane, names in self._lanes.items()
            ]
            if not self._loaded:
                self._rules.submit(self._load)
        except RuntimeError as error:  # closed
            return self._in_order({name: [_failure(signal, error)] for name, signal in self._signals.items()})
        found: dict[str, list[Observation]] = {}
        for seen in await asyncio.gather(*(self._awaited(each, until) for each in begun)):
            found |= seen
        return self._in_order(found)

    def warm(self) -> None:
        """Have those that may ask a model open it, so that the first request doesn't wait for that."""
        if self._asks_models:
            self._models.submit(self._look_at_samples)

    def close(self) -> None:
        """End the threads; looks that have not begun are given up."""
        self._rules.shutdown(wait=False, cancel_futures=True)
        self._models.shutdown(wait=False, cancel_futures=True)

    def _begin(self, threads: ThreadPoolExecutor, request: Request, names: list[str], until: float) -> _Begun:
        done: dict[str, list[Observation]] = {}
        return _Begun(names, done, threads.submit(self._look, request, names, until, done))

    async def _awaited(self, begun: _Begun, until: float) -> dict[str, list[Observation]]:
        """What some families see, as far as they are done in time."""
        try:
            async with asyncio.timeout(None if until == inf else until - monotonic() + _GRACE_S):
                return await asyncio.wrap_future(begun.future)
        except TimeoutError:
            late = {name: [_named(self._signals[name], LATE)] for name in begun.names}
            return late | begun.done

    def _load(self) -> None:
        import_module(_SLOW_TO_LOAD)
        self._loaded = True

    def _look(
        self, request: Request, names: Iterable[str], until: float, done: dict[str, list[Observation]] | None = None
    ) -> dict[str, list[Observation]]:
        """done: filled family by family, for those who can't wait for all."""
        done = {} if done is None else done
        try:
            asked = Asked(request, fields(request), until)
        except Exception as error:  # noqa: BLE001  # one of the three doors
            return {name: [_failure(self._signals[name], error)] for name in names}
        for name in names:
            signal = self._signals[name]
            done[name] = _guarded(signal, asked, self.parts) if asked.in_time() else [_named(signal, LATE)]
        return done

    def _look_at_samples(self) -> None:
        for sample in _SAMPLES:
            self._look(sample, self._lanes["models"], inf)

    def _in_order(self, found: Mapping[str, list[Observation]]) -> tuple[Observation, ...]:
        return tuple(self._counted(seen) for name in self._signals for seen in found.get(name, ()))

    def _counted(self, seen: Observation) -> Observation:
        """With what the user, else upstream, wants a failure to count as."""
        if seen.error is None:
            return seen
        wanted = self._failures.get(seen.signal, OnFailure())
        if seen.error == UNSCANNED:
            counts = wanted.on_unscanned or ("match" if seen.signal in _UNSCANNED_COUNTS else None)
        else:
            counts = wanted.on_error
        return seen if counts is None else replace(seen, counts=counts)


def _guarded(signal: Signal, asked: Asked, parts: Parts) -> list[Observation]:
    try:
        return _with_model(signal.look(asked), asked, parts)
    except Unread as why:
        return [_named(signal, why.code)]
    except Exception as error:  # noqa: BLE001  # one of the three doors
        return [_failure(signal, error)]


def _with_model(seen: list[Observation], asked: Asked, parts: Parts) -> list[Observation]:
    """With who read the words, if it wasn't the English model; nobody measured the other one on labelled texts of others."""
    if not any(each.signal in _READ_WORDS and each.error is None for each in seen):
        return seen
    model = parts.heads.model(asked.words)
    if model is None:
        return seen
    language = parts.heads.language(asked.words)
    return [
        replace(each, model=model, validated=False, calibrated_by=_calibrated_by(each, parts.heads, model, language))
        if each.scanned or each.error
        else each  # it is about a picture
        for each in seen
    ]


def _calibrated_by(seen: Observation, heads: Forward, model: str, language: str | None) -> CalibratedBy | None:
    likeness = (
        seen.signal == "safety" and seen.label is not None
    )  # a hazard's, by examples; the gate's is a probability
    head = None if likeness else _BY_HEADS.get(seen.signal)
    return heads.calibrated_by(head, model, language) if head and seen.error is None and heads.has(head) else None


def _failure(signal: Signal, error: Exception) -> Observation:
    return _named(signal, type(error).__name__)


def _named(signal: Signal, error: str) -> Observation:
    return Observation(signal=signal.signal, kind=signal.kind, name=signal.signal, error=error)


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
