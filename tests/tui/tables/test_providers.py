"""Providers as rows, with what they were asked today, and all that is known of one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from daemon import wire
from daemon.wire import Upstream
from tests.fakes import told_providers
from tests.fakes.told_records import START, a_day, asked_away, record
from tui.tables.providers import Asked, asked, detail, health, row

WORK, OLLAMA, LAB, MISTRAL, NEW = told_providers.providers().providers


def test_how_each_did_since_midnight() -> None:
    """Every attempt counts with its provider, and yesterday's does not; what it cost is the daemon's to say."""
    records = (record(1, asked_away(cost_usd=0.5)), *a_day())
    found = asked(records, START + timedelta(seconds=8))

    assert (found["work"].calls, found["local"].failed) == (5, 1)
    today = wire.Sums("work", 7, 1.5, priced=4, plan=2, unpriced=1, prompt_tokens=10, completion_tokens=5)
    of = replace(found["local"], today=today)
    assert [cell.words for cell in row(WORK, of, None)][5:7] == ["$1.50+plan+?", "7"]
    told = "\n".join(str(line) for line in detail(WORK, of, None, 120))
    assert "$1.50+plan+? (1 unknown, 2 plan), 7 calls, 15 tokens" in told
    assert f"of the last {of.calls} failed" in told


def test_health_is_the_last_tests_word_then_the_last_calls() -> None:
    """And what keeps it from being asked at all goes first."""
    failed = Asked(calls=1, last=asked_away(outcome="failed", error="rate_limited"))

    assert health(WORK, Asked(), told_providers.tested()).words == "answers, 212 ms"
    assert health(WORK, Asked(), "it can't be reached").tone == "bad"
    assert health(WORK, failed, None).words == "failed: rate_limited"
    assert health(WORK, Asked(calls=1, last=asked_away()), None).words == "answered, 410 ms"
    assert health(MISTRAL, Asked(), None).words == "no key"
    assert health(NEW, Asked(), told_providers.tested()).words == "after a restart"
    assert health(told_providers.removed().providers[-1], Asked(), None).words == "removed"


def test_who_is_out_says_until_when() -> None:
    """Before the last test's word, which is older."""

    def shown(state: str, back_in_s: float | None = None) -> tuple[str, str]:
        upstream = Upstream("work", state, back_in_s, running=2, waiting=1, concurrent=2)  # type: ignore[arg-type]
        toned = health(replace(WORK, upstream=upstream), Asked(), told_providers.tested())
        return toned.words, toned.tone

    assert shown("limited", 40.0) == ("at its limit, 40 s", "warn")
    assert shown("down", 3.0) == ("keeps failing, 3 s", "bad")
    assert shown("trying") == ("is tried again", "warn")
    assert shown("no-credit", 800.0) == ("no credit, 800 s", "bad")
    assert shown("offline") == ("no network", "bad")
    assert shown("ready") == ("answers, 212 ms", "good")
    busy = replace(WORK, upstream=Upstream("work", running=2, waiting=1, concurrent=2))
    assert "2 of 2 requests there, 1 waiting" in str([str(line) for line in detail(busy, Asked(), None, 80)])


def test_a_row_tells_place_and_key() -> None:
    """Never the key, only where it is kept."""
    cells = [[cell.words for cell in row(each, Asked(), None)] for each in (WORK, OLLAMA, LAB, MISTRAL)]

    assert [each[2] for each in cells] == ["↗ cloud", "⌂ this machine", "↗ network", "↗ cloud"]
    assert [each[3] for each in cells] == ["in the keyring", "needs none", "from file", "missing"]


def test_the_detail_tells_remedies() -> None:
    """What is missing, what is weak, what a test told; without providers, how to add one."""
    told = "\n".join(str(line) for line in detail(MISTRAL, Asked(), None, 90))
    assert "nearloop key set mistral" in told
    told = "\n".join(str(line) for line in detail(LAB, Asked(), None, 200))
    assert "readable in a file" in told
    told = "\n".join(str(line) for line in detail(WORK, Asked(), told_providers.tested(), 90))
    assert "mid-model" in told
    told = " ".join(str(line) for line in detail(None, Asked(), None, 60))
    assert "nearloop provider add" in told


def test_the_detail_tells_of_several_keys() -> None:
    """Each with where it is kept and how it did; and what may be spent a day."""
    at = datetime(2026, 11, 30, 9, 5, tzinfo=UTC)
    keys = (
        wire.KeyInfo("keyring", used_at=at, refused_at=at, refusal="RateLimited", out_s=40.0),
        wire.KeyInfo("keyring:spare", "work has no key in the keyring"),
    )
    told = "\n".join(str(line) for line in detail(replace(WORK, keys=keys, day_usd=5.0), Asked(), None, 120))

    assert "refused" in told and "(RateLimited), others first for 40 s" in told
    assert "keyring:spare, missing" in told
    assert "$5 a day" in told
