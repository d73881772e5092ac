"""What connecting any client must do, on each system, in an empty home and in one that is in use."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from daemon.connecting.base import Change, Client, Link, Machine
from daemon.connecting.json_text import Json
from daemon.connecting.merging import plain
from daemon.connecting.registry import CLIENTS
from daemon.connecting.tokens import known
from daemon.connecting.work import Prospect, connect, prospect, undo
from daemon.errors import Refused
from daemon.paths import Paths

ROOT: Final = "http://127.0.0.1:6327"
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
SYSTEMS: Final = ("linux", "darwin", "win32")
WITHOUT_WINDOW: Final = {"llm", "jetbrains", "codecompanion"}
BY_HAND: Final = {"cline", "roo", "jetbrains", "codecompanion", "avante"}
USED: Final = {
    "settings.json": b'// mine\r\n{\r\n\t"theme": "x", // dark\r\n\t"env": {"A": "1"},\r\n\t"language_models": {},\r\n}\r\n',
    "chatLanguageModels.json": b'[\n    {"name": "Other", "vendor": "ollama"} // mine\n]\n',
    "opencode.json": b'{\n  // mine\n  "provider": {"acme": {"npm": "x"}},\n  "model": "acme/big"\n}\n',
    "config.toml": b'# mine\nmodel = "gpt" # best\n\n[model_providers.acme]\nname = "Acme"\n',
    "config.yaml": b"name: Mine # x\nversion: 0.0.1\nschema: v1\nmodels:\n- name: Other\n  provider: ollama\n\nrules: []\n",
    ".aider.conf.yml": b"# mine\nmodel: sonnet # usual\nread: [CONVENTIONS.md]\n",
    "extra-openai-models.yaml": b"# mine\n- model_id: other\n  model_name: other\n",
    "keys.json": b'{"// Note": "This file stores secret API credentials. Do not share!", "openai": "sk-x"}',
    ".env": b"OTHER=1\r\n",
    ".aider.model.metadata.json": b"{}",
}
"""Files as their users have them, with comments, odd line ends and entries of their own."""


class House:
    """A home on a system of its own."""

    def __init__(self, folder: Path, system: str) -> None:
        self.paths = Paths(folder / "c", folder / "d", folder / "e", folder / "f", folder / "g")
        self.machine = Machine(system, folder / "home", {})
        self.home = folder / "home"

    def look(self, client: Client, root: str = ROOT) -> Prospect:
        link = Link(root, "", Path(), ("auto", "local"), 8192)
        return prospect(self.paths, self.machine, client, link, None)

    def connect(self, client: Client, root: str = ROOT) -> Prospect:
        return connect(self.paths, self.machine, self.look(client, root), None, NOW)

    def tree(self) -> dict[str, bytes | None]:
        return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(self.home.rglob("*"))}

    def live_in(self, client: Client) -> None:
        """Put there what the client's users have."""
        for change in self.look(client).plan.changes:
            if change.path.name in USED:
                change.path.parent.mkdir(parents=True, exist_ok=True)
                change.path.write_bytes(USED[change.path.name])


def meaning(change: Change) -> Any:
    """What a written file says, by another reader than ours where there is one."""
    text = change.path.read_text(encoding="utf-8-sig")
    match change.format:
        case "json":
            node = Json().read(text)
            assert node is not None
            return plain(node)
        case "yaml":
            return yaml.safe_load(text)
        case "toml":
            return tomllib.loads(text)
        case "env":
            return dict(line.split("=", 1) for line in text.splitlines())


def holds(said: Any, wanted: Any) -> bool:
    """Whether all that is wanted is said."""
    match wanted:
        case dict():
            return all(key in said and holds(said[key], value) for key, value in wanted.items())
        case list():
            return all(any(holds(item, value) for item in said) for value in wanted)
        case _:
            return bool(said == wanted)


