"""Who may be asked beyond this machine's own models, how they do, what they cost today, and their keys."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from daemon import wire
from tui.link import TROUBLE, Link
from tui.panels.writing import said
from tui.screens.ask import Ask
from tui.screens.confirm import Confirm
from tui.screens.parted import Parted
from tui.tables.providers import Spend, Test, detail, row, spends, spent
from tui.tones import Toned
from tui.widgets.grid import Column, Row
from tui.words import counted, plain

MOST: Final = 1000
"""Records of today that are read at most."""


class Providers(Parted):
    """In the order of the settings."""

    COLUMNS = (
        Column("", 1),
        Column("Provider", 12, grows=1),
        Column("Where", 14),
        Column("Key", 14),
        Column("Health", 18, grows=1),
        Column("Today", 9, right=True),
        Column("Calls", 5, rank=1, right=True),
        Column("Models", 20, rank=2, grows=2),
        Column("Speaks", 11, rank=4),
        Column("Address", 28, rank=3, grows=1),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "test", "Test"),
        Binding("s", "set_key", "Set key"),
        Binding("x", "remove_key", "Remove key"),
        Binding("r", "again", "Look again", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "A test asks a provider for its models with its key; no request of yours is sent, and it leaves a receipt.",
        "A key goes into the keyring of the operating system, and is never shown again. "
        "`nearloop provider add NAME` and `provider remove NAME` change who is here.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._providers: dict[str, wire.ProviderInfo] | None = None
        self._tests: dict[str, Test] = {}
        self._spends: dict[str, Spend] = {}

    def show(self, kinds: frozenset[str]) -> None:
        if kinds & {"state", "settings"}:
            self._look()
        if kinds & {"state", "record", "settings"}:
            self.paint()

    def paint(self) -> None:
        midnight = self.link.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        self._spends = spends(self.link.picture.records.values(), midnight)
        super().paint()

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        """The providers, and the rest of today's records."""
        if (found := await self.told(lambda client: client.providers())) is None:
            return
        self._providers = {each.name: each for each in found.providers}
        self.paint()
        now = self.link.now().astimezone()
        since = f"{now.hour * 3600 + now.minute * 60 + now.second + 1}s"
        if (records := await self.told(lambda client: client.records(since, MOST))) is not None:
            self.link.picture.add(records.records)
            self.paint()

    def rows(self) -> list[Row]:
        found = (self._providers or {}).values()
        return [Row(each.name, row(each, self._spend(each.name), self._tests.get(each.name))) for each in found]

    def _spend(self, name: str) -> Spend:
        return self._spends.get(name, Spend())

    def line(self) -> Content:
        if self._providers is None:
            return said(Toned("asking for the providers …", "muted"))
        whole = Spend()
        for name in self._providers:
            whole.cost_usd += self._spend(name).cost_usd
            whole.unpriced += self._spend(name).unpriced
        missing = sum(each.trouble is not None for each in self._providers.values())
        parts = [Toned(f"{counted(len(self._providers), 'provider')} · {spent(whole)} today")]
        if missing:
            parts.append(Toned(f" · {counted(missing, 'key')} missing", "bad"))
        if self.link.picture.local_only:
            parts.append(Toned(" · local-only: none beyond this machine is asked", "good"))
        return said(*parts)

    def _here(self) -> wire.ProviderInfo | None:
        return (self._providers or {}).get(self.key or "")

    def detail(self, width: int) -> list[Content]:
        if self._providers is None:
            return []
        return detail(self._here(), self._spend(self.key or ""), self._tests.get(self.key or ""), width)

    def action_again(self) -> None:
        """Ask the keyring and the settings anew."""
        self._look()

    @work(group="test")
    async def action_test(self) -> None:
        """Ask it for its models."""
        if (here := self._here()) is None:
            return
        try:
            self._tests[here.name] = await self.link.call(lambda client: client.test_provider(here.name))
        except TROUBLE as trouble:
            self._tests[here.name] = str(trouble)
        self.paint()

    def action_set_key(self) -> None:
        """Type a key that nobody sees, for the keyring."""
        if (here := self._here()) is not None:
            about = "It goes into the keyring of the operating system, and is not shown again."
            name = here.name

            def typed(key: str | None) -> None:
                if key:
                    self._keep(name, key)

            self.app.push_screen(Ask(f"The key of {plain(name)}", about, secret=True), typed)

    @work(group="key", description="keep a key")  # else Textual would describe it by its arguments
    async def _keep(self, name: str, key: str) -> None:
        if await self.told(lambda client: client.set_key(name, key)) is not None:
            self._changed(name, f"The key of {name} is in the keyring")

    def action_remove_key(self) -> None:
        """Delete its key from the keyring, after a yes."""
        if (here := self._here()) is not None:
            name = here.name

            def answered(yes: bool | None) -> None:
                if yes:
                    self._remove(name)

            self.app.push_screen(Confirm(f"Delete the key of {plain(name)} from the keyring?", "Delete"), answered)

    @work(group="key")
    async def _remove(self, name: str) -> None:
        if await self.told(lambda client: client.remove_key(name)) is not None:
            self._changed(name, f"The key of {name} is deleted")

    def _changed(self, name: str, words: str) -> None:
        self._tests.pop(name, None)
        self.notify(words, markup=False)
        self._look()
