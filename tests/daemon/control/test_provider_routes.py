"""Providers over HTTP: who is added to the settings and taken out of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import keyring
import pytest
from litestar.testing import TestClient

from daemon.boundary.switch import Switch
from daemon.control.provider_routes import provider_routes
from daemon.errors import StoreError
from daemon.events import EventRing
from daemon.network import Network
from daemon.settings import Settings, SettingsFile
from daemon.upstreams.upstreams import Upstreams
from tests.daemon.test_secrets import OfTheSystem
from tests.fakes.clock import HeldClock
from tests.fakes.control import CALLERS, READER, controlling

PATH = "/nearloop/v1/providers"
SETTINGS = """\
# mine
[providers.lab]  # the old one
base_url = "http://10.0.0.7:8000/v1"
key = "none"
place = "lan"
[providers.near]
base_url = "http://127.0.0.1:1/v1"
key = "none"
place = "device"
[projects.x.providers.lab]
privacy = "open"
"""


async def nothing() -> dict[str, Any]:
    return {}


class Taken(list[Settings]):
    """Settings that the daemon was given."""


@contextmanager
def serving(folder: Path, taken: Taken) -> Iterator[tuple[TestClient[Any], SettingsFile]]:
    path = folder / "settings.toml"
    path.write_text(SETTINGS)
    file = SettingsFile(path)
    clock = HeldClock()
    upstreams = Upstreams({}, Network(clock), EventRing(clock, nothing), clock, lambda: 0.5)
    with controlling(provider_routes({}, upstreams, {}, Switch(folder / "off"), CALLERS, file, taken.append)) as api:
        yield api, file


def test_a_provider_is_added(tmp_path: Path) -> None:
    """It stands in the file behind the others, comments stay, the daemon hears of it, and it is asked from the next start on."""
    taken = Taken()
    with serving(tmp_path, taken) as (api, file):
        answer = api.post(PATH, json={"name": "work", "base_url": "http://127.0.0.1:2/v1", "key": "env:W_KEY"})
        told = {each["name"]: each for each in api.get(PATH).json()["providers"]}

    assert answer.status_code == 201
    assert answer.json()["provider"]["running"] is False
    assert "counts as cloud until you confirm" in answer.json()["notes"][1]
    assert "W_KEY" in (told["work"]["trouble"] or "")
    assert told["lab"]["running"] is True
    assert [list(each.providers) for each in taken] == [["lab", "near", "work"]]
    text = file.path.read_text()
    assert text.startswith("# mine\n")
    assert "[providers.lab]  # the old one\n" in text
    assert 'key = "env:W_KEY"' in text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"name": "mine"}, "no known vendor"),
        ({"name": "lab", "base_url": "https://x.example/v1"}, "already"),
        ({"name": "x", "base_url": "https://me:sk-canary-0815@x.example"}, "take it out"),
        ({"name": "x", "base_url": "https://x.example/v1", "key": "sk-canary-0815"}, "--key is keyring"),
        ({"name": "x", "place": "sk-canary-0815"}, "a provider is {"),
        ({"name": "x", "sk-canary-0815": 1}, "a provider is {"),
    ],
)
def test_what_cant_be_added(tmp_path: Path, body: dict[str, Any], words: str) -> None:
    """It is refused in a sentence in which nothing of it stands that could be a key, and the file is as it was."""
    taken = Taken()
    with serving(tmp_path, taken) as (api, file):
        answer = api.post(PATH, json=body)

        assert answer.status_code == 400
        assert words in answer.json()["error"]["message"]
        assert "0815" not in answer.text
        assert (taken, file.path.read_text()) == ([], SETTINGS)


def test_a_provider_is_removed(tmp_path: Path) -> None:
    """It is out of the file, and shown as what is asked until the daemon ends; one that a project names stays, and why is said."""
    taken = Taken()
    with serving(tmp_path, taken) as (api, file):
        named = api.delete(f"{PATH}/lab")
        left = api.delete(f"{PATH}/near").json()["providers"]
        again = api.delete(f"{PATH}/near")

    assert (named.status_code, "[projects.x.providers.lab]" in named.json()["error"]["message"]) == (400, True)
    assert [(each["name"], each["removed"]) for each in left] == [("lab", False), ("near", True)]
    assert again.status_code == 404
    assert [list(each.providers) for each in taken] == [["lab"]]
    assert "near" not in file.path.read_text()


def test_one_that_comes_back_with_another_address_is_another_one(tmp_path: Path) -> None:
    """The daemon still asks the old one, so the new one is not said to run; as it was, it is."""
    with serving(tmp_path, Taken()) as (api, _):
        api.delete(f"{PATH}/near")
        other = {"name": "near", "base_url": "http://127.0.0.1:9/v1", "place": "device"}
        assert api.post(PATH, json=other).json()["provider"]["running"] is False
        tested = api.post(f"{PATH}/near/test")
        assert (tested.status_code, "since the daemon started" in tested.text) == (400, True)
        api.delete(f"{PATH}/near")
        same = other | {"base_url": "http://127.0.0.1:1/v1"}
        assert api.post(PATH, json=same).json()["provider"]["running"] is True


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> OfTheSystem:
    """The system's keyring, in memory."""
    made = OfTheSystem()
    monkeypatch.setattr(keyring, "get_keyring", lambda: made)
    monkeypatch.delenv("PYTHON_KEYRING_BACKEND", raising=False)
    return made


