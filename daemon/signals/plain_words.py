"""What is not plain words: everything that could be somebody's own, in whatever writing.

Finding what is private has holes: a name that no model knows, a packing that nobody thought of. `strict` therefore asks the
other way round. A text is plain if each of its words is one that everybody writes small, in plain letters, with small
numbers; all else is in doubt: names, identifiers, hosts, keys, packed, escaped, spelled out or disguised values, and pieces
of them. What is left is a value that consists of everyday words and that no other signal finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from daemon.signals.base import Found, Kind
from daemon.signals.overlaps import settle

WORD: Final = "UNKNOWN_WORD"
NAME: Final = "POSSIBLE_NAME"
NUMBER: Final = "LONG_NUMBER"
WRITING: Final = "ODD_WRITING"

_EVERYDAY_WORDS: Final = """
always during doesn isn hasn didn couldn wouldn shouldn don won aren weren wasn haven hadn tomorrow yesterday today
hello hey hi sorry reply someone somebody anybody nobody everybody something anything nothing everything everyone
monday tuesday wednesday thursday
friday saturday sunday january february march april may june july august september october november december english
german french spanish italian portuguese dutch polish russian chinese japanese korean arabic hindi turkish european
american python java javascript typescript rust ruby kotlin swift html css sql json yaml toml csv xml pdf api url
urls http https sdk cli ide faq ai ok usa uk eu markdown regex unicode ascii async await enum struct const elif
lambda bool int str dict tuple args kwargs init len def var func println printf stdout stderr params param config
algorithm algorithms keyword keywords optimize summarize insights prompt prompts username login email phone am an as
at be by do go he if in is it me my no of on or so to up us we id db os js ts vs eg ie re ll ve un el la le de du et
en es il ou je tu se si da er wo zu im ja mal
"""
_EVERYDAY: Final = frozenset(_EVERYDAY_WORDS.split())
"""What both vocabularies lack, and words of two letters."""
_PROPER_WORDS: Final = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
october november december english german french spanish italian portuguese dutch polish russian chinese japanese
korean arabic hindi turkish european american python java javascript typescript rust ruby kotlin swift markdown
unicode i
"""
_PROPER: Final = frozenset(_PROPER_WORDS.split())
"""What is written with a capital in a sentence's midst, and tells of nobody."""
_MARKS: Final = frozenset("“”‘’„‚«»–—…·•→←×÷±°€£¥§©®™¿¡✓✗≤≥≠≈\u00a0\u3000")
_STRAY: Final = re.compile(
    r"[^\w\s!-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u1680\u2000-\u200a\u2028\u2029\u202f\u205f]"
)
_RUN: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+|\w")
_LONG_NUMBER: Final = re.compile(r"\d{5,}|\d(?:[^\w\n]{0,3}\d|\s{1,3}\d){5,}")
_LABELLED: Final = re.compile(r"[^\W\d_][-_.#:/]\d")
_SPELLED: Final = re.compile(r"(?<![^\W_])[^\W_](?:[\W_]{1,6}[^\W_](?![^\W_])){2,}")
_ESCAPED: Final = re.compile(r"%[0-9A-Fa-f]{2}|&#?\w{1,8};|\\[uxUN][0-9A-Fa-f{]|=[0-9A-F]{2}(?![^\W_])")
_JOINED: Final = re.compile(r"\S*[^\W_][.@][^\W_]\S*|\S*//\S*|\S*@\S*")
_MIDST: Final = re.compile(r"(?<=[a-z0-9,;&][ \t])[A-Z][a-z]\w*|(?<![^\W_])[A-Z][a-z]+(?=[ \t]+[A-Z][a-z])")
_STREET: Final = re.compile(
    r"\d{1,4}\w?,?[ \t]+(?:[^\W\d_]+[ \t]+){0,3}(?:street|st|avenue|ave|road|rd|lane|ln|drive|court|square|place|way|rue|"
    r"boulevard)\b|(?:calle|rue|via|rua|avenida|plaza)[ \t]+(?:[^\W\d_]+[ \t,]+){1,4}\d{1,4}|[^\W\d_]+"
    r"(?:straße|strasse|str|weg|"
    r"platz|gasse|allee)\.?[ \t]+\d{1,4}|\d{1,4}[ \t]*,?[ \t]*(?:rue|avenue|chemin|place|quai)\b",
    re.IGNORECASE,
)
_PASSWORD: Final = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|\bpin)\b\W{0,3}(?:(?:is|was|=|:)\W{0,3})+\S+", re.IGNORECASE
)
_LOOKS: Final = (
    (WRITING, _ESCAPED),
    (NUMBER, _LONG_NUMBER),
    (NUMBER, _LABELLED),
    (WRITING, _SPELLED),
    (WORD, _JOINED),
    (NAME, _STREET),
    (WORD, _PASSWORD),
)


class PlainWords:
    """The rule. words: gives the words that everybody writes small. own: words that the user named as private."""

    signal = "doubt"
    kind = Kind.PRIVACY

    def __init__(self, words: Callable[[], frozenset[str]], own: frozenset[str] = frozenset()) -> None:
        self._words = words
        self._own = own

    def find(self, text: str) -> tuple[Found, ...]:
        """All hits, in order, none inside another."""
        return settle(self._found(text))

    def _found(self, text: str) -> Iterator[Found]:
        for label, look in _LOOKS:
            for hit in look.finditer(text):
                yield Found(hit.start(), hit.end(), label)
        for hit in _STRAY.finditer(text):
            if hit[0] not in _MARKS:
                yield Found(hit.start(), hit.end(), WRITING)
        for hit in _MIDST.finditer(text):
            if hit[0].lower() not in _PROPER:
                yield Found(hit.start(), hit.end(), NAME)
        words = self._words()
        known: dict[str, bool] = {}
        for hit in _RUN.finditer(text):
            run = hit[0]
            if (plain := known.get(run)) is None:
                plain = known[run] = self._is_plain(run, words)
            if not plain:
                yield Found(hit.start(), hit.end(), WORD)

    def _is_plain(self, run: str, words: frozenset[str]) -> bool:
        """Whether each of its words is one: `getUserName`, `utf8`, but not `bWFyaWE`."""
        if len(run) == 1:
            return run.isascii()
        humps = _HUMP.findall(run)
        if any(hump[0].isdigit() for hump in humps[:-1]) and not run.isdigit():
            return False
        return all(self._is_word(hump, words) for hump in humps)

    def _is_word(self, hump: str, words: frozenset[str]) -> bool:
        if hump[0].isdigit():
            return hump.isascii()
        small = hump.lower()
        return (small in words or small in _EVERYDAY) and small not in self._own
