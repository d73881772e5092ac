"""Street addresses in the forms of Germany, France, Spain, Britain, Korea, Japan and China, with flat, postcode and town."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, around, places

LABEL: Final = "STREET_ADDRESS"
_CAPITAL: Final = r"[A-ZÀ-ÖØ-ÞŁŚŞİ][\w'’-]{1,24}"
_GERMAN_ENDS: Final = ("straße", "strasse", "str.", "gasse", "weg", "platz", "allee", "ufer", "damm")
_GERMAN_BYTES: Final = tuple(end.rstrip(".").encode() for end in _GERMAN_ENDS)
_GERMAN: Final = re.compile(
    rf"(?:{_CAPITAL} ){{0,2}}[A-ZÄÖÜ][\w-]{{0,28}}(?:[sS]tra(?:ß|ss)e|[sS]tr\.|gasse|weg|platz|allee|ufer|damm) ?\d{{1,4}}"
    r"(?: ?[a-z](?!\w))?(?:,? \d{5} [A-ZÄÖÜ][\wäöüß-]+)?"
)
"""Große Bergstraße 5"""
_WITH_POSTCODE: Final = re.compile(
    rf"(?:(?:An?|Am|Im|In|Zum|Zur|Auf|Unter|Beim)(?: der| den| dem)? )?{_CAPITAL}"
    rf"(?: {_CAPITAL})? \d{{1,4}} ?[a-z]?, \d{{5}} "
    rf"{_CAPITAL}|(?:(?:Flat|Unit|Apt) \w{{1,4}}, )?\d{{1,4}}[a-z]? {_CAPITAL}(?: {_CAPITAL}){{0,3}}, "
    rf"(?:{_CAPITAL},? ){{1,3}}"
    r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}(?!\w)"
)
"""Am Mühlbach 3a, 83022 Rosenheim; 4 Tanner Row, Leeds LS6 2AB"""
_POSTCODES: Final = (b", 00000 A", b", 00000 ?", b"A0 0AA", b"A00 0AA", b"A0A 0AA")
"""In the text's shape."""
_SPANISH_BEGINS: Final = (
    *(
        "calle ",
        "c/ ",
        "avda",
        "avenida ",
        "av. ",
        "plaza ",
        "pza",
        "paseo ",
        "ronda ",
        "camino ",
        "carretera ",
        "travesía ",
    ),
)
_SPANISH_WORDS: Final = frozenset(
    (
        b"calle",
        b"c",
        b"avda",
        b"avenida",
        b"av",
        b"plaza",
        b"pza",
        b"paseo",
        b"ronda",
        b"camino",
        b"carretera",
        "travesía".encode(),
    )
)
_SPANISH: Final = re.compile(
    r"(?:Calle|calle|C/|Avda\.?|Avenida|avenida|Av\.|Plaza|Pza\.|Paseo|Ronda|Camino|Carretera|Travesía) "
    rf"(?:(?:de|del|la|las|los|el) )*{_CAPITAL}(?: (?:(?:de|del|la|las|los|y) )*{_CAPITAL}){{0,3}},? (?:n\.?º ?)?\d{{1,4}}"
    rf"(?:, ?\d{{1,2}}\.?º(?: ?(?:izq|dcha|[A-Z])\b\.?)?)?(?:,? \d{{5}} {_CAPITAL})?(?:, {_CAPITAL})?"
)
_FRENCH_WORDS: Final = (
    "rue ",
    "avenue ",
    "boulevard ",
    "place ",
    "chemin ",
    "allée ",
    "impasse ",
    "quai ",
    "cours ",
    "square ",
)
_FRENCH: Final = re.compile(
    r"\d{1,4}(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|place|chemin|allée|impasse|quai|cours|square) "
    rf"(?:(?:de|du|des|la|le|les) |(?:de )?l['’]|d['’])*{_CAPITAL}(?: (?:(?:de|du|des|la|le|les) )*{_CAPITAL}){{0,3}}"
    rf"(?:,? \d{{5}} {_CAPITAL}(?:[ -]{_CAPITAL}){{0,2}})?"
)
_KOREAN_BEGINS: Final = (
    *(
        "서울",
        "부산",
        "대구",
        "인천",
        "광주",
        "대전",
        "울산",
        "세종",
        "경기",
        "강원",
        "충청",
        "충남",
        "충북",
        "전라",
        "전남",
        "전북",
    ),
    *("경상", "경남", "경북", "제주"),
)
_KOREAN: Final = re.compile(
    r"(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충청?[남북]|전라?[남북]|경상?[남북]|제주)(?:특별자치시|특별자치도|특별시|광역시|[남북]?도)?"
    r"(?: ?[가-힣]{1,6}[시군구읍면동](?= )){0,4} [가-힣0-9]{1,14}(?:로|길)\s?\d{1,4}(?:번길\s?\d{1,4})?"
    r"(?:-\d{1,4})?(?:,? ?\d{1,4}동)?(?:,? ?\d{1,5}호)?"
)
_JAPANESE: Final = re.compile(
    r"(?:〒? ?\d{3}-\d{4} ?)?(?:東京都|北海道|(?:京都|大阪)府|"
    r"[\u4e00-\u9fff]{2,3}県)?[\u3040-\u30ff\u4e00-\u9fff]{1,10}?[市区町村郡][\u3040-\u30ff\u4e00-\u9fff々ヶケ"
    r"]{1,20}?"
    r"\d{1,4}(?:(?:丁目|番地?|号|[-－−ー])\d{0,4})+(?:号|番地)?(?: ?\d{1,4}号室)?"
)
_JAPANESE_POSTCODE: Final = re.compile(r"〒 ?\d{3}-\d{4}")
_CHINESE: Final = re.compile(
    r"(?:[\u4e00-\u9fff]{2,7}(?:省|自治区))?[\u4e00-\u9fff]{2,5}(?:市|州|盟)[\u4e00-\u9fff]{1,6}(?:区|县|镇|市|旗)?[\u4e00-\u9fff\d]{1,16}?(?:路|街|大道|道|巷|弄|胡同)"
    r"(?:[东南西北]?[一二三四五六七八九十]段)?\d{1,5}(?:号|弄)(?:[\dA-Z]{1,4}(?:号楼|栋|幢|楼|单元|室|号)){0,3}(?:[\u4e00-\u9fff]{1,6}(?:园|大厦|广场|中心|小区))?"
)


