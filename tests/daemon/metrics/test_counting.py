"""One daemon's metrics."""

from __future__ import annotations

from daemon import wire
from daemon.metrics import models, requests, state
from tests.fakes.counted import count, metrics, values
from tests.fakes.told_records import SMALL, START, a_day, asked_away, record


def test_other_events_count_nothing() -> None:
    """Only records and receipts do."""
    made = metrics()
    before = made.readings()
    made.hear(wire.Event(1, START, "request", {"protocol": "openai-chat", "client": None}, "0" * 16))
    made.hear(wire.Event(2, START, "log", {}))

    assert made.readings() == before


def test_each_daemon_has_its_own() -> None:
    """Nothing is kept beyond one."""
    assert sum(count(requests.REQUESTS, *a_day()).values()) == len(a_day())
    assert count(requests.REQUESTS) == {}


def test_invented_names_make_no_series() -> None:
    """Two thousand requests for models that nobody has come to one series each metric."""
    flood = [
        record(
            1,
            asked_away(model=f"made-up-{number}", outcome="failed", error="Unsupported"),
            model=f"work/made-up-{number}",
            project=f"made-up-{number}",
            session=f"made-up-{number}",
            decision=wire.Decision("model-named", "single", (f"work/made-up-{number}",)),
        )
        for number in range(2000)
    ]
    made = metrics(*flood)

    assert values(made, models.REQUESTS) == {("work/other",): 2000}
    assert "made-up" not in repr(made.readings())
    assert [(len(each.values), len(each.bins)) for each in made.readings()] == [
        (len(each.values), len(each.bins)) for each in metrics(flood[0]).readings()
    ]


def test_what_is_there_is_read_when_asked() -> None:
    """Gauges, and totals that somebody else keeps."""
    made = metrics()

    assert values(made, state.DROPPED) == {(): 5.0}
    assert values(made, models.IN_FLIGHT) == {(f"local/{SMALL}",): 1, ("work/big-model",): 1, ("other",): 4}
