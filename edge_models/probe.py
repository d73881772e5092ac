"""How fast a model runs on a device, and which device that speaks for.

Theory of operation. What a user waits for is the first token, which costs as much as the prompt is long, and then the rate
of the others. Devices differ in both, and not by one factor: an accelerator can write faster than the CPU and read a long
prompt slower, or, with static shapes, take as long for a short prompt as for a long one. So both are measured as times: the
first token of a short and of a long prompt, and the mean time of further tokens. A device's worth is the sum of the seconds
that one short and one long question take. Best of a few rounds, since noise only ever adds; each round's prompt begins
differently, or a prefix cache would answer.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from edge_models.catalog import ModelRef
from edge_models.confinement.process import confine
from edge_models.devices import CPU
from edge_models.engines.base import Done, Engine, EngineError, Raw, Sampling, Token
from edge_models.engines.registry import load_engine
from edge_models.private_output import own_standard_output, write_all

FORMAT: Final = 1
"""Raise it when what is measured changes; numbers that were kept are then measured anew."""

SHORT_TOKENS: Final = 32
LONG_TOKENS: Final = 1024
"""A question, and a file with a question. A coding agent's prompt is longer; 1,024 tokens tell the rate."""
ANSWER_TOKENS: Final = 128
"""The answer that the judgement reckons with."""
DECODED: Final = 24
ROUNDS: Final = 3
ROUNDS_S: Final = 20.0
"""No new round after that long: on a slow device one round tells enough."""
NOISE: Final = 0.20
"""Devices this near to each other count as equally fast. SmolLM2 on one CPU wrote 146 to 178 tokens a second in quiet
moments, which is 22 %, in single runs; the best of several is nearer to the truth. On a CPU that others kept busy, eight
probes gave 4.1 to 12.3 s, so only numbers of an idle machine can be compared.
"""


class Job(Struct, frozen=True):
    """What a probing process is told. model.device: where to measure."""

    model: ModelRef
    cache_dir: str


class Measured(Struct, frozen=True, tag="measured"):
    """What a device did. short_s, long_s: until the first token, after prompts of short_tokens and long_tokens.

    token_s: for each further token. logprobs: whether the engine tells them there, by which answers are judged.
    """

    device: str
    load_s: float
    short_tokens: int
    short_s: float
    long_tokens: int
    long_s: float
    token_s: float
    context_tokens: int
    logprobs: bool

    @property
    def question_s(self) -> float:
        """For one short and one long question, answers included."""
        return self.short_s + self.long_s + 2 * ANSWER_TOKENS * self.token_s


class Unfit(Struct, frozen=True, tag="unfit"):
    """A device on which the model could not be measured. why: in words."""

    device: str
    why: str


Result = Measured | Unfit


class Choice(Struct, frozen=True):
    """Where the model runs best, and why, for the user."""

    device: str
    why: str


def choose(results: tuple[Result, ...]) -> Choice:
    """Judge what was measured.

    The least time wins. Out of the running is what failed, and what can do less than another: a smaller window would refuse
    prompts that fit elsewhere, and without log-probabilities nobody knows how sure an answer is. Among equally fast ones the
    CPU stays, since it needs no driver; then the first.
    """
    unfit = [f"{result.device} is left out: {result.why}" for result in results if isinstance(result, Unfit)]
    measured = [result for result in results if isinstance(result, Measured)]
    if not measured:
        return Choice(CPU, "; ".join(["no device could be measured", *unfit]))
    window = max(result.context_tokens for result in measured)
    for narrow in [result for result in measured if result.context_tokens < window]:
        measured.remove(narrow)
        unfit.append(f"{narrow.device} is left out: it takes {narrow.context_tokens} tokens where others take {window}")
    if any(result.logprobs for result in measured):
        unfit += [
            f"{it.device} is left out: its engine tells no log-probabilities" for it in measured if not it.logprobs
        ]
        measured = [result for result in measured if result.logprobs]
    fastest = min(measured, key=lambda result: result.question_s)
    equals = [result for result in measured if result.question_s <= fastest.question_s * (1 + NOISE)]
    best = next((result for result in equals if result.device == CPU), equals[0] if len(equals) > 1 else fastest)
    return Choice(best.device, "; ".join([_verdict(best, fastest, measured), *unfit]))