def postal_addresses(text: str, lower: str, vocabulary: Vocabulary, shape: bytes) -> Iterator[Found]:
    """lower: the text in small letters, at the same length. vocabulary: of `lower`. shape: as windows.py has it."""
    words = vocabulary.words
    for at in _ends(lower) if any(word.endswith(_GERMAN_BYTES) for word in words) else ():
        yield from _all(_GERMAN, text, max(0, at - 70), at + 60)
    for postcode in _POSTCODES:
        at = shape.find(postcode)
        while at >= 0:
            yield from _all(_WITH_POSTCODE, text, max(0, at - 80), at + 40)
            at = shape.find(postcode, at + 1)
    for at in places(lower, _SPANISH_BEGINS) if words & _SPANISH_WORDS else ():
        if found := _SPANISH.match(text, at):
            yield Found(*found.span(), LABEL)
    french = [word for word in _FRENCH_WORDS if word[:-1].encode() in words]
    for start, end in around(lower, french, 12, 90):
        yield from _all(_FRENCH, text, start, end)


def _ends(lower: str) -> Iterator[int]:
    """Where a German street's name ends before a number."""
    for word in _GERMAN_ENDS:
        for at in places(lower, (word,)):
            end = at + len(word)
            if lower[end : end + 1].isdigit() or (lower[end : end + 1] == " " and lower[end + 1 : end + 2].isdigit()):
                yield at


def unspaced_addresses(text: str) -> Iterator[Found]:
    """The same in Korean, Japanese and Chinese."""
    for at in places(text, _KOREAN_BEGINS):
        if found := _KOREAN.match(text, at):
            yield Found(*found.span(), LABEL)
    for words, pattern, before, behind in (
        ("〒", _JAPANESE_POSTCODE, 0, 12),
        ("市区町村郡", _JAPANESE, 28, 50),
        ("号弄", _CHINESE, 50, 30),
    ):
        for start, end in around(text, words, before, behind):
            yield from _all(pattern, text, start, end)


def _all(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Found]:
    for hit in pattern.finditer(text, start, end):
        yield Found(*hit.span(), LABEL)
