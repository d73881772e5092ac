"""A text said with less: whoever could be guessed becomes `someone`, dates, ages, places and sums become vague.

Not to be turned back, by design: what was there is in no key. A sentence that asks for something keeps all that stands
between its facts, each of which is replaced by what its kind allows to say. One that only tells of somebody is replaced as a
whole, by whom and what kind of matter it is about: where facts come together, the words between them tell as much. If
somebody could still be guessed afterwards, or in doubt, there is no result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from daemon.signals.implicit.facts import SENTENCE, Fact, facts_in
from daemon.signals.implicit.heads import ORGANIZATIONS, PERSONS
from daemon.signals.implicit.identity import Told, told_of

ROUNDS: Final = 3
"""A replaced fact may let another be seen. More would say that words don't end."""
TASK: Final = re.compile(
    r"\?|\b(?:write|draft|summari[sz]e|explain|help|suggest|give|create|compose|rewrite|translate|prepare|generate|review|analy[sz]e|"
    r"list|tell|advise|recommend|find|make|plan|describe|edit|proofread|respond|reply|answer|check|fix|improve|outline|brainstorm|propose|"
    r"can you|could you|please|how|what|why|should|shall|need|want|would like|looking for)\b",
    re.IGNORECASE,
)
"""What makes a sentence one that asks for something."""
_MATTERS: Final = {
    "health": """
        diagnos cancer leuk tumou?r diabet hiv aids epilep autis adhd ptsd bipolar depress schizo anorex bulim alcohol
        addict dement alzheim parkinson sclerosis fibrosis lupus asthma stroke heart infertil ivf surgery transplant
        amput hospital rehab relapse overdose disab wheelchair blind deaf
    """,
    "law": """
        arrest indict convict sued lawsuit acquit charged fraud embezz deport evict custody
    """,
    "work": """
        resign fired sacked laid oust step suspend promot retire hired layoff strike walkout
    """,
    "family": """
        divorc marri engag pregnan birth miscarr adopt widow single
    """,
    "an incident": """
        died death suicide surviv accident crash explos fire flood earthq shoot stabb assault kidnap rescue
    """,
    "success": """
        won win award record medal champion olymp elect scored invent patent discover found launch memoir documentary
        viral
    """,
    "business": """
        bankrupt merg acqui ipo public recall outage breach hack leak whistle sold
    """,
    "conduct": """
        scandal affair misconduct harass protest
    """,
}
_BEGINNINGS: Final = {matter: tuple(words.split()) for matter, words in _MATTERS.items()}
"""What an event or a condition is about, told by its beginning."""
_SAID_INSTEAD: Final = "|".join(sorted({*PERSONS.values(), *ORGANIZATIONS.values()}, key=len, reverse=True))
_SOMEBODY: Final = re.compile(rf"\b(?:{_SAID_INSTEAD})\b", re.IGNORECASE)
_SUMMARY: Final = re.compile(r"\s*It is about ")
_NAME: Final = re.compile(r"(?<=[a-z,] )(?!I\b|CV\b|HR\b|LinkedIn\b)[A-Z]\w+")
_TELLING: Final = frozenset({"event", "condition", "apart", "age"})
_POSSESSIVE: Final = re.compile(r"[’']s\Z")
_DOUBLE: Final = re.compile(r"[ \t]{2,}")
_BEFORE_MARK: Final = re.compile(r"[ \t]+([,.;:?!])")
_AGAIN: Final = re.compile(r"\b(somewhere|recently|some time ago|for some time)(?:,?\s+\1\b)+", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+")
KEPT_AT_LEAST: Final = 0.2
"""Of a text's words: what loses more has lost its question too."""


class Reduced(Struct, frozen=True):
    """A text that tells less. changes: how many facts of which kind were taken out."""

    text: str
    changes: Mapping[str, int]


def reduced(text: str) -> Reduced | None:
    """A text in which nobody can be guessed any more; None if there is none. Equal to the text if nobody could be."""
    changes: Counter[str] = Counter()
    now = text
    for _ in range(ROUNDS):
        told = told_of(now)
        if not told:
            break
        before = now
        now = _said_with_less(now, told, changes)
        if now == before:
            break
    if told_of(now) or (changes and (not _keeps_its_question(text, now) or still_tells(now))):
        return None
    return Reduced(now, dict(changes))


def _said_with_less(text: str, told: list[Told], changes: Counter[str]) -> str:
    out: list[str] = []
    at = 0
    for sentence in _sentences(text, told):
        out.append(text[at : sentence.start])
        at = sentence.end
        asks = TASK.search(text, sentence.start, sentence.end) is not None
        out.append(_phrases(text, sentence, changes) if asks else _summary(text, sentence, changes))
    made = "".join((*out, text[at:]))
    return _AGAIN.sub(r"\1", _BEFORE_MARK.sub(r"\1", _DOUBLE.sub(" ", made)))


def _sentences(text: str, told: list[Told]) -> list[Told]:
    """The sentences of what is told, each with its facts; those without any left out."""
    return [
        Told(*found.span(), facts)
        for each in told
        for found in SENTENCE.finditer(text, each.start, each.end)
        if (facts := tuple(fact for fact in each.facts if found.start() <= fact.start < found.end()))
    ]


def _phrases(text: str, told: Told, changes: Counter[str]) -> str:
    """A sentence with each of its facts said with less."""
    out: list[str] = []
    at = told.start
    for fact in _outermost([fact for fact in told.facts if fact.instead is not None]):
        changes[fact.kind] += 1
        out += (text[at : fact.start], _instead(text, fact))
        at = fact.end
    return "".join((*out, text[at : told.end]))


def _summary(text: str, told: Told, changes: Counter[str]) -> str:
    """Whom a sentence is about, and what kind of matter."""
    about = [fact for fact in told.facts if fact.kind in ("event", "condition")]
    matters = dict.fromkeys(filter(None, (_matter(text[fact.start : fact.end].lower()) for fact in about)))
    who = next((fact.instead for fact in told.facts if fact.kind in ("person", "organization") and fact.instead), None)
    if who is None and "person" in told.kinds:
        who = "them"
    if who is None and "self" not in told.kinds:
        return _phrases(text, told, changes)
    changes.update(fact.kind for fact in told.facts if fact.kind not in ("self", "near", "told"))
    subject = who or "me"
    said = f"It is about {subject}{f' and a matter of {_listed(matters)}' if matters else ''}."
    lead = text[told.start : told.end]
    return lead[: len(lead) - len(lead.lstrip())] + said + lead[len(lead.rstrip()) :]


def _matter(said: str) -> str | None:
    """The kind of which a word's longest known beginning is."""
    known = [(len(word), matter) for matter, words in _BEGINNINGS.items() for word in words if said.startswith(word)]
    return max(known)[1] if known else None


def _listed(matters: Iterable[str]) -> str:
    return " and ".join(matters)


def _outermost(facts: list[Fact]) -> list[Fact]:
    """Those inside none other; of two that overlap the first, up to the end of both."""
    kept: list[Fact] = []
    for fact in sorted(facts, key=lambda fact: (fact.start, -fact.end)):
        if kept and fact.start < kept[-1].end:
            if fact.end > kept[-1].end:
                last = kept[-1]
                kept[-1] = Fact(last.start, fact.end, last.kind, last.instead)
        else:
            kept.append(fact)
    return kept


def _instead(text: str, fact: Fact) -> str:
    said = fact.instead or ""
    old = text[fact.start : fact.end]
    opens = not text[: fact.start].strip() or text[: fact.start].rstrip()[-1:] in '.!?:\n"“'
    if _POSSESSIVE.search(old) and said:
        said += "'s"
    return said[:1].upper() + said[1:] if opens and old[:1].isupper() else said


def still_tells(text: str) -> bool:
    """Whether beside somebody who is said with less stands an event, a condition or a name: in doubt that is enough."""
    return any(
        _SOMEBODY.search(sentence[0]) is not None
        and (
            _NAME.search(sentence[0]) is not None
            or any(fact.kind in _TELLING for fact in facts_in(text, *sentence.span()))
        )
        for sentence in SENTENCE.finditer(text)
        if not _SUMMARY.match(sentence[0])
    )


def _keeps_its_question(old: str, new: str) -> bool:
    had, has = Counter(_WORD.findall(old.lower())), Counter(_WORD.findall(new.lower()))
    kept = sum((had & has).values())
    return kept >= KEPT_AT_LEAST * sum(had.values()) and old.count("?") <= new.count("?") + 1
