"""Models as rows, and all that is known of one."""

from __future__ import annotations

from daemon import wire
from tests.fakes import told_models
from tui.tables.models import Entry, detail, entries, row, stay


def words(entry: Entry, width: int = 80) -> str:
    return "\n".join(str(line) for line in detail(entry, width))


def test_those_in_use_come_first_then_what_is_on_its_way() -> None:
    """Each name once, with all that is known of it."""
    fetches = {
        "qwen3-0.6b": wire.Fetch("qwen3-0.6b", "running"),
        "maker/other": wire.Fetch("maker/other", "failed", "there is no such file"),
        "entail-small": wire.Fetch("entail-small", "stopped"),
    }
    found = entries(told_models.models(), told_models.inventory().models, fetches)

    assert [each.name for each in found] == [
        "SmolLM2-135M-Instruct", "coder-7b", "notes", "broken", "qwen3-0.6b", "maker/other", "entail-small", "seer-4b"
    ]  # fmt: skip
    assert found[0].model
    assert found[0].holding
    assert found[4].fetching


def test_a_row_tells_state_memory_and_load() -> None:
    """In few words; nothing is a dash."""
    loaded, loading, _, failed, offered, *_ = [
        [cell.words for cell in row(each)] for each in entries(told_models.models(), told_models.inventory().models, {})
    ]

    assert loaded[2:7] == ["loaded", "CPU", "410.0 MB", "1+2", "1 h"]
    assert loading[2] == "loading 40%"
    assert (failed[0], failed[2], failed[7]) == ("✗", "failed", "3")
    assert (offered[2], offered[5], offered[9]) == ("on the hub", "–", "~640.0 MB")


def test_what_is_on_its_way_shows_how_far_it_is() -> None:
    """As a share where the whole is known, and as a bar with the file below."""
    fetch = wire.Fetch("qwen3-0.6b", "running", "fetching", "qwen.gguf", 160_000_000, 640_000_000)
    entry = Entry("qwen3-0.6b", None, told_models.holding("qwen3-0.6b"), fetch)

    assert row(entry)[2].words == "fetching 25%"
    assert "qwen.gguf, 160.0 MB of 640.0 MB" in words(entry)
    assert row(Entry("x", None, None, wire.Fetch("x", "running")))[2].words == "fetching …"


def test_the_detail_tells_where_it_runs_and_why() -> None:
    """With memory, engine and what its process gave up; over as many lines as the width makes."""
    entry = entries(told_models.models(), told_models.inventory().models, {})[0]

    assert "CPU: fastest of 2 devices" in words(entry, 120)
    assert "410.0 MB when busy, at most 900.0 MB" in words(entry)
    assert "no sockets, no other process" in words(entry)
    assert all(line.cell_length <= 40 for line in detail(entry, 40))


def test_a_failure_is_told_in_its_words() -> None:
    """Of a model that can't be loaded, and of one that can't be fetched."""
    assert "its file is damaged" in words(Entry("broken", told_models.models()[3]))
    assert "no such file" in words(Entry("x", None, None, wire.Fetch("x", "failed", "there is no such file")))


def test_what_no_engine_runs_is_not_offered() -> None:
    """The hint to fetch stands only where it helps."""
    assert "f fetches it" not in words(Entry("seer", None, told_models.holding("seer", runnable=False)))
    assert "f fetches it" in words(Entry("qwen", None, told_models.holding("qwen")))


def test_how_long_it_stays() -> None:
    """In the largest unit that it is whole in."""
    assert [stay(each) for each in (90.0, 600.0, 3600.0, 172800.0)] == ["90 s", "10 min", "1 h", "2 d"]
