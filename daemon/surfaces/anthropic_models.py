"""The model list in Anthropic's shape, for who sends `anthropic-version` to the address that OpenAI's list has too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daemon.errors import BadRequest
from daemon.surfaces.listing import Offer
from providers.wire import anthropic as wire

DEFAULT_LIMIT: Final = 20
MOST: Final = 1000
_UNKNOWN_DATE: Final = "1970-01-01T00:00:00Z"
"""What Anthropic's reference asks for where the day of a model's release isn't known."""


def entry(offer: Offer) -> wire.Model:
    """One name."""
    return wire.Model(offer.name, offer.name, _UNKNOWN_DATE, offer.context_tokens)


def page(offers: list[Offer], asked: Mapping[str, str]) -> wire.ModelPage:
    """The names that can write messages, from `after_id` on or up to `before_id`. Raises BadRequest."""
    names = [offer for offer in offers if not (offer.decides or offer.embeds)]
    limit = _limit(asked.get("limit"))
    start, end = 0, len(names)
    if after := asked.get("after_id"):
        start = _place(names, after, "after_id") + 1
    if before := asked.get("before_id"):
        end = _place(names, before, "before_id")
    listed = names[start:end][-limit:] if before else names[start:end][:limit]
    entries = [entry(offer) for offer in listed]
    first, last = (entries[0].id, entries[-1].id) if entries else (None, None)
    return wire.ModelPage(entries, len(listed) < end - start, first, last)


def _limit(text: str | None) -> int:
    if text is None:
        return DEFAULT_LIMIT
    if not (text.isascii() and text.isdecimal() and len(text) < 5 and 1 <= int(text) <= MOST):
        raise BadRequest(f"limit is a number from 1 to {MOST}", "limit")
    return int(text)


def _place(names: list[Offer], wanted: str, parameter: str) -> int:
    for place, offer in enumerate(names):
        if offer.name == wanted:
            return place
    raise BadRequest(f"{parameter} names no model of the list", parameter)
