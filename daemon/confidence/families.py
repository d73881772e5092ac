"""What kind of question a request is, as far as confidence is concerned: an answer's numbers mean other things in each.

A number's digits are sure or not each by itself; a chosen letter is one token; prose is sure of its grammar. So each family
has a calibration and a bound of its own. It is told from the form of the question alone, so that recording, calibrating
and answering can't differ in it.
"""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

Family = Literal["structured", "code", "choice", "reading", "number", "yes_no", "short", "prose"]
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)

READING_WORDS: Final = 35
"""A question with so many words brings the text along in which its answer stands."""
_OPTIONS: Final = re.compile(r"(?m)(?:^|\s)\(?([A-E])[.):]\s+\S")
_CODE: Final = re.compile(
    r"```|\b(?:def |class |function|code|script|regex|sql|python|javascript|typescript|rust|java|c\+\+|bash|compile|"
    r"refactor|unit test|stack trace|traceback)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\b(?:how (?:many|much|far|old|long|tall|fast)|what is [-\d(]|calculate|compute|solve|evaluate|sum of|product of|"
    r"remainder|percent(?:age)?|what number)\b|\d\s*[-+*/×÷=^]\s*\d",
    re.IGNORECASE,
)
_YES_NO: Final = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|might|must)\b[^?]*\?\s*$",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|name the|in what|how (?:many|much|far|old|long|tall))\b", re.IGNORECASE
)
_LONG: Final = re.compile(
    r"\b(?:write|explain|describe|summari[sz]e|essay|story|poem|email|letter|list|compare|discuss|translate|rewrite|"
    r"why|how (?:do|to|does|can|should)|tell me about|give me|steps?)\b",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.?!\n]*\?")


def family_of(question: str, structured: bool = False) -> Family:
    """The family of what was asked last. structured: whether the answer is held to a schema or is a call of a tool."""
    if structured:
        return "structured"
    if len(set(_OPTIONS.findall(question))) >= 2:
        return "choice"
    words = len(question.split())
    if words >= READING_WORDS and not _NUMBER.search(question):
        asked = _SENTENCE.findall(question)
        return (
            "reading" if asked and not _LONG.search(asked[-1]) and not _CODE.search(asked[-1]) else _written(question)
        )
    if _LONG.search(question) or _CODE.search(question):
        return _written(question)
    if _NUMBER.search(question):
        return "number"
    if _YES_NO.match(question.strip()):
        return "yes_no"
    return "short" if _ASKS.search(question) or words <= 12 else "prose"


def _written(question: str) -> Family:
    return "code" if _CODE.search(question) else "prose"
