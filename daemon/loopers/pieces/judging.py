"""Which pieces of a draft fail, each by itself: by what can be checked, and by how sure its own tokens are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from daemon.confidence.features import UNCERTAIN, Generation, features
from daemon.confidence.judgement import CAUTIOUS, Judgement, plain_score
from daemon.loopers.pieces.base import Format, Piece, Stands
from daemon.loopers.pieces.registry import FORMATS
from providers.contract import Logprob


class Split(Struct, frozen=True):
    """A draft in pieces. failing: which of them, by number; few, and at least one."""

    format: Format
    pieces: tuple[Piece, ...]
    failing: tuple[int, ...]


def split(draft: Generation, judged: Judgement, stands: Stands) -> Split | None:
    """The draft in pieces of which fewer than half fail; None if it isn't so, or nothing tells."""
    for format in FORMATS:
        if pieces := format.split(draft.text):
            failing = _failing(format, pieces, draft, judged, stands)
            return Split(format, pieces, failing) if 0 < 2 * len(failing) < len(pieces) else None
    return None


def faulty(format: Format, pieces: Sequence[Piece], stands: Stands) -> frozenset[int]:
    """Those that can't be used. What they replace is looked for only where the conversation holds it of at least one: a file
    that nobody showed may hold anything.
    """
    wrong = {number for number, piece in enumerate(pieces) if format.fault(piece.text)}
    olds = {number: old for number, piece in enumerate(pieces) if (old := format.old(piece.text)) is not None}
    missing = {number for number, old in olds.items() if not stands(old)}
    return frozenset(wrong | missing if len(missing) < len(olds) else wrong)


def _failing(
    format: Format, pieces: Sequence[Piece], draft: Generation, judged: Judgement, stands: Stands
) -> tuple[int, ...]:
    wrong = faulty(format, pieces, stands)
    tokens = [_within(draft, piece) for piece in pieces]
    return tuple(
        number for number, own in enumerate(tokens) if number in wrong or not _sure(pieces[number], own, draft, judged)
    )


def _sure(piece: Piece, tokens: tuple[Logprob, ...], draft: Generation, judged: Judgement) -> bool:
    """Whether its own tokens pass, typical and weak ones, and its worst window. A number of the user's holds for a piece as
    for the whole; a calibrated one was measured on whole answers, so pieces have to be beyond doubt.
    """
    seen = features(Generation(tokens, piece.text, draft.question, "stop"))
    required = judged.required if judged.standing == "uncertified" else CAUTIOUS
    weakest = min(UNCERTAIN, math.log(required)) if required > 0 else -math.inf
    return seen is not None and plain_score(seen) >= required and seen.window >= weakest


def _within(draft: Generation, piece: Piece) -> tuple[Logprob, ...]:
    """The tokens of which a part stands in the piece; none, if they don't add up to the text."""
    whole = draft.text.encode()
    if b"".join(token.piece for token in draft.tokens) != whole:
        return ()
    start = len(draft.text[: piece.start].encode())
    end = start + len(piece.text.encode())
    found: list[Logprob] = []
    at = 0
    for token in draft.tokens:
        if at < end and at + len(token.piece) > start:
            found.append(token)
        at += len(token.piece)
    return tuple(found)
