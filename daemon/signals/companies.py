"""Organisations, told by the form that law gives them: `… GmbH`, `… SARL`, `주식회사 …`, `… 有限公司`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, around
from daemon.signals.public_names import everybody_knows

LABEL: Final = "ORGANIZATION"
_FORMS: Final = (
    *(
        "GmbH",
        " KG",
        " OHG",
        " SARL",
        " SAS",
        " EURL",
        " S.L.",
        " S.A.",
        " S.r.l.",
        " S.p.A.",
        " Ltd",
        " LLC",
        " Inc",
        " B.V.",
    ),
    *(" GbR", " mbH"),
)
_BY_WORD: Final = {form.strip().lower().encode(): form for form in _FORMS if "." not in form}
_DOTTED: Final = tuple(form for form in _FORMS if "." in form)
_COMPANY: Final = re.compile(
    r"(?<![\w.-])(?:[A-ZÀ-ÖØ-Þ][\w'’&.-]{1,24} (?:(?:&|und|et|y|and|de|of) )?){1,4}"
    r"(?:GmbH(?: & Co\.? KG(?:aA)?)?|gGmbH|mbH|KG|OHG|GbR|SARL|SAS|EURL|S\.L\.U?\.?|S\.A\.|S\.r\.l\.|"
    r"S\.p\.A\.|Ltd|LLC|Inc|B\.V\.)(?!\w)"
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
    """What is not a name that everybody knows. vocabulary: of the text in small letters."""
    forms = [_BY_WORD[word] for word in vocabulary.words & _BY_WORD.keys()]
    for start, end in around(text, (*forms, *_DOTTED), 100, 20):
        for hit in _COMPANY.finditer(text, start, end):
            line = text.rfind("\n", 0, hit.start()) + 1
            if not everybody_knows(hit[0]) and "opyright" not in text[line : hit.start()]:
                yield Found(*hit.span(), LABEL)


def unspaced_companies(text: str) -> Iterator[Found]:
    """The same in Japanese, Korean and Chinese."""
    for start, end in around(text, _UNSPACED_FORMS, 16, 20):
        for hit in _UNSPACED.finditer(text, start, end):
            yield Found(*hit.span(), LABEL)
