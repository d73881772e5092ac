"""Telephone numbers: shapes and words point at candidates, and `phonenumbers` judges what they leave open.

`phonenumbers` alone takes 17 ms for 4 kB of log, so it is asked only about what a pattern has found.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, places
from daemon.signals.windows import Windows

LABEL: Final = "PHONE_NUMBER"
_EXTENSION: Final = r"(?:[ ,]{0,2}(?:x|ext\.?|extension)[ .:]?\d{1,6})?"
_INTERNATIONAL: Final = re.compile(rf"\+[ (]?[1-9](?:[ .\-/()\u00a0\u2011]{{0,3}}\d){{6,14}}{_EXTENSION}(?![\w@])")
_AMERICAN: Final = re.compile(
    rf"(?<![\w.+\-/=])(?:(?:00)?1[ .-])?(?:\(\d{{3}}\)[ -]?\d{{3}}[ .-]\d{{4}}|[2-9]\d{{2}}([-.])\d{{3}}\1\d{{4}}|"
    rf"\d{{3}}-\d{{3}}-\d{{4}}){_EXTENSION}(?![\w/=@]|-\d|\.\d)"
)
_AMERICAN_CORES: Final = (b"(000)", b"000-000-0000", b"000.000.0000")
_FRENCH: Final = re.compile(r"(?<![\w.+\-/])0[1-9](?:([ .-])\d\d)(?:\1\d\d){3}(?![\w\-/]|[ .-]\d)")
_FRENCH_CORES: Final = (b"00 00 00 00 00", b"00.00.00.00.00", b"00-00-00-00-00")
_NUMBER: Final = re.compile(
    r"(?:\+|\+?\()?\d(?:[ .\-/()\u00a0]{0,3}\d){5,15}(?:[ ,]{0,2}(?:x|ext\.?|extension)[ .:]?\d{1,6})?(?![\w@])"
)
_NAMED: Final = re.compile(
    r"(?<![a-z])(?:(?P<firm>(?:tele)?phones?|telefon\w{0,8}|tel|téléphone|teléfono|telefone|telefoon|mobil\w{0,6}|cell(?:phone)?|"
    r"fax|whatsapp|handy\w{0,8}|rufnummer|celular|móvil|portable|sms|"
    r"电话|電話|手机|手機|전화|휴대폰)|call(?: [a-z]{2,5})?|contact(?: [a-z]{2,5})?|"
    r"dial|reach [a-z]{2,5}|text [a-z]{2,5}|ring [a-z]{2,5}|answer(?:ing)?|reach(?:ed|able)?|messages?)"
    r"(?:[ \t]{0,3}[\"'_]{0,2}(?:number|no|nr|num|#|line)[\"']?)?\.?[ \t]{0,3}"
    r"(?:is|at|on|under|to|was|是|为)?[ \t:=\"'*|>\-：]{0,6}\(?\+?\n?$"
)
_MAY_NAME: Final = re.compile(r"[^\W\d_][^\w\n]{0,9}\n?$")
"""A letter not far before it: most numbers in logs and tables have none."""
_BEFORE: Final = 45
"""Characters before a number in which the word that names it is looked for."""
_WORDS_BEFORE: Final = (
    "phone", "tel", "téléphone", "mobil", "cell", "fax", "whatsapp", "handy", "rufnummer", "celular", "móvil", "portable",
    "sms", "电话", "電話", "手机", "手機", "전화", "휴대폰", "call", "contact", "dial", "reach", "text", "ring", "answer",
    "message",
)  # fmt: skip
"""A beginning of each word that `_NAMED` may begin with."""
_WORD_BEHIND: Final = re.compile(r"[ \-(]{1,3}(?:office|fax|mobile|cell|home|work|phone)\b")
_WORDS_BEHIND: Final = ("office", "fax", "mobile", "cell", "home", "work", "phone")
_DATE_OR_TIME: Final = re.compile(r"\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4}(?!\d)|\d{1,3}(?:\.\d{1,3}){3}$")
_REGIONS: Final = ("US", "GB", "DE", "FR", "ES", "IT", "NL", "AU", "IN", "BR", "JP", "KR", "CN")


def phones(text: str, lower: str, windows: Windows, nearby: Vocabulary) -> Iterator[Found]:
    """lower: the text in lower case, at the same length. nearby: the windows' vocabulary."""
    for hit in _INTERNATIONAL.finditer(text) if "+" in text else ():
        if _stands_free(text, hit.start()) and _is_international(hit[0], text[max(0, hit.start() - 1) : hit.start()]):
            yield Found(hit.start(), hit.end(), LABEL)
    for cores, pattern in ((_AMERICAN_CORES, _AMERICAN), (_FRENCH_CORES, _FRENCH)):
        for start, end in windows.holding(cores):
            for hit in pattern.finditer(text, start, end):
                yield Found(hit.start(), hit.end(), LABEL)
    before = sorted(places(lower, nearby.said(_WORDS_BEFORE)))
    behind = sorted(places(lower, nearby.said(_WORDS_BEHIND)))
    for start, end in dict.fromkeys((*windows.near(before, _BEFORE), *windows.near(behind, 0, behind=len(" - ") + 1))):
        yield from _named(text, lower, before, start, end)


def _named(text: str, lower: str, words: Sequence[int], start: int, end: int) -> Iterator[Found]:
    """A number behind a word like `phone`, or before one as in a signature. words: where such words begin."""
    number = _NUMBER.search(text, start, end)
    if not number:
        return
    first = number.start()
    if first and (text[first - 1].isalnum() or text[first - 1] in "_."):
        return
    before = _name_before(lower, words, first)
    if (before and _is_named(number[0], firm=before["firm"] is not None)) or (
        _WORD_BEHIND.match(lower, number.end()) and _is_named(number[0], firm=True)
    ):
        yield Found(first, number.end(), LABEL)


def _name_before(lower: str, words: Sequence[int], first: int) -> re.Match[str] | None:
    for at in words[bisect_left(words, first - _BEFORE) : bisect_left(words, first)]:
        if named := _NAMED.match(lower, at, first):
            return named if _MAY_NAME.search(lower, max(0, first - 24), first) else None
    return None


def _stands_free(text: str, start: int) -> bool:
    return start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "+_.=/\\")


def _is_international(written: str, before: str) -> bool:
    """Valid; or possible, and long or in groups. before: at a line's start, a `+` before a plain number may be a diff's."""
    import phonenumbers  # 78 ms that a daemon without a candidate does not need

    try:
        number = phonenumbers.parse(written, None)
    except phonenumbers.NumberParseException:
        return False
    if phonenumbers.is_valid_number(number):
        return True
    groups = re.findall(r"\d+", written)
    told_apart = len(groups) >= 3 or (sum(map(len, groups)) >= 11 and before not in ("", "\n", "+"))
    return told_apart and phonenumbers.is_possible_number(number)


def _is_named(written: str, firm: bool) -> bool:
    """Whether what follows a word like `phone` is one. firm: not a word that also stands before other numbers."""
    if _DATE_OR_TIME.search(written):
        return False
    digits = sum(map(str.isdigit, written))
    groups = len(re.findall(r"\d+", written))
    if firm:
        return 7 <= digits <= 15
    if not 7 <= digits <= 15 or (groups == 1 and digits < 10):
        return False
    return groups >= 2 or _is_valid_somewhere(written)


def _is_valid_somewhere(written: str) -> bool:
    import phonenumbers

    for region in _REGIONS:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(written, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False
