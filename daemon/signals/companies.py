"""Names of companies that end with what the law has them called: `Nordhof Analytics GmbH`, `Lindgren & Sons Ltd.`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, places
from daemon.signals.public_names import everybody_knows

LABEL: Final = "ORGANIZATION"
_FORMS: Final = (
    " Inc", " LLC", " Ltd", " GmbH", " Corp", " PLC", " plc", " LLP", " S.A.", " S.r.l.", " B.V.", " Pty", " AG", " KG",
    " Oy", " AB", " SARL", " SAS", " SpA", " NV", " BV", " Holdings", " Incorporated", " Limited", " Corporation",
)  # fmt: skip
_END: Final = re.compile(
    r"(?:Inc(?:orporated)?|LLC|Ltd|Limited|GmbH(?: & Co\.? KG)?|Corp(?:oration)?|PLC|plc|LLP|S\.A\.|S\.r\.l\.|"
    r"B\.V\.|Pty(?:\.? Ltd)?|AG|KG|Oy|AB|"
    r"SARL|SAS|SpA|NV|BV|Holdings(?: (?:Inc|Ltd|LLC|PLC))?)(?![\w-])\.?"
)
_SHORT: Final = frozenset({"AG", "KG", "Oy", "AB", "NV", "BV", "SAS"})
"""Letters that also stand in other sentences: the name before them has to be of two words, and have small letters."""
_NAME_BACKWARDS: Final = re.compile(
    r",?(?:[\w'’&.-]*[A-ZÀ-Þ0-9](?= |[^\w'’&.-]|$)(?: (?=[\w'’&.-]*[A-ZÀ-Þ0-9](?: |[^\w'’&.-]|$))| & |"
    r" dna (?=\w*[A-Z]))?){1,5}"
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
        if not everybody_knows(kept) and len(kept.strip(",. ")) > 2 and not kept[0].isdigit():
            yield Found(at - len(kept), end.end(), LABEL)
