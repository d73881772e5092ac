"""The icon's owner, with a daemon's events on one side and a panel that writes down on the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from daemon import wire
from daemon.paths import Paths
from tests.fakes import told_spending
from tests.fakes.played_daemon import PlayedDaemon, playing
from tests.fakes.told_records import draft, receipt, record
from tui.link import Link
from tui.tray.login import login
from tui.tray.menu import Act, Item
from tui.tray.notices import Notice
from tui.tray.states import State
from tui.tray.tray import Tray


class Written:
    """A panel that writes down what it is told."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self.items: tuple[Item, ...] = ()
        self.notices: list[Notice] = []
        self.stopped = False

    def show(self, state: State, title: str, items: tuple[Item, ...]) -> None:
        if self.states[-1:] != [state]:
            self.states.append(state)
        self.items = items

    def notify(self, notice: Notice) -> None:
        self.notices.append(notice)

    def stop(self) -> None:
        self.stopped = True

    def item(self, act: Act) -> Item:
        """The line, or the line of a menu below, that does this."""
        lines = [line for item in self.items for line in (item, *item.items)]
        return next(line for line in lines if line.act is act)


class Owned:
    """A tray, its panel, and what it started."""

    def __init__(self, where: Paths, tmp_path: Path) -> None:
        self.panel = Written()
        self.started: list[list[str]] = []
        made = login(["nearloop-tray"], "linux", {"XDG_CONFIG_HOME": str(tmp_path)}, tmp_path)
        self.tray = Tray(Link(where), made, self.started.append)

    async def until_state(self, state: State) -> None:
        """Until the icon says so, or fail."""
        async with asyncio.timeout(20):
            while self.panel.states[-1:] != [state]:
                await asyncio.sleep(0.01)

    async def click(self, act: Act) -> None:
        """As a panel does."""
        async with asyncio.timeout(20):
            while True:
                try:
                    self.tray.clicked(self.panel.item(act))
                    return
                except StopIteration:
                    await asyncio.sleep(0.01)


@pytest.fixture
async def owned(where: Paths, tmp_path: Path) -> AsyncIterator[Owned]:
    """Begun, and ended."""
    made = Owned(where, tmp_path)
    made.tray.begin(made.panel)
    yield made
    await asyncio.to_thread(made.tray.end)


@pytest.fixture
async def daemon(where: Paths) -> AsyncIterator[PlayedDaemon]:
    """With a model that can be loaded and one that can be unloaded."""
    made = PlayedDaemon(where)
    models = (wire.Model("local/small", "e", "ready", True), wire.Model("local/large", "e", "cold", False))
    made.status = msgspec.structs.replace(made.status, models=models)
    async with playing(made):
        yield made


async def asked(daemon: PlayedDaemon, call: str) -> None:
    """Until the daemon was asked so, or fail."""
    async with asyncio.timeout(20):
        while call not in daemon.asked:
            await asyncio.sleep(0.01)


async def test_it_paints_what_the_daemon_tells(daemon: PlayedDaemon, owned: Owned) -> None:
    """Stopped until it is found; then each state, also the one that ends by itself; and one notification."""
    await owned.until_state(State.IDLE)
    daemon.say("request", {"protocol": "openai-chat", "client": None}, "r1")
    await owned.until_state(State.WORKING)
    leaves = msgspec.structs.replace(receipt("r1", 41, {}), outcome=None)
    daemon.say("receipt", leaves, "r1")
    daemon.say("receipt", msgspec.structs.replace(leaves, number=42), "r1")
    await owned.until_state(State.CLOUD)
    daemon.say("receipt", receipt("r1", 41, {}), "r1")
    daemon.say("receipt", receipt("r1", 42, {}), "r1")
    await owned.until_state(State.WORKING)  # at once, since the played daemon's clock stands in the past
    assert owned.panel.states == [State.STOPPED, State.IDLE, State.WORKING, State.CLOUD, State.WORKING]
    assert [notice.title for notice in owned.panel.notices] == ["A request leaves this machine, receipt 41"]


async def test_it_finds_a_daemon_that_comes_late(where: Paths, owned: Owned) -> None:
    """And says so when it is gone again."""
    await owned.until_state(State.STOPPED)
    async with playing(PlayedDaemon(where)):
        await owned.until_state(State.IDLE)
    await owned.until_state(State.STOPPED)


