"""A draft of several pieces, few of which fail: those alone are asked for again, and put in their places.

Theory of operation. Nobody has seen the draft yet, and all of it is there. Its pieces are judged one by one (`pieces/`).
Whoever stands behind the draft is asked for the failing ones, in the format in which they stand, behind the conversation
and between marks as any other model's answer is; so the boundary looks at them. What comes back has to be as many whole
pieces, none of them faulty. Whatever else happens is no reason to answer worse: the whole answer is asked for then, as
without this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.confidence.features import Generation
from daemon.confidence.judgement import Judgement
from daemon.decision.rules import Candidate
from daemon.loopers.base import Ask, Errand
from daemon.loopers.gathering import FAILURES, answered
from daemon.loopers.material import fenced
from daemon.loopers.pieces.base import Piece, Stands, spliced
from daemon.loopers.pieces.judging import Split, faulty, split

_WORDS: Final = (
    "Another model has drafted the answer to this. Parts of its draft are good and stay. Where it says GAP, one {name} was "
    "taken out, because it is wrong or doubtful; it stands behind the draft. Write the {name} for each gap anew, whole and "
    "in the same format, in their order. Write nothing else: no explanation, no other part of the draft."
)


async def mended(draft: Generation, judged: Judgement | None, who: Candidate, ask: Ask) -> str | None:
    """The draft with its failing pieces as `who` writes them; None: that is no way to mend it, or did not come about."""
    if judged is None or draft.reason != "stop":
        return None
    parts = split(draft, judged, ask.stands)
    if parts is None:
        return None
    try:
        answer = await answered(
            ask,
            who,
            Errand(label="mend", role="repair", words=_words(draft.text, parts), own=True, spare=not judged.passed),
        )
    except FAILURES:
        return None
    written = parts.format.rewritten(answer.text) if answer.reason == "stop" else ()
    if len(written) != len(parts.failing) or not _good(parts, written, ask.stands):
        ask.noted("mending-failed")
        return None
    ask.noted("mended")
    return spliced(draft.text, parts.pieces, {n: new.text for n, new in zip(parts.failing, written, strict=True)})


def _words(text: str, parts: Split) -> str:
    gaps = {number: f"GAP {place}" for place, number in enumerate(parts.failing, 1)}
    out = [(f"{parts.format.name} of GAP {place}", parts.pieces[n].text) for place, n in enumerate(parts.failing, 1)]
    material = [("draft", spliced(text, parts.pieces, gaps)), *out]
    return f"{_WORDS.format(name=parts.format.name)}\n\n{fenced(material)}"


def _good(parts: Split, written: Sequence[Piece], stands: Stands) -> bool:
    """Whether none is faulty, held against what the conversation is known to hold."""
    stay = [piece for number, piece in enumerate(parts.pieces) if number not in parts.failing]
    return not any(number >= len(stay) for number in faulty(parts.format, [*stay, *written], stands))
