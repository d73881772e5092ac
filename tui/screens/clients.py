"""Programs that ask Nearloop: their tokens and rights, and how to connect others."""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec.structs import replace
from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from daemon import wire
from tui.link import Link
from tui.panels.writing import said
from tui.screens.ask import Ask
from tui.screens.confirm import Confirm
from tui.screens.form import Field, Form
from tui.screens.parted import Parted
from tui.screens.reading import Reading
from tui.screens.scopes import Scopes
from tui.screens.token import Token
from tui.spending import Spending
from tui.tables.clients import SHELL, Entry, Use, command, connected, detail, entries, planned, row, uses
from tui.tables.limits import limits_of, may, written
from tui.tones import Toned
from tui.widgets.grid import Column, Row
from tui.words import brief, counted, plain

_NAME_CHARS: Final = 40
"""Of a client's name, before the daemon says whether it is one."""
LIMITS: Final = (
    Field("requests", "Requests", "no limit"),
    Field("tokens", "Tokens", "no limit; read and written, by all models"),
    Field("cost_usd", "USD", "no limit; by known prices: models without one are not asked then"),
)


class Clients(Parted):
    """Those with a token first, then those that can be connected."""

    COLUMNS = (
        Column("", 1),
        Column("Program", 16, grows=1),
        Column("State", 13),
        Column("May", 24, grows=2),
        Column("Requests", 8, right=True),
        Column("Stayed", 6, rank=1, right=True),
        Column("Today", 9, rank=2, right=True),
        Column("Last", 8, rank=4),
        Column("Limits today", 20, rank=3, grows=1),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "Add"),
        Binding("x", "revoke", "Revoke"),
        Binding("l", "limit", "Limits"),
        Binding("c", "connect", "Connect"),
        Binding("u", "undo", "Undo"),
        Binding("y", "copy", "Copy command", show=False),
        Binding("r", "again", "Look again", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "A program has a token of its own, so that its requests are known by its name and can be stopped alone.",
        "A token is shown once. c makes one and writes it into a program's settings, after you have seen what would change; "
        "u brings back what was there before.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._clients: tuple[wire.ClientInfo, ...] = ()
        self._programs: tuple[wire.Connectable, ...] | None = None
        self._known: tuple[object, ...] = ()
        """The edition of the programs."""
        self._uses: dict[str | None, Use] = {}
        self._fresh = self._counting = False
        """Whether requests came since it was asked what was taken, and whether that is being asked."""
        self._spending = Spending(self, self.paint, by="client")
        self._looking_at: str | None = None
        """Whose settings are looked at, which takes a moment."""

    def on_mount(self) -> None:
        super().on_mount()
        self._spending.watch()

    def show(self, kinds: frozenset[str]) -> None:
        if self.link.trouble is None:
            self._spending.hear(kinds)
        if kinds & {"state", "settings"}:
            self._look()
        elif "record" in kinds and any(each.per_day != wire.PerDay() for each in self._clients):
            self._fresh = True
            if not self._counting:
                self._count()
        if kinds & {"state", "record", "settings", "purged"}:
            self.paint()

    def paint(self) -> None:
        self._uses = uses(self.link.picture.records.values())
        super().paint()

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        """Who has a token, and then what can be connected, which takes a moment."""
        if (found := await self.told(lambda client: client.clients())) is not None:
            self._clients = found.clients
            self.paint()
        if (edition := self.edition) == self._known:
            return
        if (programs := await self.told(lambda client: client.programs())) is not None:
            self._programs, self._known = programs, edition
            self.paint()

    @work(group="count")
    async def _count(self) -> None:
        """What was taken of limits is the daemon's to say: one question at a time, however many requests rush by."""
        self._counting = True
        try:
            while self._fresh:
                self._fresh = False
                if (found := await self.told(lambda client: client.clients())) is not None:
                    self._clients = found.clients
                    self.paint()
        finally:
            self._counting = False

    def _entries(self) -> dict[str, Entry]:
        return {each.key: each for each in entries(self._clients, self._programs or ())}

    def _use(self, entry: Entry | None) -> Use:
        if entry is None or entry.client is None:
            return Use()
        name = entry.client.name
        return replace(self._uses.get(name, Use()), today=self._spending.of(name))

    def rows(self) -> list[Row]:
        return [Row(key, row(entry, self._use(entry))) for key, entry in self._entries().items()]

    def line(self) -> Content:
        parts = [Toned(f"{counted(len(self._clients), 'client')} with a token")]
        if anyone := self._uses.get(None):
            parts.append(Toned(f" · {counted(anyone.requests, 'request')} of nobody known", "muted"))
        if self._programs is None:
            parts.append(Toned(" · looking for programs …", "muted"))
        if self._looking_at is not None:
            parts.append(Toned(f" · looking at the settings of {self._looking_at} …", "accent"))
        return said(*parts)

    @property
    def _url(self) -> str:
        status = self.link.picture.status
        return f"http://127.0.0.1:{status.port if status else 6327}"

    def detail(self, width: int) -> list[Content]:
        entry = self._entries().get(self.key or "")
        return detail(entry, self._use(entry), self._url, width)

    def action_again(self) -> None:
        """Ask anew."""
        self._known = ()
        self._look()

    def action_add(self) -> None:
        """A token for a program: its name, its rights, and then the token."""

        def named(name: str | None) -> None:
            if name:
                self.app.push_screen(Scopes(brief(name, _NAME_CHARS)), lambda scopes: chosen(name, scopes))

        def chosen(name: str, scopes: tuple[str, ...] | None) -> None:
            if scopes:
                self._make(name, scopes)

        self.app.push_screen(Ask("A token for a program", "By what name is it to be known?", "my-editor"), named)

    @work(group="do")
    async def _make(self, name: str, scopes: tuple[str, ...]) -> None:
        if (made := await self.told(lambda client: client.add_client(name, scopes))) is not None:
            self.app.push_screen(Token(made, self._url))
            self._look()

    def action_limit(self) -> None:
        """What it may take a day."""
        entry = self._entries().get(self.key or "")
        if entry is None or entry.client is None:
            self.notify("It has no token, so it can't be known again", severity="warning")
        else:
            self._ask_limits(entry.client.name, written(entry.client.per_day))

    def _ask_limits(self, name: str, typed: dict[str, str], trouble: str | None = None) -> None:
        """The form, once more if what was typed can't be."""

        def done(words: dict[str, str] | None) -> None:
            if words is not None:
                self._limit(name, words)

        about = (
            "From midnight to midnight. What is over a limit is refused, with when it may ask again. "
            "An empty line is no limit."
        )
        self.app.push_screen(Form(f"What may {plain(name)} take a day?", about, LIMITS, typed, trouble), done)

    @work(group="do", description="limit a client")
    async def _limit(self, name: str, typed: dict[str, str]) -> None:
        per_day = limits_of(typed)
        if isinstance(per_day, str):
            self._ask_limits(name, typed, per_day)
            return
        if (found := await self.told(lambda client: client.limit_client(name, per_day))) is not None:
            self._clients = found.clients
            self.paint()
            self.notify(f"{name} may take a day: {may(per_day)}", markup=False)

    def action_revoke(self) -> None:
        """Take its token back, after a yes."""
        entry = self._entries().get(self.key or "")
        if entry is None or entry.client is None:
            self.notify("It has no token", severity="warning")
            return
        name = entry.client.name

        def answered(yes: bool | None) -> None:
            if yes:
                self._revoke(name)

        question = f"Take the token of {plain(name)} back? What uses it is refused from then on."
        self.app.push_screen(Confirm(question, "Take it back"), answered)

    @work(group="do")
    async def _revoke(self, name: str) -> None:
        if (left := await self.told(lambda client: client.revoke_client(name))) is not None:
            self._clients = left.clients
            self.paint()
            self.notify(f"The token of {name} is no longer valid", markup=False)

    def _program(self) -> wire.Connectable | None:
        """The one with the cursor, if it has settings that can be changed."""
        entry = self._entries().get(self.key or "")
        if entry is None or entry.program is None:
            self.notify("It has a token of its own: nothing of its settings is known here", severity="warning")
        else:
            return entry.program
        return None

    @work(group="connect", exclusive=True)
    async def action_connect(self) -> None:
        """Show what that would change, and do it after a yes."""
        if (program := self._program()) is None:
            return
        if program.name == SHELL:
            self.notify("Variables belong into a shell: y copies the command that prints them", severity="warning")
            return
        self._looking_at = program.title
        self.paint()
        plan = await self.told(lambda client: client.connect_plan(program.name))
        self._looking_at = None
        self.paint()
        if plan is None:
            return
        if not plan.files and not plan.makes_token:
            self.notify(f"{plan.title} is connected already, to {plan.url}", markup=False)
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._connect(plan)

        title = f"Have {plan.title} ask Nearloop"
        self.app.push_screen(Reading(title, lambda width: planned(plan, width), "connect it"), answered)

    @work(group="connect", description="connect a program")
    async def _connect(self, plan: wire.ConnectPlan) -> None:
        if (done := await self.told(lambda client: client.connect_program(plan.name, plan.digest))) is not None:
            title = f"{done.title} is connected"
            self.app.push_screen(Reading(title, lambda width: connected(done, width), copies=done.steps))
        self.action_again()

    def action_undo(self) -> None:
        """Bring back what was there before, after a yes."""
        if (program := self._program()) is None:
            return
        if program.token is None:
            self.notify("It is not connected", severity="warning")
            return
        question = f"Bring back the settings that {plain(program.title)} had before, and take its token back?"
        self.app.push_screen(Confirm(question, "Undo"), lambda yes: self._undo(program.name, yes))

    def _undo(self, name: str, yes: bool | None) -> None:
        if yes:
            self._take_back(name)

    @work(group="connect", description="undo a connection")
    async def _take_back(self, name: str) -> None:
        if (undone := await self.told(lambda client: client.undo_connection(name))) is not None:
            told = [f"{path} is as it was" for path in undone.restored] + [
                f"{path} is gone again" for path in undone.gone
            ]
            told.append(f"The token of {name} is no longer valid")
            for each in told:
                self.notify(plain(each), markup=False)
        self.action_again()

    def action_copy(self) -> None:
        """The command that connects it, or takes that back."""
        if (entry := self._entries().get(self.key or "")) is not None:
            self.app.copy_to_clipboard(command(entry))
            self.notify(f"Copied {command(entry)}", markup=False)
