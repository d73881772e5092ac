"""A text said with less: what of it asks for something stays, what tells of somebody becomes whom and what it is about.

Not to be turned back, by design: what was there is in no key. Where facts come together the words between them tell as
much, so no sentence that only tells is kept, not even one beside it in which nothing was seen: all of them become one
made of a closed list of words. A sentence that asks keeps its asking clause up to where it begins to describe. What is said
instead shares no four characters in a row with what was taken out, as long as there is a wording that doesn't. If the task
is about the very words that would be taken out, if somebody could still be guessed, or in doubt, there is no result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from daemon.boundary.reduction.asking import FEWEST_WORDS, Asking, asking, stating
from daemon.signals.implicit.facts import SENTENCE, Fact, facts_in
from daemon.signals.implicit.heads import ORGANIZATIONS, PERSONS
from daemon.signals.implicit.identity import told_of

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
_SUMMARY: Final = re.compile(r"\s*(?:It is about|About) ")
_NAME: Final = re.compile(r"(?<=[a-z,] )(?!I\b|CV\b|HR\b|LinkedIn\b)[A-Z]\w+")
_TELLING: Final = frozenset({"event", "condition", "apart", "age"})
_ABOUT_ITS_WORDS: Final = re.compile(
    r"\b(?:proof-?read|rephrase|reword|rewrite|paraphrase|translate|shorten|polish|edit|correct|summari[sz]e|grammar|spelling|"
    r"(?:improve|check|review|fix|change|adjust) (?:the |this|my |its |it\b)(?:tone|text|wording|style|mail|e-?mail|letter|"
    r"draft|message|paragraph|sentence)?|make (?:this|it)\b|this (?:text|mail|e-?mail|letter|message|paragraph|draft|note|"
    r"bio|story|summary|passage|statement|post)|the following|respond to this|reply to this|below)\b",
    re.IGNORECASE,
)
"""What asks for work on a text, and can't be done without it."""
_MATERIAL: Final = re.compile(r":\s*\S")
RUN: Final = 4
"""So many characters in a row that stood in what was taken out may not stand in what is said instead, as in aliases."""


class Reduced(Struct, frozen=True):
    """A text that tells less. changes: how many facts of which kind were taken out."""

    text: str
    changes: Mapping[str, int]


def reduced(text: str) -> Reduced | None:
    """A text in which nobody can be guessed any more; None if there is none. Equal to the text if nobody could be."""
    told = told_of(text)
    if not told:
        return Reduced(text, {})
    made = _said_with_less(text)
    if made is None or told_of(made.text) or not _keeps_its_question(text, made.text):
        return None
    return made


def _said_with_less(text: str) -> Reduced | None:
    """None: nothing is asked for, or for work on the words that would be taken out."""
    kept: list[tuple[int, Asking]] = []
    facts: list[Fact] = []
    told = False
    first = None
    for found in SENTENCE.finditer(text):
        if not found[0].strip():
            continue
        here = tuple(facts_in(text, *found.span()))
        asks = asking(text, *found.span(), here)
        if asks is None or not asks.whole:
            facts += here
        if asks is None:
            told = True
            first = len(kept) if first is None else first
        else:
            kept.append((found.start(), asks))
    if not kept:
        return None if _ABOUT_ITS_WORDS.search(text) else _stated(text)
    if any(_ABOUT_ITS_WORDS.search(asks.said) for _, asks in kept):
        return None
    if any(not asks.whole and _MATERIAL.search(text, start) for start, asks in kept):
        told = True
    if sum(asks.words for _, asks in kept) < FEWEST_WORDS and not _matters(text, facts):
        return None
    if any(asks.of for _, asks in kept) and not _matters(text, facts):
        told = False
    rest = "\n".join(asks.said for _, asks in kept)
    gone = _runs(_without(text, [asks.said for _, asks in kept])) - _runs(rest)
    said = [_whole(text, asks, gone) for _, asks in kept]
    if told:
        summary = _summary(text, facts, gone)
        if summary:
            said.insert(first or 0, summary)
    changes: Counter[str] = Counter(fact.kind for fact in facts if fact.kind not in ("self", "near", "told"))
    return Reduced(" ".join(said), dict(changes or {"person": 1}))


def _stated(text: str) -> Reduced | None:
    """Of a text that asks for nothing, what somebody does in it; None if that doesn't stand apart from who it is."""
    said: list[tuple[str, Fact]] = []
    facts: list[Fact] = []
    for found in SENTENCE.finditer(text):
        here = tuple(facts_in(text, *found.span()))
        facts += here
        states = stating(text, *found.span(), here)
        if states is not None and states.of is not None:
            said.append((states.said, states.of))
    if not said:
        return None
    gone = _runs(_without(text, [each for each, _ in said])) - _runs("\n".join(each for each, _ in said))
    made: list[str] = []
    for words, who in said:
        subject = _least_shared((who.instead or "someone", "someone", "they"), gone)
        made.append(f"{subject[:1].upper()}{subject[1:]} {words}.")
    changes: Counter[str] = Counter(fact.kind for fact in facts if fact.kind not in ("self", "near", "told"))
    return Reduced(" ".join(made), dict(changes or {"person": 1}))


def _whole(text: str, asks: Asking, gone: set[str]) -> str:
    """An asking clause as a sentence."""
    if asks.whole:
        return asks.said
    said = asks.said[:1].upper() + asks.said[1:]
    if asks.of is not None:
        said += " " + _least_shared((asks.of.instead or "someone", "someone", "them", "anyone"), gone)
    return said + asks.mark


def _summary(text: str, facts: list[Fact], gone: set[str]) -> str:
    """Whom a text is about, and what kind of matter; empty if each wording would repeat some of it."""
    who = next((fact.instead for fact in facts if fact.kind in ("person", "organization") and fact.instead), None)
    if who is None:
        who = "me" if any(fact.kind == "self" for fact in facts) else "someone"
    matters = _matters(text, facts)
    listed = " and ".join(matters)
    ways = (
        (f"It is about {who} and a matter of {listed}.", f"About {who}: {listed}.", f"About someone: {listed}.")
        if matters
        else ()
    )
    return _least_shared((*ways, f"It is about {who}.", "It is about someone.", "About somebody.", ""), gone)


def _least_shared(ways: Iterable[str], gone: set[str]) -> str:
    """The first of some wordings that repeats nothing of what was taken out, else the last."""
    way = ""
    for way in ways:
        if not _runs(f" {way}") & gone:
            break
    return way


def _runs(text: str) -> set[str]:
    return {text[at : at + RUN] for at in range(len(text) - RUN + 1)}


def _without(text: str, kept: Iterable[str]) -> str:
    for said in kept:
        text = text.replace(said, "\n", 1)
    return text


def _matters(text: str, facts: list[Fact]) -> tuple[str, ...]:
    about = [fact for fact in facts if fact.kind in ("event", "condition")]
    return tuple(dict.fromkeys(filter(None, (_matter(text[fact.start : fact.end].lower()) for fact in about))))


def _matter(said: str) -> str | None:
    """The kind of which a word's longest known beginning is."""
    known = [(len(word), matter) for matter, words in _BEGINNINGS.items() for word in words if said.startswith(word)]
    return max(known)[1] if known else None


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
    return old.count("?") <= new.count("?") + 1
