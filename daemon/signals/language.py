"""The language of what the user said last.

py3langid names it (naive Bayes, 4.6 MB, no model of ours), restricted to ISO 639-1's codes as upstream's lingua has them. It
knows no Māori, which is told by its syllables, and no Tswana, which it takes for its nearest relative. Code is not a
language: lines that look like it are left out, and a text that is only code has none.
"""

from __future__ import annotations

import math
import re
import threading
from time import perf_counter
from typing import Any, ClassVar, Final

from daemon.recipes.signals import Language, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.parts import Parts

THRESHOLD: Final = 0.3
"""Upstream's, where a rule has none."""
FALLBACK: Final = ("en", 0.5)
"""Of a text that is too short to tell; upstream's."""
_NOTHING: Final = "zxx"
"""The library's word for no language."""
_SHORTEST: Final = 10
"""Letters of an alphabet that dozens of languages share. Other scripts tell with one."""
_MOST_CHARS: Final = 2000
_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LONE: Final = re.compile(r"[\ud800-\udfff]")
_INLINE: Final = re.compile(r"`[^`\n]{1,200}`|https?://\S+")
_CODE_SIGNS: Final = re.compile(r"[{}();=<>\[\]_|&$#*\\/]|::|->")
_CODE_START: Final = re.compile(
    r"\s*(?:def |class |import |from \S+ import|return\b|if .*:$|for .* in .*:$|else\b|elif |const |let |var |function\b|"
    r"public |private |static |#include|using |package |func |fn |SELECT |INSERT |UPDATE |\$ |>>> |@\w+|//|/\*|\*/)"
)
_MAORI: Final = re.compile(r"(?:(?:wh|ng|[hkmnprtw])?[aeiouāēīōū])+")
_WORD: Final = re.compile(r"[^\W\d_]+")  # combining signs break it, which is of no matter to counts
_ALIASES: Final = {"nso": "tn"}
_CODES: Final = (
    "af am an ar as az be bg bn bo br bs ca cs cy da de el en eo es et eu fa fi fo fr ga gl gu ha he hi "
    "hr ht hu hy id ig is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my nb ne "
    "nl nn no oc or pa pl ps pt qu ro ru rw si sk sl sn so sq sr st sv sw ta te tg th tk tl tn tr tt ug "
    "uk ur uz vi vo wa xh yi yo zh zu"
)


def prose(text: str) -> str:
    """What of a text is language, from its beginning."""
    text = _LONE.sub("\ufffd", text[: 8 * _MOST_CHARS])
    text = _INLINE.sub(" ", _FENCE.sub("\n", text))
    lines = (line for line in text.splitlines() if not _is_code(line))
    return "\n".join(lines)[:_MOST_CHARS]


def _is_code(line: str) -> bool:
    solid = len(line) - sum(map(str.isspace, line))
    signs = len(_CODE_SIGNS.findall(line))
    return signs >= 2 and (signs > 0.12 * solid or _CODE_START.match(line) is not None)


class Identifier:
    """The library, loaded when it is first asked."""

    CODES: ClassVar[tuple[str, ...]] = tuple(_CODES.split())
    """Codes that it may tell, nearly all of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: Any = None

    def tell(self, text: str) -> tuple[str, float] | None:
        """ISO code and how sure, None if there is no language in the text."""
        text = prose(text)
        words = _WORD.findall(text.lower())
        letters = sum(map(len, words))
        if not letters:
            return None
        if all("a" <= letter <= "z" for word in words for letter in word) and letters < _SHORTEST:
            return FALLBACK
        if _is_maori(words):
            return "mi", 0.9
        ranked = self._library().rank(text)
        best, score = ranked[0]
        if best == _NOTHING:
            return None
        whole = math.fsum(math.exp(other - score) for _, other in ranked)
        return _ALIASES.get(best, best), 1 / whole

    def _library(self) -> Any:
        with self._lock:
            if self._loaded is None:
                from py3langid import langid  # loads numpy

                langid.classify("")
                found = langid.IDENTIFIER
                found.set_languages([code for code in found.labels if len(code) == 2 or code in (*_ALIASES, _NOTHING)])
                self._loaded = found
            return self._loaded


def _is_maori(words: list[str]) -> bool:
    """Nearly every word is made of open syllables of its few sounds."""
    return len(words) >= 4 and sum(_MAORI.fullmatch(word) is not None for word in words) >= 0.9 * len(words)


class Languages:
    """The signal. Its value is how sure, of the language that a rule is called like."""

    signal = "language"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.language
        self._identifier = Identifier()
        self.lane: Lane = "models" if rules.language else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation if a rule has the language's code."""
        if not self._rules or not asked.words.strip():
            return []
        began = perf_counter()
        told = self._identifier.tell(asked.words)
        if told is None:
            return []
        code, sure = told
        took_ms = (perf_counter() - began) * 1000
        return [
            Observation(
                signal=self.signal,
                kind=self.kind,
                name=rule.name,
                score=sure,
                value=sure,
                matched=sure >= _needed(rule),
                took_ms=took_ms,
                scanned=min(len(asked.words), _MOST_CHARS),
            )
            for rule in self._rules
            if rule.name.lower() == code
        ]


def _needed(rule: Language) -> float:
    return rule.threshold or THRESHOLD  # 0 means unset to upstream
