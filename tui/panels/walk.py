"""The way through the corridor on one line: who asked, what was seen, how far it might go, who chose, who answered."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from daemon import wire
from tui.panels.codes import REACH
from tui.panels.signals import matched
from tui.panels.writing import Part, said
from tui.requests import EGRESS, OUTCOMES, answered_by
from tui.tones import Toned
from tui.words import counted, day, lasted

_ARROWS: Final = (" ─▶ ", " ▸ ")
"""The first that fits; else each stage has a line of its own."""


def lines(record: wire.Record, width: int) -> list[Content]:
    """What it comes to, when it was, and the way."""
    mark, by = OUTCOMES[record.outcome], answered_by(record)
    head = said(mark, " ", Toned(record.outcome, mark.tone), " by " if record.outcome == "answered" else ": ", by)
    facts: list[Part] = [
        EGRESS[record.egress],
        Toned(" · ", "muted"),
        lasted(record.took_ms),
        Toned(" · ", "muted"),
        _length(record),
    ]
    when = f"{day(record.at)} · {record.id} · {record.protocol} · {'streamed' if record.streamed else 'whole'}"
    stages = _stages(record)
    bare = sum(len(stage.words) for stage in stages)
    arrow = next((each for each in _ARROWS if bare + len(each) * (len(stages) - 1) <= width), None)
    if arrow is None:
        way = [said(Toned("▸ " if index else "  ", "muted"), stage) for index, stage in enumerate(stages)]
    else:
        way = [said(stages[0], *(part for stage in stages[1:] for part in (Toned(arrow, "muted"), stage)))]
    return [head, said(*facts), said(Toned(when, "muted")), said(""), *way]


def _length(record: wire.Record) -> str:
    return f"{counted(record.messages, 'message')}, {record.prompt_chars} → {record.answer_chars} characters"


def _stages(record: wire.Record) -> list[Toned]:
    found = [each for each in record.seen if matched(each)]
    stages = [Toned(f"{record.client or 'anyone'} asks {record.model}", "strong")]
    stages.append(Toned(counted(len(found), "signal"), "plain" if found else "muted"))
    if record.clearance is not None:
        stages.append(Toned(record.clearance.reach, REACH[record.clearance.reach].tone))
    if record.decision is not None:
        route = record.decision.route
        stages.append(Toned(route.decision or route.recipe if route else record.decision.rule))
    stages.append(Toned(counted(len(record.attempts), "attempt"), "plain" if record.attempts else "muted"))
    stages.append(Toned(record.outcome, OUTCOMES[record.outcome].tone))
    return stages
