"""How fast a local model reads and writes, as measured on its own answers, and what an answer would take.

Theory of operation. How many tokens a second are read depends on how many there are: a few words take as long as the
first step does, and long prompts slow down by their own length. So speeds of reading are kept by length, in steps of four
times. What was read at another length speaks for a prompt where it can't flatter the machine: a longer prompt always, a
shorter one from SETTLED_TOKENS on. A try that was given up before its first word teaches as well: so fast it is at most.
Nothing is believed for ever, since who is never asked again can't show that it has become faster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

from msgspec import Meta, Struct

from providers.contract import Usage

MEMORY: Final = 0.2
"""The weight of the newest answer; the fifth before it still counts a third."""
MIN_TOKENS: Final = 8
"""Shorter prompts and answers measure overhead, not speed."""
MIN_WAITED_S: Final = 0.5
"""Who was given up on sooner than that shows nothing."""
SETTLED_TOKENS: Final = 512
"""From here on the first step weighs little beside the reading itself."""
BELIEVED_S: Final = 3600.0
"""So old a measurement is not held against a model any more: one try is the price of a new one."""


_Speed = Annotated[float, Meta(gt=0)]


class Speeds(Struct, frozen=True):
    """Tokens a second. reading: by level of length. writing: None until measured."""

    reading: dict[int, _Speed] = {}
    writing: _Speed | None = None


class Rates:
    """Of one model on one device. known: what was measured before; it counts as measured now."""

    def __init__(self, now: Callable[[], float], known: Speeds = Speeds()) -> None:  # noqa: B008  # frozen
        self._now = now
        self._reading = {level: (rate, now()) for level, rate in known.reading.items()}
        self._writing = known.writing
        self.changed = False
        """Whether something was learned that nobody has kept yet."""

    @property
    def speeds(self) -> Speeds:
        """As they are kept."""
        return Speeds({level: rate for level, (rate, _) in sorted(self._reading.items())}, self._writing)

    def read(self, prompt_tokens: int, took_s: float) -> None:
        """Take in how long a prompt took up to its first word."""
        if prompt_tokens < MIN_TOKENS or took_s <= 0:
            return
        level, rate = _level(prompt_tokens), prompt_tokens / took_s
        old = self._fresh(level)
        self._reading[level] = (rate if old is None else old + MEMORY * (rate - old), self._now())
        self.changed = True

    def given_up(self, prompt_tokens: int, after_s: float) -> None:
        """Take in that a prompt had no first word after so long."""
        if prompt_tokens < MIN_TOKENS or after_s < MIN_WAITED_S:
            return
        level, most = _level(prompt_tokens), prompt_tokens / after_s
        old = self._fresh(level)
        if old is None or most < old:
            self._reading[level] = (most, self._now())
            self.changed = True

    def wrote(self, usage: Usage, took_s: float) -> None:
        """Take in how long a whole answer took from its first word on."""
        if usage.completion_tokens >= MIN_TOKENS and took_s > 0:
            rate = usage.completion_tokens / took_s
            self._writing = rate if self._writing is None else self._writing + MEMORY * (rate - self._writing)
            self.changed = True

    def first_word_s(self, prompt_tokens: float) -> float | None:
        """Seconds to the first word of an answer with nothing else running. None if nothing speaks for it."""
        rate = self._rate(_level(round(prompt_tokens)))
        return None if rate is None else prompt_tokens / rate

    def predict_s(self, prompt_tokens: float, answer_tokens: float) -> float | None:
        """Seconds to the end of an answer, at least: what nothing speaks for counts nothing. None if nothing does at all."""
        first_s = self.first_word_s(prompt_tokens)
        if first_s is None and self._writing is None:
            return None
        return (first_s or 0.0) + (answer_tokens / self._writing if self._writing else 0.0)

    def _rate(self, level: int) -> float | None:
        longer = [each for each in sorted(self._reading) if each >= level]
        shorter = [each for each in sorted(self._reading, reverse=True) if _level(SETTLED_TOKENS) <= each < level]
        return next((rate for each in longer + shorter if (rate := self._fresh(each)) is not None), None)

    def _fresh(self, level: int) -> float | None:
        rate, at = self._reading.get(level, (None, 0.0))
        return rate if self._now() - at < BELIEVED_S else None


def _level(tokens: int) -> int:
    """Lengths of the same level differ by less than four times."""
    return tokens.bit_length() // 2
