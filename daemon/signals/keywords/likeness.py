"""Keywords that are misspelt: by shared n-grams (`method: ngram`), or by edits (`fuzzy_match`)."""

from __future__ import annotations

from collections import Counter
from typing import Final

import regex
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from daemon.recipes.signals import Keyword
from daemon.signals.base import Span
from daemon.signals.keywords.whole_words import WholeWords
from providers.texts import Field

NGRAM_THRESHOLD: Final = 0.4
ARITY: Final = 3
EDITS: Final = 2
MOST_EDITS: Final = 10
"""A larger `fuzzy_threshold` is per cent of likeness: upstream's reference configuration has 82, and no word has so many
letters to change."""
_WARP: Final = 2
_NGRAM_WORD: Final = regex.compile(r"[\p{Alphabetic}\p{N}_-]+")
_FUZZY_WORD: Final = regex.compile(r"[\p{L}\p{Nd}]+")


class Ngrams:
    """One rule, ready to look. Likeness is that of Rust's crate `ngrammatic`, which upstream uses: padded, warp 2."""

    def __init__(self, rule: Keyword) -> None:
        self._case_sensitive = rule.case_sensitive
        self._threshold = rule.ngram_threshold or NGRAM_THRESHOLD  # 0 means unset to upstream
        self._arity = max(2, rule.ngram_arity or ARITY)
        self._keywords = [(text, self._grams(text)) for text in map(self._cased, rule.keywords)]

    def _cased(self, text: str) -> str:
        return text if self._case_sensitive else text.lower()

    def _grams(self, text: str) -> Counter[str]:
        padding = " " * (self._arity - 1)
        padded = f"{padding}{text}{padding}"
        return Counter(padded[place : place + self._arity] for place in range(len(padded) - self._arity + 1))

    def matched(self, said: tuple[Field, ...]) -> tuple[int, tuple[Span, ...]]:
        """How many keywords are like one of the words, or like the text as a whole."""
        texts = [self._cased(field.text) for field in said]
        candidates = {word for text in texts for word in _NGRAM_WORD.findall(text)} | set(texts)
        grams = [(text, self._grams(text)) for text in candidates]
        return sum(any(self._like(one, other) for other in grams) for one in self._keywords), ()

    def _like(self, one: tuple[str, Counter[str]], other: tuple[str, Counter[str]]) -> bool:
        if one[0] == other[0]:
            return True
        same = sum(min(count, other[1][gram]) for gram, count in one[1].items())
        if not same:
            return False
        all_ = one[1].total() + other[1].total() - same
        return (all_**_WARP - (all_ - same) ** _WARP) / all_**_WARP >= self._threshold


class Fuzzy:
    """One rule, ready to look: whole words first, then words that are a few edits away."""

    def __init__(self, rule: Keyword) -> None:
        self._exact = [
            (WholeWords(_single(rule, keyword)), " ".join(_FUZZY_WORD.findall(keyword.lower())))
            for keyword in rule.keywords
        ]
        self._threshold = rule.fuzzy_threshold or EDITS

    def matched(self, said: tuple[Field, ...]) -> tuple[int, tuple[Span, ...]]:
        """How many keywords are there, and where those are that are written right."""
        matched = 0
        spans: list[Span] = []
        runs: dict[int, set[str]] = {}
        for exact, folded in self._exact:
            found, at = exact.matched(said)
            spans += at
            length = max(1, folded.count(" ") + 1)
            if not found and length not in runs:
                runs[length] = {run for field in said for run in _runs(field.text.lower(), length)}
            matched += bool(found or any(self._near(folded, run) for run in runs[length]))
        return matched, tuple(sorted(spans, key=lambda span: (span.path, span.start, span.end)))

    def _near(self, keyword: str, word: str) -> bool:
        if self._threshold > MOST_EDITS:
            return fuzz.ratio(keyword, word, score_cutoff=self._threshold) > 0
        edits = int(self._threshold)
        return Levenshtein.distance(keyword, word, score_cutoff=edits) <= edits


def _runs(text: str, length: int) -> set[str]:
    """As many words in a row as the keyword has. Upstream compares single words, to which a phrase is never near."""
    words = _FUZZY_WORD.findall(text)
    return {" ".join(words[place : place + length]) for place in range(len(words) - length + 1)}


def _single(rule: Keyword, keyword: str) -> Keyword:
    return Keyword(name=rule.name, keywords=(keyword,), case_sensitive=rule.case_sensitive)