def test_a_key_comes_with_a_limit(tmp_path: Path, shelf: OfTheSystem) -> None:
    """What may be spent is in the settings before the key is kept; a further key stands there by its label; nothing said
    leaves the limit as it is, and null takes it away.
    """
    taken = Taken()
    with serving(tmp_path, taken) as (api, file):
        api.post(PATH, json={"name": "work", "base_url": "https://w.example/v1"})
        first = api.put(f"{PATH}/work/key", json={"key": "sk-canary-0815", "day_usd": 5})
        second = api.put(f"{PATH}/work/key", json={"key": "sk-canary-0816", "label": "spare"})

        assert (first.status_code, second.status_code) == (200, 200), first.text + second.text
        assert second.json()["day_usd"] == 5.0
        assert [(each["source"], each["trouble"]) for each in second.json()["keys"]] == [
            ("keyring", None), ("keyring:spare", None),
        ]  # fmt: skip
        assert shelf.kept == {("nearloop", "work"): "sk-canary-0815", ("nearloop", "work/spare"): "sk-canary-0816"}
        assert file.settings.spending.providers["work"].day_usd == 5.0
        assert taken[-1].providers["work"].sources == ("keyring", "keyring:spare")
        assert api.put(f"{PATH}/work/key", json={"key": "sk-canary-0817", "day_usd": None}).json()["day_usd"] is None

        gone = api.delete(f"{PATH}/work/key", params={"label": "spare"})
        assert [each["source"] for each in gone.json()["keys"]] == ["keyring"]
        assert api.delete(f"{PATH}/work/key", params={"label": "spare"}).status_code == 404
        assert "081" not in first.text + second.text + gone.text + file.path.read_text()


def test_a_limit_that_cant_be_written_keeps_no_key(
    tmp_path: Path, shelf: OfTheSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is never a key that may cost more than was said."""

    def fails(*_: Any) -> Settings:
        raise StoreError("settings.toml can't be written: No space left on device")

    with serving(tmp_path, Taken()) as (api, file):
        api.post(PATH, json={"name": "work", "base_url": "https://w.example/v1"})
        monkeypatch.setattr(file, "limit_provider", fails)
        answer = api.put(f"{PATH}/work/key", json={"key": "sk-canary-0815", "day_usd": 5})

    assert answer.status_code >= 400
    assert shelf.kept == {}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"key": "sk-canary-0815", "label": "../up"}, "a key's label is"),
        ({"key": "sk-canary-0815", "day_usd": -1}, "a key is {key"),
        ({"key": "sk-canary-0815", "0815": 1}, "a key is {key"),
        ({"key": "two words 0815"}, "is no key"),
    ],
)
def test_what_is_no_key_for_it(tmp_path: Path, shelf: OfTheSystem, body: dict[str, Any], words: str) -> None:
    """It is refused without being said back, and nothing is kept."""
    with serving(tmp_path, Taken()) as (api, _):
        api.post(PATH, json={"name": "work", "base_url": "https://w.example/v1"})
        answer = api.put(f"{PATH}/work/key", json=body)

    assert (answer.status_code, words in answer.text) == (400, True), answer.text
    assert "0815" not in answer.text
    assert shelf.kept == {}


def test_a_key_changed_by_hand_is_looked_for_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings are read again too, and the daemon hears of them."""
    taken = Taken()
    with serving(tmp_path, taken) as (api, file):
        file.path.write_text(SETTINGS.replace("[projects", 'keys = ["env:NEAR_KEY"]\n[projects'))
        monkeypatch.setenv("NEAR_KEY", "sk-canary-0815")
        told = api.post(f"{PATH}/near/renew").json()

    assert [each["source"] for each in told["keys"]] == ["none", "env:NEAR_KEY"]
    assert told["running"] is True
    assert taken[-1].key_variables == ("NEAR_KEY",)


def test_they_are_the_admins(tmp_path: Path) -> None:
    """Whoever may read records may not do this."""
    with serving(tmp_path, Taken()) as (api, _):
        api.headers["authorization"] = f"Bearer {READER}"
        for method, path in (
            ("POST", PATH), ("DELETE", f"{PATH}/near"), ("GET", f"{PATH}/vendors"), ("PUT", f"{PATH}/near/key"),
            ("DELETE", f"{PATH}/near/key"), ("POST", f"{PATH}/near/renew"),
        ):  # fmt: skip
            assert api.request(method, path, json={}).status_code == 403


def test_known_vendors_are_told(tmp_path: Path) -> None:
    """With their addresses, and whether they need a key."""
    with serving(tmp_path, Taken()) as (api, _):
        told = {each["name"]: each for each in api.get(f"{PATH}/vendors").json()}

    assert told["openai"] == {
        "name": "openai",
        "base_url": "https://api.openai.com/v1",
        "needs_key": True,
        "needs_address": False,
        "place": "cloud",
        "tested": False,
        "wire": "openai-chat",
    }
    assert told["ollama"]["needs_key"] is False


def test_it_is_told_that_a_provider_may_answer_again(tmp_path: Path) -> None:
    """By name, by the admin alone."""
    with serving(tmp_path, Taken()) as (api, _):
        assert api.post(f"{PATH}/unknown/renew").status_code == 404
        answer = api.post(f"{PATH}/lab/renew")

        assert answer.status_code == 200
        assert answer.json()["name"] == "lab"
