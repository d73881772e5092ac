"""Whether somebody who isn't named could be guessed by what a text tells of them, and where it tells it.

Not validated: the words and the counts are chosen by reasoning and held to cases of our own.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from daemon.signals.base import Found, Kind
from daemon.signals.implicit.facts import SENTENCE, Fact, facts_in
from daemon.signals.implicit.particular import is_made_up, tells_of_one

LABEL: Final = "IMPLICIT_IDENTITY"
BESIDE_SOMEBODY: Final = 2
"""So many further kinds of facts about a person or an organisation are taken to be enough to guess them."""
BESIDE_ONESELF: Final = 3
"""And so many about whoever writes."""
_OF_NOBODY: Final = frozenset({"self", "person", "organization"})
_ENOUGH: Final = frozenset({"apart", "told"})
"""Of these one is enough: they set somebody apart, or much is told."""
_ASKS: Final = re.compile(
    r"\s*(?:who|what|when|where|which|why|how|is|are|was|were|did|does|do|can(?! you\b)|name|list|define|explain|"
    r"tell me about|describe|compare)\b",
    re.IGNORECASE,
)
_TO_ME: Final = re.compile(r"\b(?:tell|give|show|teach) me\b", re.IGNORECASE)
_ACTUAL: Final = re.compile(
    r"\b(?:I|I'm|I’m|my|we|our|us|me|draft|write|rewrite|email|e-mail|letter|memo|summari[sz]e|report|note|message|reply|post|"
    r"tweet|review|minutes|statement|announcement|translate|proofread|edit|should(?!\s+(?:an?|one|people|adults|children)\b)|legal|allowed|rights|"
    r"liable|options|defamation|referral|is it (?:ok|okay|fine|rude|wrong|fair))\b",
    re.IGNORECASE,
)
"""By what a text about somebody is told from a question about the world."""


class Told(Struct, frozen=True):
    """Sentences that tell of somebody together, and their facts."""

    start: int
    end: int
    facts: tuple[Fact, ...]

    @property
    def kinds(self) -> frozenset[str]:
        """Which kinds of facts there are."""
        return frozenset(fact.kind for fact in self.facts)


class ImplicitIdentity:
    """The rule."""

    signal = "implicit"
    kind = Kind.PRIVACY

    def find(self, text: str) -> tuple[Found, ...]:
        """All facts of those who could be guessed, in order, none on another."""
        out: list[Found] = []
        for told in told_of(text):
            for fact in told.facts:
                if fact.kind in ("self", "told"):
                    continue
                if out and fact.start < out[-1].end:
                    out[-1] = Found(out[-1].start, max(out[-1].end, fact.end), LABEL)
                else:
                    out.append(Found(fact.start, fact.end, LABEL))
        return tuple(out)


def told_of(text: str) -> list[Told]:
    """Of those who could be guessed: two sentences that follow each other are taken together."""
    if is_made_up(text):
        return []
    actual = _ACTUAL.search(_TO_ME.sub("", text)) is not None
    sentences = [
        Told(*found.span(), tuple(facts_in(text, *found.span())))
        for found in SENTENCE.finditer(text)
        if found[0].strip() and (actual or not _ASKS.match(found[0]) or tells_of_one(found[0]))
    ]
    told: list[Told] = []
    for number, sentence in enumerate(sentences):
        pair = sentences[number : number + 2]
        together = Told(pair[0].start, pair[-1].end, tuple(fact for each in pair for fact in each.facts))
        if _guessable(sentence.kinds):
            together = sentence
        elif not _guessable(together.kinds):
            continue
        if told and together.start < told[-1].end:
            later = tuple(fact for fact in together.facts if fact.start >= told[-1].end)
            together = Told(told[-1].start, max(told[-1].end, together.end), (*told.pop().facts, *later))
        told.append(together)
    return told


def _guessable(kinds: frozenset[str]) -> bool:
    beside = len(kinds - _OF_NOBODY)
    somebody = bool(kinds & {"person", "organization"})
    if somebody and kinds & _ENOUGH:
        return True
    return (somebody and beside >= BESIDE_SOMEBODY) or ("self" in kinds and beside >= BESIDE_ONESELF)
