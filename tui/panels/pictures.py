"""What was seen of the pictures and documents that a request carried; nothing for a request without any."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from daemon import wire
from tui.drawing import scale
from tui.panels.codes import UNSEEN
from tui.panels.writing import cell, said
from tui.tones import Toned
from tui.words import counted, size

_KIND: Final = 18
_FORM: Final = 24


def lines(record: wire.Record, width: int) -> list[Content]:
    """Two lines for each: what it is, and what is in it."""
    told = [line for picture in record.pictures for line in _picture(picture, width)]
    if record.pictures_before:
        told.insert(0, said(Toned(f"{counted(record.pictures_before, 'older one')} before these", "muted")))
    return told


def _picture(picture: wire.Picture, width: int) -> list[Content]:
    where = Toned(f"  in {picture.path}", "muted")
    if picture.error is not None:
        why = UNSEEN.get(picture.error, picture.error)
        return [said(Toned("◌ ", "warn"), Toned(f"{picture.part} not seen: {why}", "warn"), where)]
    room = max(6, min(20, width - _KIND - 10))
    sure = picture.probability
    kind = (picture.kind or "kind not known").replace("_", " ")
    if picture.thing is not None:
        kind = f"{kind}: {picture.thing.replace('_', ' ')}"
    told = (
        [said("▣ ", cell(kind, _KIND), " ", Toned(scale(sure, None, room), "accent"), f" {sure:4.2f}")] if sure else []
    )
    told = told or [said("▣ ", cell(kind, _KIND))]
    form = f"{picture.form or '?'} {picture.width} × {picture.height}" if picture.width else picture.form or "?"
    facts = [cell(form, _FORM).rstrip()]
    if picture.pages > 1:
        facts.append(counted(picture.pages, "page"))
    if picture.size_bytes is not None:
        facts.append(size(picture.size_bytes))
    facts.append(counted(picture.words, "word"))
    if picture.explicit is not None:
        facts.append(f"nudity {picture.explicit:.2f}")
    if picture.took_ms is not None:
        facts.append(f"{picture.took_ms:.0f} ms")
    told.append(said("  ", Toned(" · ".join(facts), "muted"), where))
    if picture.findings:
        found = ", ".join(f"{count} × {label}" for label, count in sorted(picture.findings.items()))
        told.append(said(Toned(f"  ▪ {found}", "warn")))
    return told
