"""Connecting and taking back: exact to the byte, whole or not at all."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.connecting import files, journal
from daemon.connecting.base import Change, Client, Link, Machine, Plan
from daemon.connecting.tokens import known, make_token, revoke_token
from daemon.connecting.work import ChangedSince, Prospect, connect, prospect, shell_token, undo
from daemon.errors import Refused
from daemon.paths import Paths

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BEFORE = b'\xef\xbb\xbf{\r\n\t"a": 1 // mine\r\n}\r\n'


class House:
    """A home with one client, whose settings are two files."""

    def __init__(self, folder: Path) -> None:
        self.paths = Paths(folder / "c", folder / "d", folder / "e", folder / "f", folder / "g")
        self.machine = Machine("linux", folder / "home", {})
        self.config = folder / "home" / "app" / "config.json"
        self.secrets = folder / "home" / "app" / "deep" / ".env"
        self.client = Client("toy", "Toy", "config", self._plan)

    def _plan(self, _machine: Machine, link: Link) -> Plan:
        return Plan(
            (
                Change(self.config, "json", {"nearloop": {"url": link.v1}}),
                Change(self.secrets, "env", {"KEY": link.token}),
            )
        )

    def look(self, root: str = "http://127.0.0.1:6327") -> Prospect:
        link = Link(root, "", Path(), ("auto",), 8192)
        return prospect(self.paths, self.machine, self.client, link, None)

    def connect(self, root: str = "http://127.0.0.1:6327") -> Prospect:
        return connect(self.paths, self.machine, self.look(root), None, NOW)

    def undo(self) -> tuple[Path, ...]:
        return undo(self.paths, "toy")


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def tree(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def test_there_and_back(house: House, tmp_path: Path) -> None:
    """A file with a mark, Windows' line ends, tabs and comments gets its lines, and is restored to the byte with its mode."""
    house.config.parent.mkdir(parents=True)
    house.config.write_bytes(BEFORE)
    house.config.chmod(0o640)
    before = tree(tmp_path / "home")

    done = house.connect()

    text = house.config.read_bytes()
    assert text.startswith(b'\xef\xbb\xbf{\r\n\t"a": 1, // mine\r\n\t"nearloop": {\r\n\t\t"url"')
    assert b"\n" not in text.replace(b"\r\n", b"")
    assert house.secrets.read_text() == f"KEY={done.token}\n"
    assert house.secrets.stat().st_mode & 0o777 == 0o600
    assert house.config.stat().st_mode & 0o777 == 0o640
    assert known(house.paths, "toy") is not None

    assert set(house.undo()) == {house.config, house.secrets}
    assert tree(tmp_path / "home") == before
    assert house.config.stat().st_mode & 0o777 == 0o640
    assert known(house.paths, "toy") is None
    assert journal.load(house.paths, "toy") is None


def test_an_empty_home_is_left_empty(house: House, tmp_path: Path) -> None:
    """Files and folders that were made are gone again; a folder that somebody else uses by now stays."""
    house.connect()
    house.undo()
    assert tree(tmp_path / "home") == {}

    house.connect()
    (house.secrets.parent / "other").touch()
    house.undo()
    assert list(tree(tmp_path / "home"))[-1].endswith("deep/other")


def test_twice_is_once(house: House) -> None:
    """A second time there is nothing to do, and the token stays."""
    token = house.connect().token

    again = house.look()

    assert (again.edits, again.needs_token, again.token) == ((), False, token)


def test_another_port(house: House, tmp_path: Path) -> None:
    """The address is brought up to date with the same token, and undoing leads to the very beginning."""
    house.config.parent.mkdir(parents=True)
    house.config.write_bytes(BEFORE)
    before = tree(tmp_path / "home")
    token = house.connect().token

    again = house.connect("http://127.0.0.1:7000")

    assert [edit.path for edit in again.edits] == [house.config]
    assert again.token == token
    assert b"7000" in house.config.read_bytes()
    house.undo()
    assert tree(tmp_path / "home") == before


def test_what_was_changed_since_is_left(house: House, tmp_path: Path) -> None:
    """The diff shows the user's lines and no token; nothing is touched, not even the other file."""
    house.config.parent.mkdir(parents=True)
    house.config.write_bytes(BEFORE)
    token = house.connect().token
    assert token
    house.secrets.write_text(f"KEY={token}\nMINE=1\n")
    before = tree(tmp_path / "home")

    with pytest.raises(ChangedSince, match="was changed since") as caught:
        house.undo()

    assert "+MINE=1" in caught.value.diff
    assert not any("url" in line or token in line for line in caught.value.diff)
    assert tree(tmp_path / "home") == before
    assert known(house.paths, "toy") is not None
    house.secrets.write_text(f"KEY={token}\n")
    house.undo()


