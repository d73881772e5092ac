"""What left this machine, by its receipts, whether their chain holds, and what that proves."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

import msgspec
from textual.binding import Binding, BindingType
from textual.content import Content

from daemon import wire
from tui.link import Link
from tui.panels.writing import said, wrapped
from tui.screens.ask import Ask
from tui.screens.privacy.part import Part
from tui.screens.request import Request
from tui.tables.receipts import chain, chain_lines, lines, proof_lines, row, verdict
from tui.tones import Toned
from tui.widgets.detail import Detail
from tui.widgets.grid import Column, Row

MOST: Final = 500
_SEVERITY: Final[dict[str, Literal["information", "warning", "error"]]] = {
    "nothing-left": "information",
    "left": "warning",
    "not-proven": "error",
}


class Receipts(Part):
    """The newest first."""

    HEARS = frozenset({"receipt"})
    COLUMNS = (
        Column("No", 5, right=True),
        Column("When", 14),
        Column("To", 16, grows=2),
        Column("Place", 14, rank=3),
        Column("Sent", 8, rank=1, right=True),
        Column("Words", 12),
        Column("How it ended", 21, rank=2),
        Column("Host", 22, rank=4, grows=2),
        Column("Record", 16, rank=5),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "verify", "Verify"),
        Binding("p", "prove", "Prove"),
        Binding("o", "request", "Request"),
        Binding("c", "copy", "Copy"),
    ]

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._receipts: dict[str, wire.Receipt] = {}
        self._instead: wire.ReceiptChain | wire.LocalProof | None = None
        """The chain, or what it proves, instead of the receipt with the cursor."""

    def name_now(self) -> str:
        known = len(self._receipts)
        return f"Receipts {known}{'+' if known == MOST else ''}" if known else "Receipts"

    async def fetch(self) -> None:
        found = await self.page.told(lambda client: client.receipts(None, MOST))
        if found is not None:
            self._receipts = {str(each.number): each for each in found.receipts}

    def rows(self) -> list[Row]:
        return [Row(key, row(each)) for key, each in self._receipts.items()]

    def detail(self, width: int) -> list[Content]:
        match self._instead:
            case wire.ReceiptChain() as found:
                return chain_lines(found, width)
            case wire.LocalProof() as proof:
                return proof_lines(proof, width)
        shown = self._receipts.get(self.key or "")
        if shown is None:
            about = "Before the first byte of anything leaves, its receipt is on the disk, chained to the one before."
            return [said(Toned("Nothing has left this machine", "good")), said(""), *wrapped(about, width)]
        return lines(shown, width)

    def moved(self) -> None:
        self._instead = None
        super().moved()

    def chosen(self) -> None:
        self.action_request()

    async def action_verify(self) -> None:
        """Check the chain."""
        found = await self.page.told(lambda client: client.receipt_chain())
        if found is None:
            return
        self._instead = found
        self.query_one(Detail).show("chain", self.detail)
        self.notify(chain(found).plain, severity="information" if found.whole else "error", markup=False)

    def action_prove(self) -> None:
        """Ask what left since a time."""
        about = "An age such as 12h or 7d, or a date such as 2026-11-30: what left since then, and from what evidence."
        self.app.push_screen(Ask("Prove local: since when?", about, "7d"), self._since)

    def _since(self, when: str | None) -> None:
        if when:
            self.run_worker(self._prove(when))

    async def _prove(self, when: str) -> None:
        found = await self.page.told(lambda client: client.prove_local(when))
        if found is None:
            return
        self._instead = found
        self.query_one(Detail).show("proof", self.detail)
        self.notify(verdict(found).plain, severity=_SEVERITY[found.verdict], markup=False)

    def action_request(self) -> None:
        """The request that it was for."""
        shown = self._receipts.get(self.key or "")
        if shown is not None and shown.record is not None:
            self.app.push_screen(Request(self.link, shown.record))
        elif shown is not None:
            self.notify("It was for no request: no words left with it")

    def action_copy(self) -> None:
        """All of it as JSON; or the chain's head, while that or what it proves is shown."""
        shown = self._receipts.get(self.key or "")
        head = self._head()
        if head is not None:
            self.app.copy_to_clipboard(head)
            self.notify("Copied the chain's head")
        elif shown is not None:
            self.app.copy_to_clipboard(msgspec.json.format(msgspec.json.encode(shown)).decode())
            self.notify(f"Copied receipt {shown.number}")

    def _head(self) -> str | None:
        match self._instead:
            case wire.ReceiptChain(head=head):
                return head
            case wire.LocalProof(chain=chain):
                return chain.head
        return None
