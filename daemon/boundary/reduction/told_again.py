"""Whether words that stand behind a request said with less tell again what was taken out of it.

They may be of somebody who saw the whole request. In doubt they do: one word of a fact is enough, if the request that is
left doesn't have it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.implicit.facts import facts_in
from providers.contract import Request, Text

_WORD: Final = re.compile(r"[^\W_]+")
SHORTEST: Final = 4
"""Letters of a word that tells something; a number, and what is written large within a fact, may be shorter."""
_LIST: Final = """
    about after around been before below being between during each every first from have just last less more most much near
    next once only other over same since some such than that their them then there they this those under until very well were
    what when where which while whose will with your
"""
_SMALL: Final = frozenset(_LIST.split())
"""Words of that length and longer that stand in facts and in anything else."""


def told_again(request: Request, less: Request, words: str) -> bool:
    """Whether `words` hold anything of what `less` doesn't tell of `request`."""
    kept = _all(" ".join(_said(less)))
    taken = {word for text in _said(request) for word in _telling(text)} - kept
    return bool(taken & _all(words))


def _said(request: Request) -> Iterator[str]:
    for message in request.messages:
        if message.role != "system":
            yield from (part.text for part in message.parts if isinstance(part, Text))


def _telling(text: str) -> Iterator[str]:
    """The words of its facts, in small letters."""
    for fact in facts_in(text, 0, len(text)):
        for place, found in enumerate(_WORD.findall(text[fact.start : fact.end])):
            word = found.casefold()
            is_long = len(word) >= SHORTEST and word not in _SMALL
            is_name = place > 0 and len(word) > 1 and found[0].isupper()
            if is_long or is_name or any(map(str.isdigit, word)):
                yield word


def _all(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
