"""How fast a local model reads and writes, as measured on its own answers, and what an answer would take."""

from __future__ import annotations

from typing import Final

from providers.contract import Usage

MEMORY: Final = 0.2
"""The weight of the newest answer; the fifth before it still counts a third."""
MIN_TOKENS: Final = 8
"""Shorter prompts and answers measure overhead, not speed."""


class Rates:
    """Tokens per second; None until measured."""

    def __init__(self) -> None:
        self.reading: float | None = None
        self.writing: float | None = None

    def learn(self, usage: Usage, reading_s: float, writing_s: float) -> None:
        """Take one answer in. reading_s: to its first token. writing_s: from there to its end."""
        if usage.prompt_tokens >= MIN_TOKENS and reading_s > 0:
            self.reading = _mixed(self.reading, usage.prompt_tokens / reading_s)
        if usage.completion_tokens >= MIN_TOKENS and writing_s > 0:
            self.writing = _mixed(self.writing, usage.completion_tokens / writing_s)

    def predict_s(self, prompt_tokens: float, answer_tokens: float) -> float | None:
        """Seconds to a whole answer with nothing else running. None if nothing was measured yet."""
        if self.reading is None or self.writing is None:
            return None
        return prompt_tokens / self.reading + answer_tokens / self.writing


def _mixed(old: float | None, new: float) -> float:
    return new if old is None else old + MEMORY * (new - old)
