"""How much two answers in prose say the same, as far as their words tell, and what keeps them apart whatever they share.

Theory of operation. Opposites share nearly all of their words, and lie closer to each other in an encoder's space than
sentences that say the same in other words. So what contradicts is looked for first: numbers, names, a negation, a word and
its opposite. Two answers that contradict each other so are not alike at all; how like others are is how much of their
letters they share, with their words in order of the alphabet. The shipped encoder's cosine did no better
(tests/bench/bench_prose.py), and takes memory, time and files.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

import snowballstemmer
from rapidfuzz import fuzz

from daemon.confidence.canonical import plain

SAME: Final = 0.5
"""How like an answer is to another of its kind at least."""
_NUMBER: Final = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_COUNT_WORDS: Final = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
"""
_COUNTS: Final = {word: str(place) for place, word in enumerate(_COUNT_WORDS.split()) if word != "one"}
"""`one` is a pronoun more often than a number."""
_SENTENCE: Final = re.compile(r"[^.!?\n]+")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NEGATION_WORDS: Final = """
no not never none neither nor nobody nothing nowhere without cannot nicht kein keine keinen keiner keinem nie niemals ohne
pas jamais aucun aucune sans nunca ningún ninguna sin
"""
_NEGATIONS: Final = frozenset(_NEGATION_WORDS.split())
_OPPOSITES: Final = """
enable/disable on/off increase/decrease rise/fall more/less most/least more/fewer up/down above/below before/after hot/cold
warm/cool open/close start/stop begin/end first/last early/late large/small big/small long/short high/low fast/slow
left/right north/south east/west true/false yes/no always/never all/none allow/forbid allow/deny accept/reject add/remove
attach/detach include/exclude inside/outside import/export lock/unlock safe/dangerous legal/illegal possible/impossible
visible/invisible positive/negative win/lose buy/sell push/pull encrypt/decrypt same/different old/new old/young full/empty
heavy/light heavier/lighter hard/soft wet/dry alive/dead day/night expand/contract absorb/emit attract/repel male/female
ascend/descend faster/slower larger/smaller higher/lower better/worse earlier/later strong/weak thick/thin wide/narrow
deep/shallow
"""


def likeness(one: str, other: str, question: frozenset[str] = frozenset()) -> float:
    """How much two answers say the same, in [0, 1], the same both ways: 1 for equal ones, 0 where they contradict.

    question: words of what was asked, small.
    """
    if one == other:
        return 1.0
    first, second = plain(one), plain(other)
    if not first or not second or contradict(one, other, question):
        return 0.0
    return float(fuzz.token_sort_ratio(first, second)) / 100


def contradict(one: str, other: str, question: frozenset[str] = frozenset()) -> bool:
    """Whether two answers can't both be right, by their numbers, names, negations or opposite words.

    What one of them leaves out is no contradiction: numbers and names have to differ on both sides.
    """
    if _differ(_numbers(one), _numbers(other)):
        return True
    known = _capitals(one) | _capitals(other)
    if _differ(_names(one, known) - question, _names(other, known) - question):
        return True
    if _denies(one) != _denies(other):
        return True
    first, second = _stems(one), _stems(other)
    opposites = _opposites()
    return any(opposites.get(stem, frozenset()) & (second - first) for stem in first - second)


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one - other) and bool(other - one)


def _numbers(text: str) -> frozenset[str]:
    """Digits and small counts in words, as digits."""
    written = {_as_number(found) for found in _NUMBER.findall(text)}
    return frozenset(written | {_COUNTS[word] for word in plain(text).split() if word in _COUNTS})


def _as_number(digits: str) -> str:
    bare = digits.replace(",", "")
    return bare.rstrip("0").rstrip(".") if "." in bare else bare


def _capitals(text: str) -> frozenset[str]:
    """Words that are written with a capital inside a sentence, small."""
    return frozenset(
        word.casefold()
        for sentence in _SENTENCE.findall(text)
        for word in _WORD.findall(sentence)[1:]
        if word[0].isupper() and len(word) > 1
    )


def _names(text: str, known: frozenset[str]) -> frozenset[str]:
    """known: words that are names, by how they are written elsewhere; the first of a sentence has a capital anyway."""
    return frozenset(word.casefold() for word in _WORD.findall(text) if word[0].isupper() and word.casefold() in known)


def _denies(text: str) -> bool:
    return any(word in _NEGATIONS or word.endswith(("n't", "n’t")) for word in map(str.casefold, _WORD.findall(text)))


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_stem, plain(text).split()))


@cache
def _stemmer() -> Any:
    return snowballstemmer.stemmer("english")


def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@cache
def _opposites() -> dict[str, frozenset[str]]:
    """By stem, those of what it is the opposite of."""
    found: dict[str, set[str]] = {}
    for pair in _OPPOSITES.split():
        one, _, other = pair.partition("/")
        found.setdefault(_stem(one), set()).add(_stem(other))
        found.setdefault(_stem(other), set()).add(_stem(one))
    return {stem: frozenset(others) for stem, others in found.items()}
