"""List prices of cloud models, as their makers published them: for what a log's tokens would have cost, and a receipt's.

Sources, read on 30 November 2026: platform.claude.com/docs/en/about-claude/pricing for Claude (writes are those that
live five minutes), developers.openai.com/api/docs/models and its pages of single models for GPT, and for those of them
that are no longer listed there GitHub's table of the same prices (github/docs,
data/tables/copilot/models-and-pricing.yml). Where a maker gives no price for reading the cache, it is a tenth of the
input, as for its other models. A price that changed stands here as it was last: what was paid earlier was more. A model
that isn't here has no price, and nobody guesses one.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

AS_OF: Final = "2026-11-30"


class Tokens(Struct, frozen=True):
    """What one request took. read: of the prompt, new to the provider. cached: of the prompt, read from its cache.
    stored: of the prompt, written to its cache for five minutes. stored_long: for an hour. written: the answer.
    """

    read: int = 0
    cached: int = 0
    stored: int = 0
    stored_long: int = 0
    written: int = 0

    @property
    def prompt(self) -> int:
        """All that was read."""
        return self.read + self.cached + self.stored + self.stored_long


class Long(Struct, frozen=True):
    """From how many tokens of prompt on a request costs more, and how many times as much its prompt and its answer do."""

    above: int
    prompt: float
    answer: float


class Price(Struct, frozen=True):
    """USD for a million tokens. cached, stored, stored_long: of the prompt, see Tokens. long: None: any length costs
    the same.
    """

    read: float
    written: float
    cached: float
    stored: float
    stored_long: float
    long: Long | None = None

    def cost_usd(self, tokens: Tokens) -> float:
        """Of one request."""
        prompt = (
            tokens.read * self.read
            + tokens.cached * self.cached
            + tokens.stored * self.stored
            + tokens.stored_long * self.stored_long
        )
        answer = tokens.written * self.written
        if self.long is not None and tokens.prompt > self.long.above:
            prompt, answer = prompt * self.long.prompt, answer * self.long.answer
        return (prompt + answer) / 1_000_000


def _claude(read: float, written: float, cached_share: float = 0.1, long: Long | None = None) -> Price:
    return Price(read, written, read * cached_share, read * 1.25, read * 2, long)


def _gpt(read: float, written: float, *, stores: bool = False, long: Long | None = None) -> Price:
    """stores: whether writing the cache costs a quarter more than reading."""
    store = read * 1.25 if stores else read
    return Price(read, written, read * 0.1, store, store, long)


_LONG: Final = Long(272_000, 2, 1.5)
PRICES: Final[dict[str, Price]] = {
    "claude-fable-5-1": _claude(10, 50, 0.025),
    "claude-fable-5": _claude(10, 50),
    "claude-opus-5-5": _claude(4, 20, 0.05),
    "claude-opus-5": _claude(5, 25),
    "claude-opus-4-8": _claude(5, 25),
    "claude-opus-4-7": _claude(5, 25),
    "claude-opus-4-6": _claude(5, 25),
    "claude-opus-4-5": _claude(5, 25),
    "claude-opus-4-1": _claude(15, 75),
    "claude-opus-4": _claude(15, 75),
    "claude-sonnet-5-5": _claude(2, 10, 0.05),
    "claude-sonnet-5": _claude(2, 10),
    "claude-sonnet-4-6": _claude(3, 15),
    "claude-sonnet-4-5": _claude(3, 15),
    "claude-sonnet-4": _claude(3, 15),
    "claude-3-7-sonnet": _claude(3, 15),
    "claude-haiku-5-5": _claude(0.1, 0.5, long=Long(100_000, 5, 5)),
    "claude-haiku-4-5": _claude(1, 5),
    "claude-3-5-haiku": _claude(0.8, 4),
    "gpt-6.2-astra": _gpt(8, 40, stores=True, long=_LONG),
    "gpt-6.2-sol": _gpt(2, 10, stores=True, long=_LONG),
    "gpt-6.1-sol": _gpt(2, 10, stores=True, long=_LONG),
    "gpt-6.1-terra": _gpt(1, 5, stores=True, long=_LONG),
    "gpt-6-astra": _gpt(10, 50, stores=True, long=_LONG),
    "gpt-6-sol": _gpt(2, 10, stores=True, long=_LONG),
    "gpt-6-luna": _gpt(0.1, 0.5, stores=True, long=_LONG),
    "gpt-5.6-sol": _gpt(4, 20, stores=True, long=_LONG),
    "gpt-5.6-terra": _gpt(2, 12, stores=True, long=_LONG),
    "gpt-5.6-luna": _gpt(0.2, 1.2, stores=True, long=_LONG),
    "gpt-5.5": _gpt(5, 30, long=_LONG),
    "gpt-5.4": _gpt(2.5, 15, long=_LONG),
    "gpt-5.4-mini": _gpt(0.75, 4.5),
    "gpt-5.4-nano": _gpt(0.2, 1.25),
    "gpt-5.3-codex": _gpt(1.75, 14),
    "gpt-5-codex": _gpt(1.25, 10),
    "gpt-5": _gpt(1.25, 10),
    "gpt-5-mini": _gpt(0.25, 2),
}
_DATED: Final = re.compile(r"-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$")


def price(model: str) -> Price | None:
    """Of a model, by the name that a log has for it: with a provider before it, a date or a window behind it. None:
    unknown.
    """
    name = model.lower().rpartition("/")[2].partition("[")[0].partition("@")[0].partition(":")[0]
    name = re.sub(r"^(?:[a-z]{2,6}\.)?anthropic\.", "", name)
    return PRICES.get(_DATED.sub("", re.sub(r"-v\d+$", "", name)))
