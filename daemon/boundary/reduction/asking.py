"""The part of a sentence that asks for something, cut where it begins to describe somebody.

What is kept stands word for word in the original; what follows a description in the same clause is lost, since nobody can
tell there where the description ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from daemon.signals.implicit.facts import ASKS, VERB, Fact

FEWEST_WORDS: Final = 2
"""Beside small ones, of a clause that was cut: with less it asks for nothing that could be answered."""
_POINTS: Final = frozenset({"place", "date", "age", "size", "told"})
_PARTLY: Final = frozenset({"apart", "condition", "event"})
"""Of a sentence in which somebody is described; else they are what the question is about."""
_ALONE: Final = re.compile(r"(?:my|our|his|her|their|the|a|an|your)\s+[\w’'-]+\Z|(?:s?he|they)\Z", re.IGNORECASE)
_NAME: Final = re.compile(
    r"(?<=[\w,;] )(?!(?:I|I['’]\w+|CV|HR|IT|PR|FAQ|LinkedIn|English|Q&A)\b)[A-Z][\w’'-]*|\d[\w,.%]*|[$€£]"
    r"|(?<![\w-])[a-z]+-(?!(?:up|mail|in|out|on|off|free|to|of|you|by)\b)[a-z]+\b(?=\s+[a-z])"
)
_RELATIVE: Final = re.compile(
    r"[,\s]+(?:who|whose|whom|which|where)\b(?!\s+(?:should|can|must|do|does)\b)|[,]?\s+that\s+(?:is|was|has|had)\b"
)
_OF: Final = re.compile(r"(?:\s+(?:of|by|from|at|in|with|and|against|the))+\s*|\s*")
_CLAUSE: Final = re.compile(r"[;:!?\n()—–]|\.(?=\s|$)")
_STATED: Final = re.compile(r"[,;:!?\n()—–]|\.(?=\s|$)|\s(?:and|but|because|after|before|since|when|while|so|about)\b")
_PREDICATE: Final = re.compile(
    rf",?\s+(?:recently\s+|just\s+|also\s+|now\s+|still\s+)?(?P<verb>(?:{VERB})\b|[a-z]+(?:ed|ing)\b)", re.IGNORECASE
)
_PRONOUN: Final = re.compile(r"(?:^|\s)(?:that|this|these|those|it)\Z", re.IGNORECASE)
_LOOSE: Final = re.compile(
    r"(?:[\s,]+(?:the|a|an|our|my|his|her|their|your|one|some|two|three|and|or|if|when|that|whether|because|since|while|as|"
    r"after|before|until|is|are|was|were|has|have|had|what|which|how|in|at|near|on|by|under|via|than|like|both|all|"
    r"very|most|only|former|new|old|also|then))+\Z",
    re.IGNORECASE,
)
_TAKES_SOMEBODY: Final = re.compile(
    r"\b(?:to|for|from|with|about|of|against|behind|between|tell|ask|telling|asking|help|support|comfort|"
    r"console|thank|thanking|invite|inviting|replace|replacing|onboard|motivate|approach|contact|keep|say to)\Z",
    re.IGNORECASE,
)
_SMALL_WORDS: Final = """
    a an the to of for in on at by with and or is are was were be do does did i we you it he she they them him her his my our
    your their me us should can could would will what how which who why when where this that please from about someone am
    need want like looking trying writing one two three five some any now such so ok okay
"""
_SMALL: Final = frozenset(_SMALL_WORDS.split())
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class Asking(Struct, frozen=True):
    """A clause that asks. said: its words. of: the description that it was cut at, if its words need one behind them.
    mark: with what the sentence ends. whole: nothing of the sentence was cut. words: how many beside small ones.
    """

    said: str
    of: Fact | None
    mark: str
    whole: bool
    words: int


def asking(text: str, start: int, end: int, facts: tuple[Fact, ...]) -> Asking | None:
    """What a sentence asks for; None: nothing, or too little without what it tells."""
    cuts = sorted(_cuts(text, start, end, facts))
    sentence = text[start:end].strip()
    mark = "?" if sentence.endswith("?") else "."
    if not cuts and ASKS.search(text[start:end]):
        words = _weight(sentence)
        return Asking(sentence, None, mark, True, words) if words else None
    taken = [fact for fact in facts if fact.instead is not None and fact.kind in ("person", "organization")]
    best: Asking | None = None
    for found in ASKS.finditer(text[start:end]):
        at = start + found.start("ask" if found["ask"] else "want")
        if any(fact.start < at < fact.end for fact in taken):
            continue
        stop = min([cut for cut in cuts if cut >= at] or [end])
        ending = _CLAUSE.search(text, at, stop)
        if ending:
            stop = ending.start()
        said = text[at:stop].rstrip(" ,;:.!?\n")
        behind = next((fact for fact in taken if fact.start <= stop < fact.end), None) if not ending else None
        tight = _LOOSE.sub("", said)
        of = behind if behind and (tight == said or _TAKES_SOMEBODY.search(tight)) else None
        said = tight
        if of is None:
            said = re.sub(
                r"[\s,]+(?:to|for|from|with|about|of|against|behind|between)\Z", "", said, flags=re.IGNORECASE
            )
        words = _weight(said)
        if (
            (words >= FEWEST_WORDS or (words and of))
            and not _PRONOUN.search(said)
            and (best is None or words > best.words)
        ):
            best = Asking(said, of, mark, False, words)
    return best


def stating(text: str, start: int, end: int, facts: tuple[Fact, ...]) -> Asking | None:
    """What a sentence says that somebody does, without who it is: `someone is asking for a change`.

    facts: at least one has to be a description, which ends at a verb.
    """
    cuts = sorted(_cuts(text, start, end, facts))
    for fact in facts:
        if fact.kind not in ("person", "organization") or fact.instead is None:
            continue
        verb = _PREDICATE.match(text, fact.end, end)
        if verb is None:
            continue
        at = verb.start("verb")
        every = [each.start for each in facts if each.start >= at and each.kind not in ("self", "near", "told")]
        stop = min([cut for cut in cuts if cut >= at] + every + [end])
        ending = _STATED.search(text, at, stop)
        said = _LOOSE.sub("", text[at : ending.start() if ending else stop].rstrip(" ,;:.!?\n"))
        if _weight(said) >= FEWEST_WORDS and not _PRONOUN.search(said):
            return Asking(said, fact, ".", False, _weight(said))
    return None


def _weight(said: str) -> int:
    return len([word for word in _WORD.findall(said.lower()) if word not in _SMALL])


def _cuts(text: str, start: int, end: int, facts: tuple[Fact, ...]) -> Iterator[int]:
    """Where a sentence begins to point at somebody."""
    here = [fact for fact in facts if start <= fact.start < end]
    lone = [
        fact
        for fact in here
        if fact.kind in ("person", "organization") and _ALONE.fullmatch(text[fact.start : fact.end])
    ]
    described = [fact for fact in here if fact.kind in ("person", "organization") and fact not in lone]
    points = [fact.start for fact in here if fact.kind in _POINTS or fact in described]
    yield from points
    for fact in here:
        if points and (fact in lone or fact.kind in _PARTLY):
            first = next((point for point in sorted(points) if point >= fact.end), None)
            if fact.start > min(points) or (first is not None and _OF.fullmatch(text, fact.end, first)):
                yield fact.start
    yield from (each.start() for each in _NAME.finditer(text, start, end))
    yield from (each.start() for each in _RELATIVE.finditer(text, start + 1, end))
