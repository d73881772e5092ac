"""The dictionary over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from daemon.control.dictionary_routes import dictionary_routes
from daemon.settings import Dictionary, Settings, SettingsFile
from tests.fakes.control import CALLERS, READER, controlling

PATH = "/nearloop/v1/dictionary"
Api = TestClient[Any]


@pytest.fixture
def taken() -> list[Settings]:
    """Settings that the daemon took in."""
    return []


@pytest.fixture
def api(tmp_path: Path, taken: list[Settings]) -> Iterator[Api]:
    file = SettingsFile(tmp_path / "settings.toml")
    with controlling(dictionary_routes(file, CALLERS, taken.append)) as client:
        yield client


def test_words_come_and_go(api: Api, taken: list[Settings], tmp_path: Path) -> None:
    """What is added and forgotten is in the file and taken in at once; what the file got meanwhile is kept."""
    assert api.get(PATH).json()["words"] == []
    added = api.post(PATH, json={"words": [" falcon ledger "]})
    assert added.status_code == 201, added.text
    SettingsFile(tmp_path / "settings.toml").set_dictionary(Dictionary(people=("Ada",), terms=("falcon ledger",)))

    both = api.post(PATH, json={"words": ["the"], "kind": "harmless"}).json()
    assert [(each["kind"], each["word"]) for each in both["words"]] == [
        ("person", "Ada"),
        ("term", "falcon ledger"),
        ("harmless", "the"),
    ]
    left = api.post(f"{PATH}/forget", json={"words": ["Falcon Ledger", "the"]}).json()
    assert [each["word"] for each in left["words"]] == ["Ada"]
    assert taken[-1].dictionary == Dictionary(people=("Ada",))


def test_everyday_words_are_named(api: Api) -> None:
    """Private from now on wherever they stand, so that it is said; harmless ones need no warning."""
    assert api.post(PATH, json={"words": ["the", "falcon"]}).json()["everyday"] == ["the"]
    assert api.post(PATH, json={"words": ["and"], "kind": "harmless"}).json()["everyday"] == []


@pytest.mark.parametrize("body", [{"words": ["x"]}, {"words": ["falcon"], "kind": "animal"}, {}])
def test_what_is_no_word_changes_nothing(api: Api, taken: list[Settings], body: dict[str, Any]) -> None:
    """It is refused, and nothing is written."""
    assert api.post(PATH, json=body).status_code == 400
    assert not taken
    assert api.post(f"{PATH}/forget", json={"words": ["nobody"]}).status_code == 404


def test_words_are_the_admins(api: Api) -> None:
    """Who may read records may not read them."""
    api.headers["authorization"] = f"Bearer {READER}"

    assert api.get(PATH).status_code == 403
    assert api.post(PATH, json={"words": ["falcon"]}).status_code == 403
    assert api.post(f"{PATH}/forget", json={"words": ["falcon"]}).status_code == 403
