"""How sure a draft was, token by token, and of the whole where it was judged, against what it needed."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Final

from textual.content import Content

from daemon import wire
from tui.drawing import Dot, curve
from tui.panels.writing import said, wrapped
from tui.tones import STYLES, Tone, Toned
from tui.words import counted

_AXIS: Final = 8
_WIDEST: Final = 84
_TONES: Final[dict[str, Tone]] = {"": "plain", "curve": "accent", "line": "warn", "mark": "strong"}


def lines(attempt: wire.Attempt, width: int, height: int) -> list[Content]:
    """So many rows of cells, with an axis and what came of it; nothing if no token was measured."""
    if not attempt.curve:
        return []
    room = max(8, min(_WIDEST, width - _AXIS))
    tokens = attempt.curve_tokens
    marks = [((look.tokens - 0.5) / tokens, look.score) for look in attempt.looks if look.tokens <= tokens]
    drawn = curve([math.exp(each) for each in attempt.curve], room, height, attempt.threshold, marks)
    told = [_legend(attempt)]
    for number, row in enumerate(drawn):
        label = {0: "  1.0 ┤", height - 1: "  0.0 ┤"}.get(number, "      │")
        told.append(Content.assemble((label, "$muted"), *_pieces(row)))
    told.append(_axis(attempt, room))
    told += wrapped(came_of_it(attempt), width, "  ", "plain" if attempt.looks else "muted")
    return told


def came_of_it(attempt: wire.Attempt) -> str:
    """At which token it was begun, given up or found wanting, as far as that is known."""
    if not attempt.looks:
        judged = "and nobody judged it" if attempt.passed is None else "judged as a whole"
        return f"{counted(attempt.curve_tokens, 'token')}, {judged}"
    last = attempt.looks[-1]
    of = f"token {last.tokens} of {attempt.curve_tokens}" if last.tokens < attempt.curve_tokens else "its last token"
    match last.verdict:
        case "hopeless":
            return f"▲ stopped at {of}: it could not have become sure enough"
        case "passed":
            return f"▲ sure enough at {of}: {last.score:.2f} of {last.threshold:.2f}"
        case "failed":
            return f"▲ not sure enough at {of}: {last.score:.2f} of {last.threshold:.2f}"
        case _:
            return f"▲ last judged at {of}: {last.score:.2f} of {last.threshold:.2f}"


def _legend(attempt: wire.Attempt) -> Content:
    parts: list[str | Toned] = ["  ", Toned("⣀⡠⠔", "accent"), Toned(" tokens", "muted")]
    if attempt.looks:
        parts += [Toned("  ● ", "strong"), Toned("draft", "muted")]
    if attempt.threshold is not None:
        parts += [Toned("  ┄ ", "warn"), Toned(f"{attempt.threshold:.2f} needed", "muted")]
    return said(*parts)


def _axis(attempt: wire.Attempt, room: int) -> Content:
    """From the first token to the last, with a stroke where the last look was."""
    end = counted(attempt.curve_tokens, "token")
    cells = list("1".ljust(max(2, room - len(end))) + end)
    if attempt.looks:
        place = min(room - 1, int((attempt.looks[-1].tokens - 0.5) / attempt.curve_tokens * room))
        if place < room - len(end) - 1 and place > 1:
            cells[place] = "▲"
    return said("       ", Toned("".join(cells), "muted"))


def _pieces(row: list[Dot]) -> list[tuple[str, str]]:
    return [
        ("".join(dot.sign for dot in dots), STYLES[_TONES[what]]) for what, dots in groupby(row, lambda dot: dot.what)
    ]
