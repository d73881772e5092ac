"""What the privacy signals see in texts, as classes and digests: the values themselves go no further than this module.

It is the boundary's own look: every privacy signal of the table, then `judge` with the preset `balanced`, and what that
would have masked is a find. Two finds are the same value if their keyed digests are; the key is random and dies with
the process.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from secrets import token_bytes
from typing import Final

from msgspec import Struct

from daemon.boundary.judge import judge
from daemon.boundary.policy import Policy
from daemon.errors import ModelMissing
from daemon.recipes.signals import Signals
from daemon.settings import Dictionary
from daemon.signals.base import Asked, Kind, Observation, Signal
from daemon.signals.dictionary import Shelf
from daemon.signals.forward import Forward
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts
from daemon.signals.registry import FAMILIES
from daemon.signals.task_shape import HEAD
from providers.contract import Message, Request, Text
from providers.texts import Field

DIGEST_BYTES: Final = 16
DEMANDING: Final = frozenset({"code", "math", "tool_call"})
"""Kinds of work, in the words of the head `task_shape`, that are not counted as easy for a small model."""
MAX_WORDS_CHARS: Final = 8_000
"""What is asked for stands at the beginning of a prompt; a pasted file behind it need not be read for that."""
_SEPARATORS: Final = re.compile(r"[\s()./-]+")


class Find(Struct, frozen=True):
    """A value that was found. signal: pii or secret. label: its class."""

    signal: str
    label: str
    digest: bytes


class Finder:
    """Looks at texts. Call `close` at the end. deep: with votes of the trained head on what users said. Not on files and
    results of tools: they are most of a log, and the head reads 0.02 to 0.04 MB a second, where rules read 5 to 9
    (bench_audit.py, CPU time). heads: None: the shipped ones. dictionary: the
    user's own words, and values that are no findings.

    Raises ModelMissing if the heads are asked for and not here.
    """

    def __init__(
        self, *, deep: bool = False, heads: Forward | None = None, dictionary: Dictionary | None = None
    ) -> None:
        words = dictionary or Dictionary()
        shelf = Shelf(words)
        self._harmless = frozenset(map(str.casefold, words.harmless))
        self._parts = Parts(heads, guard=True, votes=False, dictionary=shelf)
        self._families = _families(self._parts)
        self._for_users = self._families
        if deep:
            try:
                self._parts.heads.head(HEAD)
            except Unread as error:
                raise ModelMissing("the signal models are not here: install Nearloop from its package") from error
            voting = Parts(self._parts.heads, self._parts.vectors, guard=True, dictionary=shelf)
            self._for_users = _families(voting)
        self._key = token_bytes(32)
        self.unread = 0
        """Texts that the trained heads could not read, so that rules alone did."""

    def close(self) -> None:
        """Give memory back."""
        self._parts.close()

    def demanding(self, words: str) -> bool:
        """Whether words ask for work that small models are weak at, by the trained head; what it can't read counts as
        such.
        """
        try:
            threshold = self._parts.heads.head(HEAD).threshold
            chances = self._parts.heads.whole(HEAD, words[:MAX_WORDS_CHARS], lambda: True)
        except Unread:
            return True
        best = max(chances, key=lambda kind: chances[kind])
        return best in DEMANDING and chances[best] >= threshold

    def look(self, texts: tuple[str, ...], *, by_user: bool = False) -> frozenset[Find]:
        """All values in them, each once. by_user: they are the user's own words, which the trained heads read as well."""
        if not texts:
            return frozenset()
        asked = _asked(texts)
        seen: list[Observation] = []
        for family, by_rules in zip(self._for_users if by_user else self._families, self._families, strict=True):
            try:
                seen += family.look(asked)
            except Unread:
                self.unread += 1
                seen += by_rules.look(asked)
        words = {field.path: field.text for field in asked.fields}
        values = {span: words[span.path][span.start : span.end] for each in seen for span in each.spans}
        harmless = frozenset(span for span, value in values.items() if value.casefold() in self._harmless)
        masked = set(judge(seen, (), Policy("balanced"), "any", harmless).spans)
        return frozenset(
            Find(each.signal, span.label, self._digest(each.signal, values[span]))
            for each in seen
            for span in each.spans
            if span in masked
        )

    def _digest(self, signal: str, value: str) -> bytes:
        """The same for a card or a telephone number however it is spaced."""
        same = _SEPARATORS.sub("", value).casefold() if signal == "pii" else value
        return blake2b(same.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES, key=self._key).digest()


def _families(parts: Parts) -> list[Signal]:
    """All privacy signals of the table."""
    return [family for family in (make(Signals(), parts) for make in FAMILIES.values()) if family.kind is Kind.PRIVACY]


def _asked(texts: tuple[str, ...]) -> Asked:
    fields = tuple(Field(f"messages[0].parts[{n}]", text) for n, text in enumerate(texts))
    parts = tuple(Text(text) for text in texts)
    return Asked(
        Request(id="0" * 16, model="auto", protocol="audit", messages=(Message("user", parts),)),
        fields,
    )
