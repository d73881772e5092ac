"""Which language a text is in.

py3langid names it (naive Bayes, 4.6 MB, no model of ours), restricted to ISO 639-1's codes as upstream's lingua has them. It
knows no Māori, which is told by its syllables, and no Tswana, which it takes for its nearest relative. Code is not a
language: lines that look like it are left out, and a text that is only code has none.
"""

from __future__ import annotations

import math
import re
import threading
from typing import Any, ClassVar, Final

FALLBACK: Final = ("en", 0.5)
"""Of a text that is too short to tell; upstream's."""
_NOTHING: Final = "zxx"
"""The library's word for no language."""
_SHORTEST: Final = 10
"""Letters of an alphabet that dozens of languages share. Other scripts tell with one."""
MOST_CHARS: Final = 2000
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
    text = _LONE.sub("\ufffd", text[: 8 * MOST_CHARS])
    text = _INLINE.sub(" ", _FENCE.sub("\n", text))
    lines = (line for line in text.splitlines() if not _is_code(line))
    return "\n".join(lines)[:MOST_CHARS]


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
        best, sure = max(self._chances(text).items(), key=lambda each: each[1])
        return None if best == _NOTHING else (_ALIASES.get(best, best), sure)

    def english(self, text: str) -> float:
        """How probably a text is English and nothing else; code and signs count as it."""
        text = prose(text)
        if not any(map(str.isalpha, text)):
            return 1.0
        chances = self._chances(text)
        return 1.0 if max(chances, key=lambda code: chances[code]) == _NOTHING else chances["en"]

    def _chances(self, text: str) -> dict[str, float]:
        """Each language's probability."""
        ranked = self._library().rank(text)
        most = ranked[0][1]
        raised = {code: math.exp(score - most) for code, score in ranked}
        whole = math.fsum(raised.values())
        return {code: each / whole for code, each in raised.items()}

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
