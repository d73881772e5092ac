"""One text through the boundary, without a daemon: what would leave, to the byte.

The same parts as a request's: the signals with the votes of the trained heads, `judge`, `clear`, and the body that the
provider's client would send. Not part of it: a model that rewrites, approvals, projects, recipes, and what a daemon has
learned of a session.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import inf
from typing import Any, Final

from msgspec import Struct

from daemon.boundary.clear import Passage, clear
from daemon.boundary.judge import IDENTIFYING, Clearance, judge
from daemon.boundary.policy import Policy
from daemon.boundary.reduction.request import reduced_request
from daemon.boundary.restorer import Index, Restorer
from daemon.boundary.vault import Vault
from daemon.errors import Refused
from daemon.recipes.signals import Signals
from daemon.settings import Dictionary
from daemon.signals.base import Kind, Span
from daemon.signals.dictionary import Shelf
from daemon.signals.observe import Observer
from daemon.signals.parts import Parts
from daemon.signals.registry import BOUNDARY
from providers.cleared import Place
from providers.contract import Message, Request, Text
from providers.families.openai_chat import body_of
from providers.texts import fields

MODEL: Final = "cloud"
_KEY: Final = bytes(32)
"""Of the aliases: always the same, since nothing is sent, and so that a second run gives the same figures."""


class Crossing(Struct, frozen=True):
    """What became of a text. kept: why nothing leaves; empty if it does. masked: the text as it leaves. arrived: all texts
    of the body that is sent. back: the masked text with its aliases turned back. found: what was found, with places.
    """

    kept: tuple[str, ...]
    found: tuple[Span, ...]
    masked: str = ""
    arrived: str = ""
    body_bytes: int = 0
    passage: Passage | None = None

    def back(self, text: str) -> str:
        """An answer's text as the client would get it."""
        if self.passage is None:
            return text
        restorer = Restorer(Index(self.passage.aliases))
        return restorer.feed(text) + restorer.finish()


class Corridor:
    """Call `close` at the end. policy: the one that is measured. dictionary: the user's own words, and harmless values."""

    def __init__(self, policy: Policy, dictionary: Dictionary | None = None, *, votes: bool = True) -> None:
        words = dictionary or Dictionary()
        self._policy = policy
        self._harmless = frozenset(map(str.casefold, words.harmless))
        asked = frozenset(name for name in BOUNDARY if policy.treatment(name, name) != "pass")
        self._parts = Parts(guard=True, votes=votes, dictionary=Shelf(words), reduce=asked)
        self._observer = Observer(Signals(), self._parts, deadline_s=inf)
        self._vault = Vault(_KEY)

    def close(self) -> None:
        """Give memory back."""
        self._observer.close()
        self._parts.close()

    async def cross(self, text: str) -> Crossing:
        """Take one text as a user's only message."""
        request = Request(id="0" * 16, model=MODEL, protocol="openai-chat", messages=(Message("user", (Text(text),)),))
        clearance, found = await self._judged(request)
        if clearance.why == (IDENTIFYING,) and (less := reduced_request(request).request) is not None:
            request = less
            clearance, _ = await self._judged(less)
        if clearance.reach == "device":
            return Crossing(clearance.why, found)
        try:
            passage = clear(request, clearance, Place.CLOUD, self._vault)
        except Refused:
            return Crossing(("not-maskable",), found)
        body = body_of(passage.cleared.request, MODEL)
        (message,) = passage.cleared.request.messages
        (part,) = message.parts
        assert isinstance(part, Text)
        arrived = "\n".join(_strings(json.loads(body)))
        return Crossing((), clearance.spans, part.text, arrived, len(body), passage)

    async def _judged(self, request: Request) -> tuple[Clearance, tuple[Span, ...]]:
        """How far a request may travel, and what was found in it."""
        texts = {field.path: field.text for field in fields(request)}
        seen = await self._observer.observe(request)
        spans = [span for each in seen if each.kind is Kind.PRIVACY for span in each.spans]
        known = {span for span in spans if texts[span.path][span.start : span.end].casefold() in self._harmless}
        clearance = judge(seen, (), self._policy, "any", frozenset(known))
        return clearance, tuple(span for span in spans if span not in known)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
