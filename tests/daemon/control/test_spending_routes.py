"""Money over HTTP: what was spent, and limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient
from msgspec.structs import replace

from daemon.control.spending_routes import spending_routes
from daemon.money.lines import Line
from daemon.money.purses import Purses
from daemon.records import Store
from daemon.settings import Settings, SettingsFile, Spent
from tests.fakes.clock import HeldClock
from tests.fakes.control import CALLERS, READER, controlling

PATH = "/nearloop/v1/spending"
ONE = Line(
    "a" * 16, 0, 1767322800.0, "2026-01-02", "zed", "", "s", "work", "big", "cloud", "known", nano=1_500, prompt=10
)
LINES = (
    ONE,
    replace(ONE, number=1, billing="unknown", nano=0, model="odd"),
    replace(ONE, number=2, billing="plan", nano=0, provider="flat"),
    replace(
        ONE,
        number=3,
        provider="local",
        place="device",
        billing="none",
        nano=0,
        answered=True,
        saved_nano=250,
        took_ms=2000.0,
    ),
)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[TestClient[Any], SettingsFile, Purses]]:
    clock = HeldClock()
    file, store = SettingsFile(folder / "settings.toml"), Store(folder / "data" / "records.db", clock)
    purses = Purses(file.settings.spending, clock)
    for line in LINES:
        store.write_line(line)

    def take_in(settings: Settings) -> None:
        purses.replace(settings.spending)

    try:
        with controlling(spending_routes(purses, store, CALLERS, file, take_in)) as api:
            yield api, file, purses
    finally:
        store.close()


def test_what_was_spent(tmp_path: Path) -> None:
    """Unknown, a plan and what costs nothing are told apart; whom anybody may read who may read records."""
    with serving(tmp_path) as (api, _, _):
        told = api.get(
            PATH, params={"by": "model", "since": "month"}, headers={"authorization": f"Bearer {READER}"}
        ).json()
        whole = told["whole"]
        assert (whole["calls"], whole["priced"], whole["unpriced"], whole["plan"], whole["free"]) == (4, 1, 1, 1, 1)
        assert (whole["cost_usd"], whole["saved_usd"], whole["compared"], whole["answers"]) == (1.5e-6, 2.5e-7, 1, 1)
        assert [each["name"] for each in told["rows"]] == ["work/big", "flat/big", "local/big", "work/odd"]
        assert told["since"] == "2026-01-01"
        for by in ("client", "project", "provider", "session", "day"):
            rows = api.get(PATH, params={"by": by, "since": "7d"}).json()["rows"]
            assert sum(each["cost_usd"] for each in rows) == 1.5e-6, by
        assert api.get(PATH, params={"by": "colour"}).status_code == 400
        assert api.get(PATH, params={"since": "tomorrow"}).status_code == 400


def test_a_limit_is_set(tmp_path: Path) -> None:
    """It stands in the settings beside what stands there, counts at once, and goes when it is null."""
    with serving(tmp_path) as (api, file, purses):
        file.path.write_text("[spending]\nwarn_at = 0.5 # mine\n")
        file.reread()
        api.put(PATH, json={"scope": "all", "day_usd": 5.0, "warn_at": 0.5})
        told = api.put(PATH, json={"scope": "project", "name": "medical", "month_usd": 2.0}).json()
        assert [(each["scope"], each["name"], each["period"], each["limit_usd"]) for each in told["limits"]] == [
            ("all", "", "day", 5.0),
            ("project", "medical", "month", 2.0),
        ]
        assert "# mine" in file.path.read_text()
        assert file.settings.spending.projects == {"medical": Spent(None, 2.0)}
        api.put(PATH, json={"scope": "project", "name": "medical"})
        assert [each.scope for each in purses.standings] == ["all"]


@pytest.mark.parametrize(
    "body",
    [
        {"scope": "all", "day_usd": -1},
        {"scope": "all", "day_usd": 1e9},
        {"scope": "all", "warn_at": 2},
        {"scope": "all", "name": "zed", "day_usd": 1},
        {"scope": "project", "day_usd": 1},
        {"scope": "client", "name": "no such name", "day_usd": 1},
        {"scope": "town", "name": "x"},
        {"scope": "all", "weeks": 2},
    ],
)
def test_what_is_no_limit(tmp_path: Path, body: dict[str, Any]) -> None:
    """It is refused, and nothing is written."""
    with serving(tmp_path) as (api, file, _):
        assert api.put(PATH, json=body).status_code == 400
        assert not file.path.exists()


def test_who_may_limit(tmp_path: Path) -> None:
    """The admin alone; and only a provider and a client that there are."""
    with serving(tmp_path) as (api, _, _):
        limit = {"scope": "all", "day_usd": 1.0}
        assert api.put(PATH, json=limit, headers={"authorization": f"Bearer {READER}"}).status_code == 403
        for scope in ("provider", "client"):
            assert api.put(PATH, json={"scope": scope, "name": "gone", "day_usd": 1.0}).status_code == 404
