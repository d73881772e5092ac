"""Recipes: which one decides, its earlier versions, and one's own words for it."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from daemon import wire
from tui.editing import NoEditor, edited
from tui.link import Link
from tui.panels.writing import said
from tui.picture import EVERYTHING
from tui.screens.ask import Ask
from tui.screens.base import Page
from tui.screens.confirm import Confirm
from tui.tables import recipes as table
from tui.tones import Toned
from tui.widgets.detail import Detail
from tui.widgets.grid import Column, Grid, Row
from tui.words import plain

COLUMNS = (Column("", 1), Column("Recipe", 12, grows=2), Column("", 11), Column("", 22, rank=1, grows=4))
NONE = wire.Recipes(None)


class Recipes(Page):
    """Those there are and the versions of the one in use; beside them the text, or what is different."""

    DEFAULT_CSS = """
    Recipes #line { height: 1; padding: 0 1; background: $surface; }
    Recipes #parts { height: 1fr; }
    Recipes Grid { width: 34; margin-right: 1; }
    Recipes.-wide Grid { width: 62; }
    Recipes Detail { width: 1fr; border-left: solid $border; }
    Recipes Detail:focus { border-left: solid $primary; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-normal"), (140, "-wide")]  # noqa: RUF012  # as Textual has it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "use", "Use"),
        Binding("d", "compare", "Diff"),
        Binding("v", "validate", "Validate"),
        Binding("e", "edit", "Edit"),
        Binding("x", "none", "None", show=False),
        Binding("r", "reload", "Reload", show=False),
    ]
    HELP_LINES: ClassVar[tuple[str, ...]] = (
        "A recipe says which requests go where. u puts the one with the cursor to use, or has an earlier version back.",
        "e opens the text in $EDITOR; what comes back is checked and shown as a difference before it is written.",
    )

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._used = NONE
        self._offers: dict[str, wire.RecipeOffer] = {}
        self._texts: dict[str, str] = {}
        """By key of the row, and digest."""
        self._other: tuple[str, list[Content]] | None = None
        """What is shown instead of the text, of which row."""

    def body(self) -> ComposeResult:
        yield Static(id="line")
        with Horizontal(id="parts"):
            yield Grid(COLUMNS, id="recipes")
            yield Detail()

    def on_mount(self) -> None:
        self.query_one(Grid).focus()

    def show(self, kinds: frozenset[str]) -> None:
        if kinds & (EVERYTHING | {"recipe", "settings"}) and self.link.trouble is None:
            self._look()

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        found = await self.told(lambda client: (client.recipes(), client.offered_recipes()))
        if found is not None:
            self._used, offered = found
            self._offers = {f"offer {each.name}": each for each in offered.recipes}
            self._texts.clear()
            self._paint()

    def _paint(self) -> None:
        if not self.query(Grid):
            return
        rows = [Row(key, table.offer_row(each, self._used)) for key, each in self._offers.items()]
        versions = [] if self._used.name is None else sorted(self._used.versions, key=lambda each: -each.number)
        rows += [Row(f"version {each.number}", table.version_row(each, self._used)) for each in versions]
        self.query_one(Grid).show(rows)
        self.query_one("#line", Static).update(table.standing(self._used))
        self._beside()

    def _beside(self) -> None:
        key = self.query_one(Grid).key
        if key is not None and key not in self._texts:
            self._fetch(key)
        self.query_one(Detail).show(key, self._detail)

    @work(exclusive=True, group="text")
    async def _fetch(self, key: str) -> None:
        found = await self._text(key)
        if found is not None and self.query(Grid) and key == self.query_one(Grid).key:
            self.query_one(Detail).show(key, self._detail)

    async def _text(self, key: str) -> str | None:
        """Of the recipe or version of a row."""
        if key not in self._texts:
            name = self._offer(key)
            number = self._version(key)
            found = await self.told(
                lambda client: client.offered_recipe(name) if name is not None else client.recipe_text(number)
            )
            if found is None:
                return None
            self._texts[key] = found.text
        return self._texts[key]

    def _detail(self, width: int) -> list[Content]:
        key = self.query_one(Grid).key
        if key is None:
            return [said(Toned("no recipes yet", "muted"))]
        if self._other is not None and self._other[0] == key:
            return self._other[1]
        words = self._texts.get(key)
        problems = table.problems(table.worth_telling(self._used), width) if self._offer(key) == self._used.name else []
        return [*problems, *([said("")] if problems else []), *(table.text(words) if words is not None else [])]

    def _offer(self, key: str | None) -> str | None:
        kind, _, name = (key or "").partition(" ")
        return name if kind == "offer" else None

    def _version(self, key: str | None) -> int | None:
        kind, _, number = (key or "").partition(" ")
        return int(number) if kind == "version" else None

    @on(Grid.Moved, "#recipes")
    def _on_moved(self) -> None:
        self._other = None
        self._beside()

    @on(Grid.Chosen, "#recipes")
    def _on_chosen(self, chosen: Grid.Chosen) -> None:
        if not isinstance(chosen, Grid.Moved):
            self.query_one(Detail).focus()

    def _instead(self, key: str, lines: list[Content]) -> None:
        self._other = (key, lines)
        self.query_one(Detail).show(f"{key}, instead", self._detail)

    @property
    def _width(self) -> int:
        return self.query_one(Detail).scrollable_content_region.width

    async def action_compare(self) -> None:
        """With the one in use: part by part where the daemon has both, and line by line."""
        key = self.query_one(Grid).key
        if key is None or self._used.name is None:
            self.notify("No recipe is in use to compare with", severity="warning")
            return
        before, now = await self._text(key), await self.told(lambda client: client.recipe_text())
        if before is None or now is None:
            return
        told = [said(Toned("from here to the one in use", "muted")), said("")]
        number = self._version(key)
        if number is not None:
            parts = await self.told(lambda client: client.compare_recipe(number, None))
            told += [*table.compared(parts, self._width), said("")] if parts else []
        self._instead(key, [*told, *table.lines_apart(before, now.text)])

    async def action_validate(self) -> None:
        """Say what is wrong with it."""
        key = self.query_one(Grid).key
        words = await self._text(key) if key else None
        if key is None or words is None:
            return
        found = await self.told(lambda client: client.check_recipe(words))
        if found is not None:
            self._instead(key, table.checked(found, self._width))

    def action_use(self) -> None:
        """The recipe, or the version, with the cursor."""
        key = self.query_one(Grid).key
        name, number = self._offer(key), self._version(key)
        if name is not None and name != self._used.name:
            question = plain(f"Have the recipe {name} decide from now on?")
            self.app.push_screen(Confirm(question, "Use it"), lambda yes: self._use(name, yes))
        elif number is not None and self._used.digest is not None:
            question = f"Have version {number} back? Its text is written into the recipe's file."
            self.app.push_screen(Confirm(question, "Have it back"), lambda yes: self._back(number, yes))

    def action_none(self) -> None:
        """No recipe."""
        if self._used.name is not None:
            question = "Have no recipe decide? `auto` asks here first then, and the cloud if that isn't sure."
            self.app.push_screen(Confirm(question, "No recipe"), lambda yes: self._use(None, yes))

    def _use(self, name: str | None, yes: bool | None) -> None:
        if yes:
            self.run_worker(self._changed(self.told(lambda client: client.use_recipe(name)), "In use now"))

    def _back(self, number: int, yes: bool | None) -> None:
        digest = self._used.digest
        if yes and digest is not None:
            asked = self.told(lambda client: client.roll_back_recipe(number, digest))
            self.run_worker(self._changed(asked, f"Version {number} is in use"))

    async def action_reload(self) -> None:
        """Take in what the file says now."""
        await self._changed(self.told(lambda client: client.reload_recipe()), "Read anew")

    async def _changed(self, asked: Awaitable[wire.Recipes | None], done: str) -> None:
        if await asked is not None:
            self.notify(done)
        self._other = None
        self._look()

    async def action_edit(self) -> None:
        """In the user's editor; the dashboard waits."""
        key = self.query_one(Grid).key
        words, digest = await self._text(key) if key else None, self._used.digest
        if key is None or words is None:
            return
        suffix = ".yaml" if (self._offer(key) or self._used.name or "").endswith(("yaml", "yml", "json")) else ".dsl"
        try:
            with self.app.suspend():
                new = edited(words, suffix)
        except NoEditor as error:
            self.notify(str(error), severity="error", markup=False)
            return
        except SuspendNotSupported:  # in a browser there is no terminal to lend
            self.notify("There is no terminal for an editor here: change the recipe's file", severity="error")
            return
        self.refresh()
        if new == words:
            self.notify("Nothing was changed")
            return
        self._instead(key, table.lines_apart(words, new))
        name = self._offer(key)
        writable = self._used.path is not None and (name is None or name == self._used.name)
        if writable and digest is not None:
            found = await self.told(lambda client: client.check_recipe(new))
            if found is None:
                return
            if not found.usable:
                self._instead(key, [*table.checked(found, self._width), said(""), *table.lines_apart(words, new)])
                self.notify("It can't be used, and was not written", severity="error")
                return
            question = "Write the text that is shown behind this into the recipe's file?"
            self.app.push_screen(Confirm(question, "Write it"), lambda yes: self._write(new, digest, yes))
            return
        about = "It becomes a file of your own beside the settings, and is not in use yet."
        self.app.push_screen(Ask("Called what?", about, f"mine{suffix}"), lambda called: self._add(called, new))

    def _write(self, text: str, digest: str, yes: bool | None) -> None:
        if yes:
            asked = self.told(lambda client: client.write_recipe(text, digest))
            self.run_worker(self._changed(asked, "Written, and in use"))

    def _add(self, name: str | None, text: str) -> None:
        if name:
            self.run_worker(self._shelve(name, text))

    async def _shelve(self, name: str, text: str) -> None:
        if await self.told(lambda client: client.add_recipe(name, text)) is not None:
            self.notify(f"{name} is there: u puts it to use", markup=False)
            self._other = None
        self._look()
