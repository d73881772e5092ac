"""List prices of cloud models, as their makers published them: for what tokens cost, or would have cost.

Each row has its source and the day when that was read. Where a maker gives no price for reading the cache, it is a tenth of
the input, as for its other models. A price that changed stands here as it was last: what was paid earlier was more. Batches,
which cost less, are not told apart, since nobody asks for them here. A model that isn't here has no price, and nobody
guesses one: `[prices]` in settings.toml names what its provider takes.

Money is counted in whole nano-USD, rounded once for each call, so that sums are exact.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from msgspec import Struct

AS_OF: Final = "2026-11-30"
"""When the sources below were read last."""
CLAUDE: Final = "platform.claude.com/docs/en/about-claude/pricing"
GPT: Final = (
    "developers.openai.com/api/docs/models; of models that it lists no more: github/docs, models-and-pricing.yml"
)
NANO: Final = 1_000_000_000
"""Nano-USD in one."""


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
    """USD for a million tokens, to six places. cached, stored, stored_long: of the prompt, see Tokens; None: as if it were
    read. long: None: any length costs the same.
    """

    read: float
    written: float
    cached: float | None = None
    stored: float | None = None
    stored_long: float | None = None
    long: Long | None = None

    def cost_nano(self, tokens: Tokens) -> int:
        """Of one request, in nano-USD: exact but for what is less than one."""
        read = _pico(self.read)
        prompt: int | Fraction = (
            tokens.read * read
            + tokens.cached * (read if self.cached is None else _pico(self.cached))
            + tokens.stored * (read if self.stored is None else _pico(self.stored))
            + tokens.stored_long * (read if self.stored_long is None else _pico(self.stored_long))
        )
        answer: int | Fraction = tokens.written * _pico(self.written)
        if self.long is not None and tokens.prompt > self.long.above:
            prompt, answer = prompt * Fraction(self.long.prompt), answer * Fraction(self.long.answer)
        return round(Fraction(prompt + answer, 1000)) if prompt + answer else 0

    def cost_usd(self, tokens: Tokens) -> float:
        """Of one request."""
        return self.cost_nano(tokens) / NANO

    def most_nano(self, prompt: int, written: int) -> int:
        """What so many tokens can come to, however the provider's cache takes the prompt."""
        dearest = max(self.read, self.cached or 0.0, self.stored or 0.0, self.stored_long or 0.0)
        return Price(dearest, self.written, long=self.long).cost_nano(Tokens(prompt, written=written))


def _pico(usd_per_1m: float) -> int:
    """For one token, in pico-USD."""
    return round(usd_per_1m * 1_000_000)


class Row(Struct, frozen=True):
    """A model's list price. source: where it was read; as_of: when."""

    price: Price
    source: str
    as_of: str = AS_OF


def _claude(read: float, written: float, cached_share: float = 0.1, long: Long | None = None) -> Row:
    """Writing the cache costs a quarter more than reading for five minutes, and twice as much for an hour."""
    return Row(Price(read, written, round(read * cached_share, 6), read * 1.25, read * 2, long), CLAUDE)


def _gpt(read: float, written: float, *, stores: bool = False, long: Long | None = None) -> Row:
    """stores: whether writing the cache costs a quarter more than reading."""
    store = read * 1.25 if stores else read
    return Row(Price(read, written, round(read * 0.1, 6), store, store, long), GPT)


_LONG: Final = Long(272_000, 2, 1.5)
PRICES: Final[dict[str, Row]] = {
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
    """Of a model, as `row` finds it. None: unknown."""
    found = row(model)
    return found.price if found else None


def row(model: str) -> Row | None:
    """Of a model, by the name that a log has for it: with a provider before it, a date or a window behind it. None:
    unknown.
    """
    name = model.lower().rpartition("/")[2].partition("[")[0].partition("@")[0].partition(":")[0]
    name = re.sub(r"^(?:[a-z]{2,6}\.)?anthropic\.", "", name)
    return PRICES.get(_DATED.sub("", re.sub(r"-v\d+$", "", name)))