def test_a_changed_copy_is_not_trusted(house: House) -> None:
    """A backup that is gone or was edited is told, and nothing is touched."""
    house.config.parent.mkdir(parents=True)
    house.config.write_bytes(BEFORE)
    house.connect()
    backup = house.config.with_name("config.json.before-nearloop")
    backup.write_bytes(b"{}")

    with pytest.raises(Refused, match="gone or was changed"):
        house.undo()

    backup.write_bytes(BEFORE)
    house.undo()
    assert house.config.read_bytes() == BEFORE


def test_what_the_user_took_back_is_done(house: House) -> None:
    """A file that is as it was before, or gone where there was none, is no obstacle."""
    house.config.parent.mkdir(parents=True)
    house.config.write_bytes(BEFORE)
    house.connect()
    house.config.write_bytes(BEFORE)
    shutil.rmtree(house.secrets.parent)

    house.undo()

    assert list(house.config.parent.iterdir()) == [house.config]


def test_a_file_that_cant_be_read_is_left(house: House, tmp_path: Path) -> None:
    """With its line; no token is made for it, and no copy."""
    house.config.parent.mkdir(parents=True)
    house.config.write_bytes(b'{\n"a": }')
    before = tree(tmp_path / "home")

    with pytest.raises(Refused, match=r"config\.json, line 2: a value is missing: nothing was changed"):
        house.look()

    assert tree(tmp_path / "home") == before


def test_a_file_that_changes_while_the_user_thinks(house: House) -> None:
    """What was shown is not what would be done: it isn't done."""
    looked = house.look()
    house.config.parent.mkdir(parents=True)
    house.config.write_bytes(BEFORE)

    with pytest.raises(Refused, match="changed meanwhile"):
        connect(house.paths, house.machine, looked, None, NOW)

    assert known(house.paths, "toy") is None


def test_all_or_nothing(house: House, tmp_path: Path) -> None:
    """If the second file can't be written, the first is as it was, and there is neither token nor journal."""
    house.config.parent.mkdir(parents=True)
    house.config.write_bytes(BEFORE)
    house.secrets.parent.mkdir()
    house.secrets.write_text("A=1\n")
    house.secrets.chmod(0o400)
    before = tree(tmp_path / "home")

    with pytest.raises(Refused, match="read-only"):
        house.connect()

    assert tree(tmp_path / "home") == before
    assert known(house.paths, "toy") is None
    assert journal.load(house.paths, "toy") is None


def test_an_end_in_between(house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process that ends after the first of two files leaves what leads back."""
    house.config.parent.mkdir(parents=True)
    house.config.write_bytes(BEFORE)
    before = tree(tmp_path / "home")
    replace = files.replace

    def ends(path: Path, content: bytes, private: bool) -> None:
        if path == house.secrets:
            raise KeyboardInterrupt
        replace(path, content, private)

    monkeypatch.setattr(files, "replace", ends)
    with pytest.raises(KeyboardInterrupt):
        house.connect()
    monkeypatch.setattr(files, "replace", replace)
    assert house.config.read_bytes() != BEFORE

    house.undo()

    assert tree(tmp_path / "home") == before


def test_a_name_that_is_taken(house: House) -> None:
    """A token of the client's name that somebody made by hand stays valid."""
    make_token(house.paths, "toy")

    house.connect()

    assert known(house.paths, "toy-2") is not None
    house.undo()
    assert known(house.paths, "toy") is not None
    assert known(house.paths, "toy-2") is None


def test_a_token_that_was_taken_back(house: House) -> None:
    """After `client revoke`, connecting again puts a new one in the old one's place."""
    old = house.connect().token
    revoke_token(house.paths, "toy")

    again = house.connect()

    assert again.token != old
    assert house.secrets.read_text() == f"KEY={again.token}\n"


def test_a_shells_token(house: House) -> None:
    """It is the same each time, stands in a file of its own, and goes with undo."""
    token = shell_token(house.paths, "http://127.0.0.1:6327")

    assert shell_token(house.paths, "http://127.0.0.1:6327") == token
    assert (house.paths.client_tokens / "env").read_text() == token
    undo(house.paths, "env")
    assert list(house.paths.client_tokens.iterdir()) == []
    assert known(house.paths, "env") is None


def test_nothing_to_undo(house: House) -> None:
    """It is said."""
    with pytest.raises(Refused, match="nothing to undo"):
        house.undo()