@pytest.fixture(params=list(CLIENTS.values()), ids=list(CLIENTS))
def client(request: pytest.FixtureRequest) -> Client:
    found: Client = request.param
    return found


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("used", [False, True], ids=["empty", "used"])
def test_there_and_back(client: Client, system: str, used: bool, tmp_path: Path) -> None:
    """What is wanted is there, twice is once, the port is followed, no token is left where others read, and all comes back."""
    house = House(tmp_path, system)
    if used:
        house.live_in(client)
    before = house.tree()

    done = house.connect(client)

    for change in done.plan.changes:
        assert change.path.is_relative_to(house.home)
        assert holds(meaning(change), change.wanted), change.path
        assert (b"mine" in (before.get(str(change.path)) or b"")) == (b"mine" in change.path.read_bytes())
        if done.link.token.encode() in change.path.read_bytes() and str(change.path) not in before:
            assert change.path.stat().st_mode & 0o077 == 0
    again = house.look(client)
    assert (again.edits, again.needs_token) == ((), False)
    moved = house.connect(client, "http://127.0.0.1:7000")
    text = "".join(str(step) for step in moved.plan.steps) + "".join(
        change.path.read_text(errors="replace") for change in moved.plan.changes
    )
    assert "http://127.0.0.1:7000" in text
    assert ROOT not in text

    undo(house.paths, client.name)
    assert house.tree() == before
    assert known(house.paths, client.name) is None
    assert list(house.paths.client_tokens.glob("*")) == []


def test_the_token_is_where_it_is_said_to_be(client: Client, tmp_path: Path) -> None:
    """In a file of the client's, in ours, or with the user; and the journal has none."""
    house = House(tmp_path, "linux")
    done = house.connect(client)
    token = done.link.token.encode()

    inside = [change.path for change in done.plan.changes if token in change.path.read_bytes()]
    ours = [path for path in house.paths.client_tokens.glob("*") if path.read_bytes() == token]

    assert bool(inside) == (client.holder == "config")
    assert bool(ours) == (client.holder == "file")
    assert (token.decode() in "".join(done.plan.steps)) == (client.holder == "hand")
    assert token not in (house.paths.connections / f"{client.name}.json").read_bytes()


def test_what_cant_be_written_is_told(client: Client, tmp_path: Path) -> None:
    """Editors' own stores and programs of the user's are no files of ours: their steps have every value."""
    done = House(tmp_path, "linux").connect(client)
    told = "".join(done.plan.steps)

    assert bool(done.plan.changes) != (client.name in BY_HAND)
    if client.name in BY_HAND:
        assert ROOT in told
        assert "auto" in told


def test_who_can_be_told_a_window_is(client: Client, tmp_path: Path) -> None:
    """A client that believes in another window never makes room, or makes it too early."""
    house = House(tmp_path, "linux")
    link = Link(ROOT, "nl_x", tmp_path / "token", ("auto",), 48_000)
    plan = client.plan(house.machine, link)

    told = str([change.wanted for change in plan.changes]) + "".join(plan.steps)

    assert ("48000" in told or str(48_000 - link.output_tokens) in told) != (client.name in WITHOUT_WINDOW)
    assert link.output_tokens == 12_000


def test_names(client: Client) -> None:
    """A client's name can be a token's."""
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,35}", client.name)
    assert client.title


def test_continue_with_its_old_settings(tmp_path: Path) -> None:
    """A config.yaml would make Continue leave its config.json aside: it is not made."""
    house = House(tmp_path, "linux")
    (house.home / ".continue").mkdir(parents=True)
    (house.home / ".continue" / "config.json").write_text("{}")

    with pytest.raises(Refused, match=r"config\.json"):
        house.look(CLIENTS["continue"])


def test_claude_code_with_another_key(tmp_path: Path) -> None:
    """A key that would go before ours is the user's to take out."""
    house = House(tmp_path, "linux")
    (house.home / ".claude").mkdir(parents=True)
    (house.home / ".claude" / "settings.json").write_text(json.dumps({"env": {"ANTHROPIC_API_KEY": "x"}}))

    with pytest.raises(Refused, match="ANTHROPIC_API_KEY"):
        house.look(CLIENTS["claude-code"])


def test_opencode_in_its_other_file(tmp_path: Path) -> None:
    """The file that is there is the one that is changed, and a new one is opencode.json."""
    house = House(tmp_path, "linux")
    folder = house.home / ".config" / "opencode"

    assert house.look(CLIENTS["opencode"]).edits[0].path == folder / "opencode.json"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("// mine\n{}")
    assert house.look(CLIENTS["opencode"]).edits[0].path == folder / "opencode.jsonc"
