"""How far the request might travel, by class of what was found, and what the user was asked."""

from __future__ import annotations

from textual.content import Content

from daemon import wire
from tui.panels.codes import ANSWERS, REACH, TREATMENT, WHY, WHY_NOT_REDUCED
from tui.panels.writing import cell, said, wrapped
from tui.tones import Toned
from tui.words import counted


def lines(record: wire.Record, width: int) -> list[Content]:
    """The verdict, then what it rests on."""
    clearance = record.clearance
    if clearance is None:
        return [said(Toned("it was refused before that", "muted"))]
    told = [said(REACH[clearance.reach])]
    for code in clearance.why:
        told += wrapped(WHY.get(code, code), width, "  ")
    told += [_finding(finding) for finding in clearance.findings]
    for provider, own in clearance.providers.items():
        told.append(said(Toned(f"{provider}: ", "muted"), REACH[own.reach]))
    for asked in record.asked:
        after = Toned(f" after {asked.waited_s:.0f} s", "muted")
        told.append(said(f"asked about {asked.to}: ", ANSWERS[asked.outcome], after))
    if record.reduction is not None:
        changes = ", ".join(f"{count} {kind}" for kind, count in record.reduction.changes.items())
        why = record.reduction.why
        less = Toned(changes or (WHY_NOT_REDUCED.get(why, why) if why else "–"), "warn")
        told.append(said(f"said with less, by {record.reduction.by}: ", less))
    if record.kept_back:
        told.append(said(Toned(f"{counted(record.kept_back, 'tool call')} kept a secret's alias", "warn")))
    return told


def _finding(finding: wire.Finding) -> Content:
    return said(
        Toned("  ▪ ", "warn"), f"{finding.count:3} × ", cell(finding.label, 18), " ", TREATMENT[finding.treatment],
        Toned(f"  in {finding.path}", "muted"),
    )  # fmt: skip
