"""Keywords by BM25: each keyword is a document, and the text is the query (`method: bm25`).

So a keyword of several words matches if one of its words is said, in any form that stems alike. The formula and its
constants are those of Rust's crate `bm25`, which upstream uses: a word that is said twice counts twice. Python's libraries
for BM25 all want numpy, for what are a few sums here; the stems are snowball's.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from typing import Final

import regex
import snowballstemmer

from daemon.recipes.signals import Keyword
from daemon.signals.base import Span
from providers.texts import Field

THRESHOLD: Final = 0.1
_K1: Final = 1.2
_B: Final = 0.75
_WORD: Final = regex.compile(r"\p{Han}|[\p{Hiragana}\p{Katakana}]+|[\w']+")
_STOP_WORDS: Final = frozenset(
    [
        "i",
        "me",
        "my",
        "myself",
        "we",
        "our",
        "ours",
        "ourselves",
        "you",
        "your",
        "yours",
        "yourself",
        "yourselves",
        "he",
        "him",
        "his",
        "himself",
        "she",
        "her",
        "hers",
        "herself",
        "it",
        "its",
        "itself",
        "they",
        "them",
        "their",
        "theirs",
        "themselves",
        "what",
        "which",
        "who",
        "whom",
        "this",
        "that",
        "these",
        "those",
        "am",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "have",
        "has",
        "had",
        "having",
        "do",
        "does",
        "did",
        "doing",
        "a",
        "an",
        "the",
        "and",
        "but",
        "if",
        "or",
        "because",
        "as",
        "until",
        "while",
        "of",
        "at",
        "by",
        "for",
        "with",
        "about",
        "against",
        "between",
        "into",
        "through",
        "during",
        "before",
        "after",
        "above",
        "below",
        "to",
        "from",
        "up",
        "down",
        "in",
        "out",
        "on",
        "off",
        "over",
        "under",
        "again",
        "further",
        "then",
        "once",
        "here",
        "there",
        "when",
        "where",
        "why",
        "how",
        "all",
        "any",
        "both",
        "each",
        "few",
        "more",
        "most",
        "other",
        "some",
        "such",
        "no",
        "nor",
        "not",
        "only",
        "own",
        "same",
        "so",
        "than",
        "too",
        "very",
        "s",
        "t",
        "can",
        "will",
        "just",
        "don",
        "should",
        "now",
    ]
)
"""NLTK's list of English, which the crate has."""


def words(text: str, initials: frozenset[str] | None = None) -> Counter[str]:
    """How often each stem is in a text, without marks and without the most frequent English words.

    initials: of words that matter; stemming costs 20 µs a word and keeps the first letter. Nothing of a text is kept.
    """
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", text.lower()) if unicodedata.category(letter) != "Mn"
    )
    said = Counter(word for word in _WORD.findall(plain) if initials is None or word[0] in initials)
    stemmer = snowballstemmer.stemmer("english")
    found: Counter[str] = Counter()
    for word, count in said.items():
        if word not in _STOP_WORDS:
            found[stemmer.stemWord(word)] += count
    return found


class Ranking:
    """One rule, ready to look. Case is of no matter to stems, whatever the rule says; upstream's are in lower case too."""

    def __init__(self, rule: Keyword) -> None:
        documents = [words(keyword) for keyword in rule.keywords]
        average = sum(document.total() for document in documents) / len(documents) or 1.0
        holding = Counter(word for document in documents for word in document)
        self._initials = frozenset(word[0] for word in holding)
        self._threshold = rule.bm25_threshold or THRESHOLD  # 0 means unset to upstream
        self._weights: list[dict[str, float]] = []
        for document in documents:
            length = 1 - _B + _B * document.total() / average
            self._weights.append(
                {
                    word: math.log(1 + (len(documents) - holding[word] + 0.5) / (holding[word] + 0.5))
                    * (count * (_K1 + 1))
                    / (count + _K1 * length)
                    for word, count in document.items()
                }
            )

    def matched(self, said: tuple[Field, ...]) -> tuple[int, tuple[Span, ...]]:
        """How many keywords score enough; stems have no places."""
        counts: Counter[str] = Counter()
        for field in said:
            counts += words(field.text, self._initials)
        scores = (sum(weight * counts[word] for word, weight in each.items()) for each in self._weights)
        return sum(score >= self._threshold for score in scores), ()
