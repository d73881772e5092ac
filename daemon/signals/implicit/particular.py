"""Descriptions of a particular somebody whatever the word for them: told by how the sentence is built.

No list of roles is complete (`the accordion teacher`, `a blockchain evangelist`), but a description has forms of its own: a
relative clause, an apposition, a label of a file, or `only`. Sentences that tell at length of somebody who is named by a
role count too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

TELLS_AT_LENGTH: Final = 8
"""So many words of a sentence that asks for nothing narrate, if somebody stands in it."""
_DETERMINER: Final = r"(?:the|a|an|our|my|his|her|their|one|another|some)"
_WORDS: Final = (
    r"(?:(?!(?:is|are|was|were|has|had|and|or|if|when|how|what|who|to|for|about|from|with|the|a|an|our|my|his|her|their)\b)"
    r"[\w’'-]+\s+)"
)
_FORMS: Final = (
    rf"\b{_DETERMINER}\s+{_WORDS}{{1,7}}?(?:who|whose|whom)\b",
    rf"\b(?:the|our|my|a|an)\s+{_WORDS}{{1,5}}?(?:run|started|founded|led|owned|headed|built|made|designed|created|written|known|"
    r"chaired|hired|married|born|raised|living|working|operating|famous|responsible)\s+(?:by|in|at|from|for|as|to|near|on)\b",
    r"\b(?:the|our|my)\s+(?!(?:problem|issue|trouble|meeting|call|contract|deal|agreement|appointment|matter|relationship|"
    r"experience|interview|difference)\b)[\w’'-]+\s+with\s+(?:the|a|an|one|two|three|no|his|her)\s+[\w’'-]+",
    r"\b(?:someone|somebody|anyone|people)\s+(?:[\w’'-]+\s+){0,3}?(?:who|whose)\b",
    rf"\b(?:our|my|his|her|their)\s+{_WORDS}{{1,5}}?(?:that|which)\s+(?!(?:i|we|you)\b)[\w’'-]+\b",
    rf"\b(?:the|our|my|his|her|their|one)\s+{_WORDS}{{0,4}}?[\w’'-]+,\s+(?:(?:once|himself|herself|"
    r"itself|formerly|mother of|father of|daughter of|son of|heir|inventor of|founder of|winner of|led by|run by|"
    r"owned by|ex-\w+)\b|"
    r"(?:a|an|the one)\s+[\w’'-]+(?![^,.;:?!]*,?\s(?:and|or)\s))",
    r"\b(?:someone|somebody)\s+(?:[\w’'-]+\s+){1,5}?[\w’'-]+,\s+(?:a|an|the)\b",
    r"\b(?:[\w’'-]+[’']s|the|our|my|his|her|their|its|a|an)\s+(?:only|sole|lone|youngest|oldest|eldest|tallest|richest|last"
    r"(?=\s+\w+\s+(?:who|in|on|of|at)\b))\s+(?!(?:way|thing|time|reason|problem|question|option|difference|day|part|week|"
    r"month|year|exception|choice)\b)[\w’'-]+",
    r"\b(?:patient|client|customer|tenant|employee|applicant|candidate|student|defendant|plaintiff|suspect|witness|claimant)"
    r"\s*:\s*\w+",
    r"\b\d{1,2}\s?[MF]\b(?=,|\s)",
)
_BEFORE: Final = re.compile(rf"\b{_DETERMINER}\s+{_WORDS}{{1,3}}?(?:of|in|at|by|behind)\s+\Z", re.IGNORECASE)
"""What a description goes on from: `the stable boy of …`."""
AS_FAR: Final = 80
"""In characters."""
_PARTICULAR: Final = re.compile("|".join(_FORMS), re.IGNORECASE)
_CLAUSE_END: Final = re.compile(r"[;:?!\n()—–]|,\s+(?=(?:how|what|should|can|could|may|please)\b)|\.(?=\s|$)")
_TECHNICAL: Final = re.compile(
    r"[`{}]|\b(?:this (?:class|function|method|code|script|loop|query)|function (?:that|which|to)|sql|python|javascript|"
    r"pytest|unit tests?|regex|git|html|css|json|nginx|constructor|stack trace)\b",
    re.IGNORECASE,
)
_GENERIC: Final = re.compile(
    r"(?:an?|any|some)\s[^,.;]*?\bwho\s+(?:wants?|needs?|likes?|loves?|is (?:new|learning|afraid)|has never|"
    r"can(?:no|['’])t|does)\b",
    re.IGNORECASE,
)
"""Anybody of a kind: `a runner who wants to …`."""
_ONE: Final = re.compile(
    rf"\ban?\s+{_WORDS}{{1,6}}?(?:whose\b|who\s+(?:[a-z]+ly\s+|once\s+|just\s+|also\s+)?(?:\w+ed|was|were|had|won|lost|left|became|"
    r"wrote|made|went|gave|sold|built|broke|got|took|ran|began|fell|led|once|now)\b)",
    re.IGNORECASE,
)
_INVENTED: Final = re.compile(
    r"\b(?:story|stories|novel|poem|character|plot|villain|fairy ?tale|fantasy|screenplay|limerick|haiku|dialogue|riddle|"
    r"sonnet|fiction\w*)\b",
    re.IGNORECASE,
)
_OF_OURS: Final = re.compile(r"\b(?:I|I['’]m|I['’]ve|my|mine|we|our|us)\b")
_RECKONING: Final = re.compile(
    r"\b(?:how (?:many|much|long|far|old|tall|fast|often|big)|what (?:is|was|are) (?:the|his|her|their) \w+|what percent\w*|"
    r"calculate|what time|when (?:does|do|will) (?:it|he|she|they))\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d+|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|half|twice|double|third)\b",
    re.IGNORECASE,
)
NUMBERS_OF_A_RECKONING: Final = 2


def particulars(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where descriptions of some form begin, and where their clause ends."""
    if _TECHNICAL.search(text, start, end):
        return
    at = start
    while found := _PARTICULAR.search(text, at, end):
        stop = _CLAUSE_END.search(text, found.end(), end)
        at = max(found.end(), stop.start() if stop else end)
        begins = found.start()
        while before := _BEFORE.search(text, max(start, begins - AS_FAR), begins):
            begins = before.start()
        if is_generic(text[begins:at]):
            continue
        yield begins, begins + len(text[begins:at].rstrip())


def tells_of_one(asked: str) -> bool:
    """Whether a question about the world is about one of whom it tells something: `a player who moved to …`."""
    return _ONE.search(asked) is not None


def is_generic(described: str) -> bool:
    """Whether a description is one of anybody of a kind."""
    return _GENERIC.match(described) is not None


def is_made_up(text: str) -> bool:
    """Whether a text asks for fiction or code, or sets a problem in arithmetic, and speaks of nobody of whoever asks."""
    if _OF_OURS.search(text):
        return False
    if _INVENTED.search(text) or _TECHNICAL.search(text):
        return True
    return _RECKONING.search(text) is not None and len(_NUMBER.findall(text)) >= NUMBERS_OF_A_RECKONING