async def test_the_switch_is_turned(daemon: PlayedDaemon, owned: Owned) -> None:
    """Both ways, and the daemon's news of it paint the icon."""

    def turned(body: dict[str, bool]) -> wire.Privacy:
        daemon.say("privacy", told := wire.Privacy(body["local_only"], "balanced"))
        return told

    daemon.answers["PUT privacy"] = turned
    await owned.click(Act.LOCAL_ONLY)
    await owned.until_state(State.LOCAL_ONLY)
    await owned.click(Act.ANYWHERE)
    await owned.until_state(State.IDLE)


async def test_models_are_loaded_and_unloaded(daemon: PlayedDaemon, owned: Owned) -> None:
    """By a click in the menu below."""
    daemon.answers["POST models/large/load"] = daemon.status.models[1]
    daemon.answers["POST models/small/unload"] = daemon.status.models[0]
    await owned.click(Act.LOAD)
    await asked(daemon, "POST models/large/load")
    await owned.click(Act.UNLOAD)
    await asked(daemon, "POST models/small/unload")


async def test_a_refusal_is_told(daemon: PlayedDaemon, owned: Owned) -> None:
    """In the daemon's words, and the icon goes on."""
    daemon.refusals["POST models/large/load"] = "there is no room for it"
    await owned.click(Act.LOAD)
    async with asyncio.timeout(20):
        while not owned.panel.notices:
            await asyncio.sleep(0.01)
    assert owned.panel.notices[0].text == "there is no room for it"


async def test_starting_at_login(daemon: PlayedDaemon, owned: Owned) -> None:
    """The file is there after a click, the tick beside it, and neither after another."""
    await owned.until_state(State.IDLE)
    await owned.click(Act.START_AT_LOGIN)
    await owned.click(Act.NOT_AT_LOGIN)  # which stands there once the first was done
    async with asyncio.timeout(20):
        while owned.tray.login.on or owned.panel.item(Act.START_AT_LOGIN).on:
            await asyncio.sleep(0.01)


async def test_the_daemon_is_started(owned: Owned) -> None:
    """By the command line's own command."""
    await owned.click(Act.START)
    async with asyncio.timeout(20):
        while not owned.started:
            await asyncio.sleep(0.01)
    assert owned.started[0][-2:] == ["up", "-d"]


@pytest.mark.parametrize(("act", "end"), [(Act.DASHBOARD, "tui"), (Act.LOG, "daemon.log")])
async def test_windows_are_opened(
    act: Act, end: str, daemon: PlayedDaemon, owned: Owned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dashboard in the user's terminal, the log in what shows files; and where there is none, that is told."""
    for name in ("xterm", "xdg-open"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o700)
    monkeypatch.setenv("PATH", "")
    await owned.until_state(State.IDLE)
    await owned.click(act)
    async with asyncio.timeout(20):
        while not owned.panel.notices:
            await asyncio.sleep(0.01)
    assert "was not found" in owned.panel.notices[0].text

    monkeypatch.setenv("PATH", str(tmp_path))
    await owned.click(act)
    async with asyncio.timeout(20):
        while not owned.started:
            await asyncio.sleep(0.01)
    assert owned.started[0][-1].endswith(end)


async def test_it_is_quit(daemon: PlayedDaemon, owned: Owned) -> None:
    """The icon, not the daemon."""
    await owned.until_state(State.IDLE)
    await owned.click(Act.QUIT)

    assert owned.panel.stopped
    assert "POST stop" not in daemon.asked


async def test_this_day_is_asked_for(where: Paths, daemon: PlayedDaemon, owned: Owned) -> None:
    """Its requests since midnight here and what was spent, and no more of the daemon at the start."""
    await owned.until_state(State.IDLE)

    assert daemon.asked == ["GET records", "GET spending"]


async def test_the_day_follows_what_is_spent(daemon: PlayedDaemon, owned: Owned) -> None:
    """After a request that ended, and after a limit changed."""
    owned.tray.link.now = daemon.clock.now
    await owned.until_state(State.IDLE)
    told_spending.play(daemon)
    for kind, data in (("record", record(1, draft())), ("settings", {})):
        before = daemon.asked.count("GET spending")
        daemon.say(kind, data)
        async with asyncio.timeout(20):
            while daemon.asked.count("GET spending") == before:
                await asyncio.sleep(0.01)
    async with asyncio.timeout(20):
        while not any(item.words.startswith("Today: $1.90 of $5.00") for item in owned.panel.items):
            await asyncio.sleep(0.01)
    assert any(item.words == "95 % spent: $2.00 a day at work" for item in owned.panel.items)
