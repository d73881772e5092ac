"""What the answer cost."""

from __future__ import annotations

from textual.content import Content

from daemon import wire
from tui.panels.writing import said
from tui.tones import Toned
from tui.words import counted, energy, money


def lines(record: wire.Record, width: int) -> list[Content]:
    """Calls, tokens, money, energy, and limits that were met."""
    ledger = record.ledger
    parts = [counted(ledger.calls, "call"), f"{ledger.prompt_tokens} → {counted(ledger.completion_tokens, 'token')}"]
    parts.append(money(ledger.cost_usd))
    parts.append("energy not told" if ledger.joules is None else energy(ledger.joules))
    told = [said(" · ".join(parts))]
    if ledger.unpriced:
        told.append(said(Toned(f"{counted(ledger.unpriced, 'call')} whose price nobody knows", "warn")))
    if ledger.hedges:
        hedges = (
            f"{counted(ledger.hedges, 'call')} beside a draft, not needed in the end: {money(ledger.hedges_cost_usd)}"
        )
        told.append(said(Toned(hedges, "muted")))
    if ledger.reckoned:
        told.append(
            said(Toned(f"{counted(ledger.reckoned, 'token')} more of calls that were cut, as reckoned", "muted"))
        )
    if ledger.spent:
        told.append(said(Toned(f"limits met: {', '.join(ledger.spent)}", "warn")))
    return told
