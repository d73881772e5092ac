"""What is measured on a device, and what the numbers decide."""

from __future__ import annotations

import pytest

from edge_models.devices import CPU
from edge_models.engines.base import Capabilities, Done, Prompt, Raw, Sampling, Token, Unavailable
from edge_models.probe import LONG_TOKENS, NOISE, ROUNDS, SHORT_TOKENS, Measured, Result, Unfit, choose, measure


def ran(
    device: str,
    short_s: float = 0.1,
    long_s: float = 1.0,
    token_s: float = 0.02,
    window: int = 8192,
    logprobs: bool = True,
) -> Measured:
    return Measured(device, 1.0, 32, short_s, 1024, long_s, token_s, window, logprobs)


# ---- choosing -------------------------------------------------------------------------------------------------------


def test_the_fastest_wins_and_the_numbers_are_told() -> None:
    """The least time for a short and a long question together wins, and all times are in the reason."""
    choice = choose((ran(CPU), ran("GPU", 0.05, 0.2, 0.01)))

    assert choice.device == "GPU"
    assert choice.why == "GPU is the fastest: CPU 6.2 s, GPU 2.8 s for a short and a long question"


def test_within_the_noise_the_cpu_stays() -> None:
    """A device that is faster by less than the noise does not move a model; one that is faster by more does."""
    cpu = ran(CPU, 0.0, 0.0, 1.0)
    barely, clearly = ran("GPU", 0.0, 0.0, 1 / (1 + NOISE) + 0.001), ran("GPU", 0.0, 0.0, 1 / (1 + NOISE) - 0.001)

    assert choose((cpu, barely)).device == CPU
    assert "as fast as any" in choose((cpu, barely)).why
    assert choose((cpu, clearly)).device == "GPU"


def test_a_tie_between_accelerators_goes_to_the_first() -> None:
    """Of two equal GPUs the first is taken, whichever measured a hair faster, so the choice does not flip."""
    cpu, first, second = ran(CPU, token_s=1.0), ran("GPU.0", token_s=0.0101), ran("GPU.1", token_s=0.01)

    assert choose((cpu, first, second)).device == "GPU.0"
    assert choose((cpu, ran("GPU.0", token_s=0.01), ran("GPU.1", token_s=0.0101))).device == "GPU.0"


def test_an_npu_that_reads_long_prompts_slowly_loses() -> None:
    """An NPU that writes faster and takes long for a long prompt is not chosen: both kinds of question count."""
    choice = choose((ran(CPU, 0.1, 1.0, 0.02), ran("NPU", 0.9, 6.0, 0.015)))

    assert choice.device == CPU
    assert "NPU 10.7 s" in choice.why
    assert choose((ran(CPU, 0.1, 1.0, 0.02), ran("NPU", 0.9, 0.9, 0.005))).device == "NPU"


def test_a_smaller_window_is_not_chosen() -> None:
    """However fast: a prompt that fits on one device is not refused because another was chosen."""
    choice = choose((ran(CPU), ran("NPU", 0.01, 0.01, 0.001, window=3072)))

    assert choice.device == CPU
    assert "NPU is left out: it takes 3072 tokens where others take 8192" in choice.why


def test_an_engine_that_tells_nothing_of_itself_is_not_chosen() -> None:
    """Without log-probabilities every answer would count as unsure; where no device has them it makes no difference."""
    mute = ran("NPU", 0.01, 0.01, 0.001, logprobs=False)

    assert choose((ran(CPU), mute)).device == CPU
    assert "NPU is left out: its engine tells no log-probabilities" in choose((ran(CPU), mute)).why
    assert choose((ran(CPU, logprobs=False), mute)).device == "NPU"


def test_a_failed_probe_is_left_out_and_told() -> None:
    """A device on which the model does not run is out, with the reason."""
    choice = choose((ran(CPU), Unfit("GPU", "the probe crashed by signal 11")))

    assert choice.device == CPU
    assert "GPU is left out: the probe crashed by signal 11" in choice.why


@pytest.mark.parametrize("results", [(), (Unfit(CPU, "no"), Unfit("GPU", "no"))])
def test_without_numbers_it_is_the_cpu(results: tuple[Result, ...]) -> None:
    """If nothing could be measured the model stays on the CPU, and the reason says so."""
    choice = choose(results)

    assert choice.device == CPU
    assert "no device could be measured" in choice.why


