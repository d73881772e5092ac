"""What an answer says of itself: that it doesn't know, that it won't, or the same thing over and over."""

from __future__ import annotations

import re
from typing import Final

_HEDGES: Final = re.compile(
    r"\b(?:i(?:'m| am) not (?:sure|certain)|not entirely (?:sure|clear)|i (?:think|believe|guess|suppose)|it(?:'s| is) "
    r"(?:unclear|hard to say|difficult to say|possible that)|i do(?:n't| not) (?:know|have (?:enough|access|any|that|the))|"
    r"(?:perhaps|maybe|possibly|probably|presumably|might be|could be)|as an ai|"
    r"ich (?:bin (?:mir )?nicht sicher|glaube|weiß (?:es )?nicht)|vielleicht|möglicherweise|vermutlich|"
    r"je (?:ne sais pas|ne suis pas sûr|pense que)|peut-être|no (?:lo )?sé|no estoy segur[oa]|quizás?|tal vez)\b"
)
"""Of English, German, French and Spanish; whoever hedges in another language is not noticed."""
_REFUSALS: Final = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:can(?:no|')?t|cannot|won't|will not|must decline)|"
    r"(?:i )?apologi[sz]e,? but|against my|es tut mir leid|ich kann (?:ihnen |dir )?(?:dabei |das )?(?:leider )?nicht|"
    r"je suis désolée?|je ne peux pas|lo siento|no puedo)\b"
)
_OPENING: Final = 160
"""Characters in which a refusal stands, if there is one; later, "I can't" belongs to a story."""
_RUN: Final = 4
"""Words in a row that are looked for again."""
_WORD: Final = re.compile(r"\w+")


def _plain(text: str) -> str:
    return text.casefold().replace("’", "'")


def hedges(text: str) -> int:
    """How many times an answer takes something back or says that it doesn't know."""
    return len(_HEDGES.findall(_plain(text)))


def refuses(text: str) -> bool:
    """Whether an answer begins by declining."""
    return _REFUSALS.search(_plain(text[:_OPENING])) is not None


def repetition(text: str) -> float:
    """The share of runs of four words that stood in the answer before. 0 of an answer shorter than that."""
    words = _WORD.findall(text.casefold())
    runs = [tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1)]
    return 1.0 - len(set(runs)) / len(runs) if runs else 0.0
