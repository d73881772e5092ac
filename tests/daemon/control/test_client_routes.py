"""Clients over HTTP: tokens, and what each may take a day."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from daemon.allowances import Allowances
from daemon.control.client_routes import client_routes
from daemon.settings import Settings, SettingsFile
from daemon.wire import PerDay, Taken
from tests.fakes.clock import HeldClock
from tests.fakes.control import CALLERS, READER, controlling

PATH = "/nearloop/v1/clients"


@contextmanager
def serving(folder: Path) -> Iterator[tuple[TestClient[Any], SettingsFile, Allowances]]:
    file, allowances = SettingsFile(folder / "settings.toml"), Allowances({}, HeldClock())

    def take_in(settings: Settings) -> None:
        allowances.replace({name: each.per_day for name, each in settings.clients.items()})

    with controlling(client_routes(allowances, CALLERS, file, take_in)) as api:
        yield api, file, allowances


def test_a_client_is_limited(tmp_path: Path) -> None:
    """It stands in the settings, counts at once, and is shown with what was taken; null takes it away."""
    with serving(tmp_path) as (api, file, allowances):
        token = api.post(PATH, json={"name": "zed"}).json()["token"]
        allowances.recall({"zed": Taken(4, 100, 0.5)})
        answer = api.put(f"{PATH}/zed/per_day", json={"requests": 5, "cost_usd": 2.5})

        assert answer.json()["clients"] == [
            {
                "name": "zed",
                "scopes": ["infer:local", "infer:cloud"],
                "per_day": {"requests": 5, "tokens": None, "cost_usd": 2.5},
                "today": {"requests": 4, "tokens": 100, "cost_usd": 0.5, "unpriced": 0},
            }
        ]
        zed = allowances.of("zed")
        assert zed
        assert zed.limits == file.settings.clients["zed"].per_day == PerDay(5, None, 2.5)
        assert token not in file.path.read_text()
        api.put(f"{PATH}/zed/per_day", json={"requests": None})
        assert zed.limits == PerDay()


@pytest.mark.parametrize(
    "body",
    [
        {"requests": 0},
        {"tokens": 1.5},
        {"tokens": 10**15},
        {"requests": 10**400},
        {"cost_usd": -1},
        {"cost_usd": 1e300},
        {"money": 1},
        {"requests": True},
        [],
    ],
)
def test_what_is_no_limit(tmp_path: Path, body: Any) -> None:
    """It is refused in a sentence, and nothing is written."""
    with serving(tmp_path) as (api, file, _):
        api.post(PATH, json={"name": "zed"})
        before = file.path.read_text()
        answer = api.put(f"{PATH}/zed/per_day", json=body)

        assert (answer.status_code, "each above 0 or null" in answer.text) == (400, True)
        assert file.path.read_text() == before


def test_who_is_not_there_and_who_may_not(tmp_path: Path) -> None:
    """An unknown client, and a token that may read records."""
    with serving(tmp_path) as (api, _, _):
        assert api.put(f"{PATH}/nobody/per_day", json={}).status_code == 404
        api.headers["authorization"] = f"Bearer {READER}"
        assert api.put(f"{PATH}/nobody/per_day", json={}).status_code == 403
        assert api.get(PATH).status_code == 403
