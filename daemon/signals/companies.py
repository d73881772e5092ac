"""Names of companies by what the law has them called: `Nordhof Analytics GmbH`, `Lindgren & Sons Ltd.`, `주식회사 …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, around, places
from daemon.signals.public_names import everybody_knows, is_form_only

LABEL: Final = "ORGANIZATION"
_FORMS: Final = (
    " Inc", " LLC", " Ltd", " GmbH", " Corp", " PLC", " plc", " LLP", " S.A.", " S.r.l.", " B.V.", " Pty", " AG", " KG",
    " Oy", " AB", " OHG", " GbR", " mbH", " gGmbH", " EURL", " S.L.", " S.p.A.", " SARL", " SAS", " SpA", " NV", " BV",
    " Holdings", " Incorporated", " Limited", " Corporation",
)  # fmt: skip
_END: Final = re.compile(
    r"(?:Inc(?:orporated)?|LLC|Ltd|Limited|g?GmbH(?: & Co\.? KG(?:aA)?)?|mbH|OHG|GbR|EURL|"
    r"S\.L\.(?:U\.)?|S\.p\.A\.|Corp(?:oration)?|PLC|plc|LLP|S\.A\.|S\.r\.l\.|"
    r"B\.V\.|Pty(?:\.? Ltd)?|AG|KG|Oy|AB|"
    r"SARL|SAS|SpA|NV|BV|Holdings(?: (?:Inc|Ltd|LLC|PLC))?)(?![\w-])\.?"
)
_SHORT: Final = frozenset({"AG", "KG", "Oy", "AB", "NV", "BV", "SAS"})
"""Letters that also stand in other sentences: the name before them has to be of two words, and have small letters."""
_NAME_BACKWARDS: Final = re.compile(
    r",?(?:[\w'’&.-]*[A-ZÀ-Þ0-9](?= |[^\w'’&.-]|$)(?: (?=[\w'’&.-]*[A-ZÀ-Þ0-9](?: |[^\w'’&.-]|$))| & |"
    r" (?:dna|dnu|te|y) (?=\w*[A-ZÀ-Þ]))?){1,5}"
)
_NO_START: Final = frozenset(
    [
        "A",
        "An",
        "And",
        "As",
        "At",
        "By",
        "Copyright",
        "Dear",
        "For",
        "From",
        "If",
        "In",
        "Is",
        "It",
        "Of",
        "On",
        "Or",
        "Our",
        "Per",
        "The",
        "This",
        "To",
        "Via",
        "We",
        "When",
        "With",
        "Your",
        "That",
        "Their",
        "c",
    ]
)
_UNSPACED: Final = re.compile(
    r"株式会社[\u30a0-\u30ff\u4e00-\u9fffA-Za-z0-9]{1,12}|[\u30a0-\u30ff\u4e00-\u9fff]{2,10}(?:株式会社|有限会社|事務所)|"
    r"주식회사 ?[가-힣A-Za-z0-9]{2,12}|\(주\) ?[가-힣A-Za-z0-9]{2,12}|[가-힣]{2,8} (?:법률|세무|회계|세무회계)사무소|"
    r"[\u4e00-\u9fff]{2,14}?(?:有限公司|股份公司|事务所)"
)
_UNSPACED_FORMS: Final = (
    "株式会社",
    "有限会社",
    "事務所",
    "주식회사",
    "(주)",
    "사무소",
    "有限公司",
    "股份公司",
    "事务所",
)


def companies(text: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """The whole name with its form. vocabulary: of the text in small letters."""
    for at in places(text, [form for form in _FORMS if vocabulary.says((form.lower(),))]):
        end = _END.match(text, at + 1)
        if not end or not at:
            continue
        backwards = _NAME_BACKWARDS.match(text[max(0, at - 60) : at][::-1])
        name = backwards[0][::-1].lstrip(", ") if backwards else ""
        words = name.rstrip(",").split()
        while words and words[0].strip("(.,") in _NO_START:
            words = words[1:]
        if not words or (end[0] in _SHORT and (len(words) < 2 or not any(word[1:2].islower() for word in words))):
            continue
        kept = name[name.index(words[0]) :]
        if (
            not everybody_knows(kept)
            and not is_form_only(kept)
            and len(kept.strip(",. ")) > 2
            and not kept[0].isdigit()
        ):
            yield Found(at - len(kept), end.end(), LABEL)


def unspaced_companies(text: str) -> Iterator[Found]:
    """The same in Japanese, Korean and Chinese."""
    for start, end in around(text, _UNSPACED_FORMS, 16, 20):
        for hit in _UNSPACED.finditer(text, start, end):
            yield Found(*hit.span(), LABEL)