def test_a_cpu_that_fails_leaves_the_others() -> None:
    """Where only a GPU could be measured, it is chosen."""
    assert choose((Unfit(CPU, "too little memory"), ran("GPU"))).device == "GPU"


# ---- measuring ------------------------------------------------------------------------------------------------------


class Clock:
    """Seconds that move when the engine says so."""

    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


class TimedEngine:
    """Takes read_s for each word of a prompt and write_s for each token; the first answer takes `cold_s` longer."""

    capabilities = Capabilities(parallel=1, logprobs="none", seed=True, penalties=True)
    device = CPU

    def __init__(self, clock: Clock, cold_s: float = 5.0, ends_at: int = 10**6, context_tokens: int = 8192) -> None:
        self.context_tokens = context_tokens
        self.prompts: list[str] = []
        self._clock, self._cold_s, self._ends_at = clock, cold_s, ends_at
        self._left = 0

    def start(self, id: int, prompt: Prompt, sampling: Sampling) -> int:
        assert isinstance(prompt, Raw) and sampling.max_tokens
        self.prompts.append(prompt.text)
        self._words = len(prompt.text.split())
        self._left = min(sampling.max_tokens, self._ends_at)
        self._first = True
        return self._words

    def step(self) -> list[tuple[int, Token | Done]]:
        if self._left == 0:
            return [(0, Done("length"))]
        noise = self._cold_s if len(self.prompts) == 1 else (len(self.prompts) % 3) * 0.001
        self._clock.s += self._words * 0.001 + noise if self._first else 0.02
        self._first = False
        self._left -= 1
        return [(0, Token(b"x"))]

    def cancel(self, id: int) -> None:
        raise AssertionError("nothing is cancelled")

    def close(self) -> None:
        raise AssertionError("the process just ends")


def test_the_best_round_counts_and_the_first_answer_does_not() -> None:
    """Times are the least of the rounds, and the cold first answer is in none of them."""
    clock = Clock()
    engine = TimedEngine(clock)

    result = measure(engine, "GPU.0", 2.5, clock)

    assert isinstance(result, Measured)
    assert (result.device, result.load_s, result.context_tokens) == ("GPU.0", 2.5, 8192)
    assert abs(result.short_tokens - SHORT_TOKENS) <= 1 and abs(result.long_tokens - LONG_TOKENS) <= 1
    assert result.short_s == pytest.approx(result.short_tokens * 0.001)
    assert result.long_s == pytest.approx(result.long_tokens * 0.001)
    assert result.token_s == pytest.approx(0.02)
    assert not result.logprobs
    assert len(engine.prompts) == 1 + 2 * ROUNDS


def test_no_prompt_begins_as_another_did() -> None:
    """A prefix cache can't answer for the engine."""
    clock = Clock()
    engine = TimedEngine(clock)

    measure(engine, CPU, 0.0, clock)

    assert len({prompt.split()[0] for prompt in engine.prompts}) == len(engine.prompts)


def test_a_slow_device_is_asked_once() -> None:
    """After one round of more than the limit there is no second."""
    clock = Clock()
    engine = TimedEngine(clock)
    clock_step = engine.step

    def slow() -> list[tuple[int, Token | Done]]:
        clock.s += 1
        return clock_step()

    engine.step = slow  # type: ignore[method-assign]

    assert isinstance(measure(engine, CPU, 0.0, clock), Measured)
    assert len(engine.prompts) == 3


def test_a_small_window_gets_a_shorter_long_prompt() -> None:
    """A model of 512 tokens is measured with what it holds."""
    clock = Clock()

    result = measure(TimedEngine(clock, context_tokens=512), CPU, 0.0, clock)

    assert isinstance(result, Measured)
    assert 250 <= result.long_tokens <= 256


def test_a_model_that_says_nothing_is_unfit() -> None:
    """Where each answer is one token there is no rate, and so no number that could be compared."""
    clock = Clock()

    assert isinstance(measure(TimedEngine(clock, ends_at=1), CPU, 0.0, clock), Unfit)


def test_an_engines_error_is_the_callers() -> None:
    """What the engine can't do is not turned into a number."""
    clock = Clock()
    engine = TimedEngine(clock)

    def broken() -> list[tuple[int, Token | Done]]:
        raise Unavailable("no")

    engine.step = broken  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        measure(engine, CPU, 0.0, clock)
