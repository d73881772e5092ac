"""The policy in force."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content

from daemon import wire
from tui.link import Link
from tui.screens.privacy.part import Part
from tui.tables.policy import lines
from tui.widgets.detail import Detail


class Policy(Part):
    """All of it under each other."""

    DEFAULT_CSS = """
    Policy Detail, .-wide Policy Detail { height: 1fr; width: 1fr; max-width: 100%; border: none; }
    Policy Detail:focus, .-wide Policy Detail:focus { border: none; }
    """
    SCOPED_CSS = False
    HEARS = frozenset({"settings"})

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._policy: wire.PolicyInForce | None = None

    def compose(self) -> ComposeResult:
        yield Detail()

    def name_now(self) -> str:
        return f"Policy {self._policy.privacy}" if self._policy else "Policy"

    async def fetch(self) -> None:
        self._policy = await self.page.told(lambda client: client.policy()) or self._policy

    def detail(self, width: int) -> list[Content]:
        return lines(self._policy, width) if self._policy else []

    def paint(self) -> None:
        if self.is_attached and self.query(Detail):
            self.query_one(Detail).show("policy", self.detail)

    def enter(self) -> None:
        self.query_one(Detail).focus()