def _verdict(best: Measured, fastest: Measured, measured: list[Measured]) -> str:
    times = ", ".join(f"{result.device} {result.question_s:.1f} s" for result in measured)
    if len(measured) == 1:
        return f"{best.device} is the only device that was measured ({times} for a short and a long question)"
    if best is not fastest or best.question_s * (1 + NOISE) >= sorted(result.question_s for result in measured)[1]:
        return f"{best.device} is as fast as any within {NOISE:.0%}: {times} for a short and a long question"
    return f"{best.device} is the fastest: {times} for a short and a long question"


def measure(engine: Engine, device: str, load_s: float, now: Callable[[], float] = time.perf_counter) -> Result:
    """Put an engine through the rounds. now: seconds. Raises EngineError as the engine does."""
    stopwatch = _Stopwatch(engine, now)
    long_words = min(LONG_TOKENS, engine.context_tokens // 2)
    stopwatch.ask(SHORT_TOKENS)  # not counted: kernels are compiled and caches made in the first
    began = now()
    short, long = [], []
    for _ in range(ROUNDS):
        short.append(stopwatch.ask(SHORT_TOKENS))
        long.append(stopwatch.ask(long_words))
        if now() - began > ROUNDS_S:
            break
    rates = [asked.token_s for asked in short + long if asked.token_s is not None]
    if not rates:
        return Unfit(device, "the model ends its answer at once there")
    return Measured(
        device=device,
        load_s=round(load_s, 3),
        short_tokens=short[0].prompt_tokens,
        short_s=min(asked.first_s for asked in short),
        long_tokens=long[0].prompt_tokens,
        long_s=min(asked.first_s for asked in long),
        token_s=min(rates),
        context_tokens=engine.context_tokens,
        logprobs=engine.capabilities.logprobs != "none",
    )


class _Asked(Struct, frozen=True):
    prompt_tokens: int
    first_s: float
    token_s: float | None


class _Stopwatch:
    """Asks an engine and looks at the time."""

    def __init__(self, engine: Engine, now: Callable[[], float]) -> None:
        self._engine = engine
        self._now = now
        self._asked = 0

    def ask(self, words: int) -> _Asked:
        """One answer to a prompt of about so many tokens, which begins as no other did."""
        self._asked += 1
        text = f"{self._asked} {'a ' * (words - 2)}".strip()
        began = self._now()
        prompt_tokens = self._engine.start(self._asked, Raw(text), Sampling(max_tokens=DECODED, temperature=0.0))
        times: list[float] = []
        while True:
            for _, event in self._engine.step():
                if isinstance(event, Token):
                    times.append(self._now())
                elif isinstance(event, Done):
                    first = (times or [self._now()])[0]
                    rate = (times[-1] - first) / (len(times) - 1) if len(times) > 1 else None
                    return _Asked(prompt_tokens, first - began, rate)


def _end_with_the_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    """Read a Job from standard input's first line, measure, and write the Result; end when the daemon is gone."""
    confine()  # it loads a model's file, as a worker does
    sink = own_standard_output()
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    threading.Thread(target=_end_with_the_parent, name="parent", daemon=True).start()
    device = job.model.device
    result: Result
    try:
        began = time.perf_counter()
        engine = load_engine(job.model.engine).load(job.model, Path(job.cache_dir), lambda stage, fraction: None)
        result = measure(engine, device, time.perf_counter() - began)
    except EngineError as error:
        result = Unfit(device, str(error))
    write_all(sink, msgspec.json.encode(result))
    os._exit(0)


if __name__ == "__main__":
    main()
