"""Which models there are, what is in memory and where it runs, and what is being fetched."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from daemon import wire
from daemon.client import Client
from tui.link import Link
from tui.panels.writing import said
from tui.screens.ask import Ask
from tui.screens.confirm import Confirm
from tui.screens.parted import Parted
from tui.tables.models import Entry, detail, entries, row
from tui.tones import Toned
from tui.widgets.grid import Column, Row
from tui.words import counted, plain, size


class Models(Parted):
    """Those in use first, then what is here, then what could be fetched."""

    COLUMNS = (
        Column("", 1),
        Column("Model", 22, grows=3),
        Column("State", 13),
        Column("On", 6),
        Column("Memory", 8, rank=2, right=True),
        Column("Busy", 5, rank=1, right=True),
        Column("Stays", 7),
        Column("Restarts", 8, rank=4, right=True),
        Column("Window", 6, rank=5, right=True),
        Column("Size", 9, rank=3, right=True),
        Column("Kind", 10, rank=7),
        Column("Licence", 14, rank=6, grows=1),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "load", "Load"),
        Binding("u", "unload", "Unload"),
        Binding("s", "keep", "Stay"),
        Binding("f", "fetch", "Fetch"),
        Binding("o", "fetch_other", "Fetch other"),
        Binding("x", "stop", "Stop fetching", show=False),
        Binding("y", "copy", "Copy name", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "Models of this machine. A model loads when it is first asked, and its memory is given back after a while; "
        "s has it stay until the daemon ends.",
        "f fetches a model of the hub, o one that is not in the table: ORGANISATION/REPOSITORY FILE.gguf.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._inventory: wire.Inventory | None = None
        self._devices: wire.Devices | None = None
        self._known: tuple[object, ...] = ()
        """The edition of the inventory."""

    def show(self, kinds: frozenset[str]) -> None:
        if kinds & {"state", "settings", "fetch"}:
            self._look_if_changed()
        if kinds & {"state", "model", "fetch", "settings"}:
            self.paint()

    @property
    def edition(self) -> tuple[object, ...]:
        fetches = self.link.picture.fetches.values()
        return (*super().edition, *((each.model, each.state) for each in fetches if each.state != "running"))

    def _look_if_changed(self) -> None:
        if self._known != self.edition:
            self._known = self.edition  # progress that is told meanwhile begins no other look
            self._look()

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        """Ask for what no event tells."""
        if (devices := await self.told(lambda client: client.devices())) is not None:
            self._devices = devices
            self.paint()
        if (inventory := await self.told(lambda client: client.inventory())) is not None:
            self._inventory = inventory
            self.paint()
        else:
            self._known = ()  # the next news asks again

    def _entries(self) -> dict[str, Entry]:
        picture = self.link.picture
        holdings = self._inventory.models if self._inventory else ()
        before = {fetch.model: fetch for fetch in self._inventory.fetches} if self._inventory else {}
        found = entries(picture.models.values(), holdings, before | picture.fetches)
        return {each.name: each for each in found}

    def rows(self) -> list[Row]:
        return [Row(name, row(entry)) for name, entry in self._entries().items()]

    def line(self) -> Content:
        loaded = sum(model.state == "ready" for model in self.link.picture.models.values())
        parts = [Toned(f"{counted(len(self.link.picture.models), 'model')} in use, {loaded} loaded")]
        if self._devices is not None:
            power = self._devices.power
            free = f" · {size(power.memory_available_bytes)} of {size(power.memory_total_bytes)} memory free"
            parts.append(Toned(free, "muted"))
            parts.append(Toned(f" · {', '.join(device.id for device in self._devices.devices)}", "muted"))
            if self._devices.trouble:
                parts.append(Toned(f" · {self._devices.trouble}", "warn"))
        if self._inventory is None:
            parts.append(Toned(" · looking for others …", "muted"))
        return said(*parts)

    def detail(self, width: int) -> list[Content]:
        return detail(self._entries().get(self.key or ""), width)

    def _of(self, wanted: str) -> wire.Model | None:
        """The model with the cursor, if it is in use."""
        entry = self._entries().get(self.key or "")
        if entry is None or entry.model is None:
            self.notify(f"Only a model in use can be {wanted}", severity="warning")
            return None
        return entry.model

    def action_load(self) -> None:
        """Into memory, now."""
        if (model := self._of("loaded")) is not None:
            self._do(lambda client: client.load_model(_bare(model), 0.0))

    def action_unload(self) -> None:
        """Give its memory back."""
        if (model := self._of("unloaded")) is not None:
            self._do(lambda client: client.unload_model(_bare(model)))

    def action_keep(self) -> None:
        """Have it stay loaded, or as the settings say."""
        if (model := self._of("kept")) is not None:
            pinned = model.keep_s is not None
            self._do(lambda client: client.keep_model(_bare(model), pinned))

    def action_fetch(self) -> None:
        """Fetch it from the hub, after a yes."""
        entry = self._entries().get(self.key or "")
        if entry is None or entry.holding is None or entry.holding.source != "hub" or entry.fetching:
            self.notify("It is here already, or on its way", severity="warning")
            return
        holding = entry.holding
        about = f"{size(holding.size_bytes)}, " if holding.size_bytes else ""
        question = f"Fetch {plain(entry.name)} from the hub? {about}licence: {plain(holding.licence or 'unknown')}"
        self.app.push_screen(Confirm(question, "Fetch"), lambda yes: self._begin(entry.name, None) if yes else None)

    def action_fetch_other(self) -> None:
        """Fetch one that is not in the table."""
        about = "Its repository on the hub, and its file if there are several"
        self.app.push_screen(Ask("Fetch a model", about, "ORGANISATION/REPOSITORY FILE.gguf"), self._named)

    def _named(self, words: str | None) -> None:
        if words:
            model, _, file = words.partition(" ")
            self._begin(model, file.strip() or None)

    def _begin(self, model: str, file: str | None) -> None:
        self._do(lambda client: client.begin_fetch(model, file))

    def action_stop(self) -> None:
        """Stop fetching it; what came is kept."""
        entry = self._entries().get(self.key or "")
        if entry is not None and entry.fetching:
            self._do(lambda client: client.stop_fetch(entry.name))

    def action_copy(self) -> None:
        """Its name, for a program's settings."""
        if self.key is not None:
            self.app.copy_to_clipboard(f"local/{self.key}")
            self.notify(f"Copied local/{self.key}", markup=False)

    @work(group="do")
    async def _do(self, what: Callable[[Client], object]) -> None:
        await self.told(what)


def _bare(model: wire.Model) -> str:
    return model.name.removeprefix("local/")
