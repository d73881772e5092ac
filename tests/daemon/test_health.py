"""Named warnings."""

from __future__ import annotations

from pathlib import Path

from daemon.clock import SystemClock
from daemon.health import warnings
from daemon.records import Store
from daemon.wire import Upstream
from tests.fakes.asking import without_models


def test_missing_signal_models_are_told_once_somebody_asked(tmp_path: Path) -> None:
    """With what to do about it."""
    store = Store(tmp_path / "records.db", SystemClock())
    parts = without_models()
    before = warnings((), store, tuple(filter(None, (parts.heads.why, parts.vectors.why))))
    parts.heads.has("domain")
    after = warnings((), store, tuple(filter(None, (parts.heads.why, parts.vectors.why))))
    store.close()

    assert before == ()
    assert [(each.code, each.severity, each.remedy) for each in after] == [
        ("signal-models-missing", "warning", "there are none in this test")
    ]


def test_an_open_door_is_told_as_long_as_it_is_open(tmp_path: Path) -> None:
    """With where it is, and with what is missing while no program has a token."""
    store = Store(tmp_path / "records.db", SystemClock())
    (empty,) = warnings((), store, exposed=("http://172.17.0.1:6327",))
    (warning,) = warnings((), store, exposed=("http://172.17.0.1:6327",), clients=1)
    store.close()

    assert (warning.code, warning.severity) == ("exposed", "warning")
    assert "http://172.17.0.1:6327" in warning.text
    assert "plain HTTP" in warning.text
    assert "client add" in empty.remedy
    assert "client add" not in warning.remedy
    assert "--expose" in warning.remedy


def test_providers_that_are_out_are_told(tmp_path: Path) -> None:
    """With what to do; a limit that passes, and a network that is away, are nobody's fault."""
    store = Store(tmp_path / "records.db", SystemClock())
    states = (
        Upstream("a"),
        Upstream("b", "limited", 40.0),
        Upstream("c", "offline"),
        Upstream("d", "down", 3.0, failures=7),
        Upstream("e", "no-credit"),
    )
    found = warnings((), store, upstreams=states)
    store.close()

    assert [each.code for each in found] == ["provider-down", "provider-no-credit"]
    assert "d failed 7 times" in found[0].text
    assert all("nearloop provider test" in each.remedy for each in found)
