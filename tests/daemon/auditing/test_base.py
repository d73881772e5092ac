"""What readers share: times, and who is a server of the user's own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from daemon.auditing.base import is_local, moment

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "written", ["2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", 1_772_366_400, 1_772_366_400.0, 1_772_366_400_000]
)
def test_times(written: Any) -> None:
    """ISO 8601, seconds and milliseconds are one moment."""
    assert moment(written) == NOON


def test_a_time_without_a_zone() -> None:
    """It is this machine's."""
    assert moment("2026-03-01 12:00:00") == datetime(2026, 3, 1, 12).astimezone(UTC)


@pytest.mark.parametrize("written", [None, True, "", "yesterday", 1e300, -1e300, [], {}, "9" * 5000])
def test_what_is_no_time(written: Any) -> None:
    """It is none, and raises nothing."""
    assert moment(written) is None


def test_servers_of_ones_own() -> None:
    """By the provider's name, or by the model's first part; everybody else counts as a provider."""
    assert is_local("Ollama")
    assert is_local(None, "ollama_chat/qwen")
    assert not is_local(None)
    assert not is_local("openai", "openai/gpt-5")
    assert not is_local(None, "ollama-is-good")
