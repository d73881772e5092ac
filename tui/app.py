"""The dashboard: a table of screens, the daemon's news for the one in front, and what works on all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import Theme

from daemon.paths import Paths
from tui.feed import Feed
from tui.link import TROUBLE, Link
from tui.looks import Looks, keep, recalled
from tui.registry import SCREENS, opened
from tui.screens.away import Away
from tui.screens.base import Page
from tui.screens.confirm import Confirm
from tui.screens.help import Help
from tui.themes import BY_NAME, DARK, DEFAULTS, PLAIN, THEMES, after
from tui.widgets.topbar import TopBar
from tui.words import plain


class Dashboard(App[None]):
    """`nearloop tui`. theme: the short name of one of ours; None: the one that was chosen last."""

    CSS_PATH = Path(__file__).parent / "app.tcss"
    TITLE = "Nearloop"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(entry.key, f"open('{entry.name}')", entry.title, show=False) for entry in SCREENS),
        Binding("ctrl+l", "local_only", "Local-only", show=False),
        Binding("ctrl+t", "next_theme", "Next theme", show=False),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, paths: Paths, theme: str | None = None) -> None:
        super().__init__()
        self.link = Link(paths)
        for ours in THEMES:
            self.register_theme(ours)
        self._colourless = bool(os.environ.get("NO_COLOR"))
        self.theme = self._first_theme(theme)
        for entry in SCREENS:
            self.add_mode(entry.name, partial(opened, entry, self.link))

    def _first_theme(self, wanted: str | None) -> str:
        """What was asked for, else the one without colours where the environment wants that, else what was chosen last."""
        if wanted in BY_NAME:
            return BY_NAME[wanted].name
        if self._colourless:
            return PLAIN.name
        chosen = recalled(self.link.paths.looks).theme
        return chosen if chosen in self.available_themes else DARK.name

    def _keep_theme(self, theme: Theme) -> None:
        """The user chose another one. Without colours there is none to remember."""
        if self._colourless:
            return
        try:
            keep(self.link.paths.looks, Looks(theme.name))
        except OSError as error:
            self.notify(f"The theme can't be remembered: {plain(str(error))}", severity="warning", markup=False)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """For themes that aren't ours."""
        return DEFAULTS

    async def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._keep_theme)
        await self.switch_mode(SCREENS[0].name)
        self.run_worker(Feed(self.link, self.hear).run(), name="feed", exit_on_error=True)

    def hear(self, kinds: frozenset[str]) -> None:
        """Something happened, or nothing is heard any more: paint it on the screen in front."""
        away = next((screen for screen in self.screen_stack if isinstance(screen, Away)), None)
        if self.link.trouble is not None and away is None:
            self.push_screen(Away(self.link))
        elif self.link.trouble is None and away is not None:
            away.dismiss()
        for screen in self.screen_stack:
            if isinstance(screen, Page):
                screen.hear(kinds)

    async def action_open(self, name: str) -> None:
        """Bring a screen to the front."""
        if self.link.trouble is None or not isinstance(self.screen, Away):
            await self.switch_mode(name)

    async def on_top_bar_wanted(self, wanted: TopBar.Wanted) -> None:
        await self.action_open(wanted.name)

    def action_help(self) -> None:
        """The keys of the screen in front."""
        if not isinstance(self.screen, Help):
            self.push_screen(Help(self.screen))

    def action_next_theme(self) -> None:
        """Another of our themes."""
        self.theme = after(self.theme)

    def action_local_only(self) -> None:
        """Keep everything here at once; to let things leave again takes a yes."""
        if not self.link.picture.local_only:
            self.run_worker(self._set_local_only(True))
            return
        question = "Let requests leave this machine again, as far as the policy allows it?"
        self.push_screen(Confirm(question, "Let them leave"), self._answered)

    def _answered(self, yes: bool | None) -> None:
        if yes:
            self.run_worker(self._set_local_only(False))

    async def _set_local_only(self, on: bool) -> None:
        try:
            privacy = await self.link.call(lambda client: client.set_local_only(on))
        except TROUBLE as trouble:
            self.notify(plain(str(trouble)), severity="error", markup=False)
            return
        self.link.picture.local_only = privacy.local_only
        self.hear(frozenset({"privacy"}))
        self.notify("Everything stays on this machine" if on else "Requests may leave again, as the policy allows")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the palette offers: all screens, what the one in front can do, and what works everywhere."""
        for entry in SCREENS:
            yield SystemCommand(entry.title, entry.about, partial(self.action_open, entry.name))
        for active in screen.active_bindings.values():
            binding = active.binding
            if active.node is not self and binding.description and not binding.system and active.enabled:
                name = f"{binding.description} ({self.get_key_display(binding)})"
                yield SystemCommand(name, binding.tooltip, partial(self.run_action, binding.action, active.node))
        switch = "Let requests leave again" if self.link.picture.local_only else "Local-only: keep everything here"
        yield SystemCommand(switch, "What may leave this machine", self.action_local_only)
        yield SystemCommand("Next theme", "Dark, light, high contrast, no colour", self.action_next_theme)
        yield SystemCommand("All themes", "Choose one, ours or another's", self.search_themes)
        yield SystemCommand("Help", "The keys of this screen", self.action_help)
        yield SystemCommand("Quit", "Leave the dashboard; the daemon goes on", self.action_quit)
