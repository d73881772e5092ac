"""Tests of earlier versions of recipes."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from daemon.errors import NotFound
from daemon.routing.shelf import KEPT, Shelf
from daemon.routing.sources import Source
from tests.fakes.clock import HeldClock


def of(text: str, name: str = "mine.dsl") -> Source:
    return Source(name, text, "dsl", Path(), Path(name))


def test_versions(tmp_path: Path) -> None:
    """Each text once in a row, by number, and still there in the next process."""
    shelf = Shelf(tmp_path / "s", HeldClock())

    for text in ("a", "a", "b", "a"):
        shelf.keep(of(text), "file")
    shelf.keep(of("c", "other.dsl"), "start")

    again = Shelf(tmp_path / "s", HeldClock())
    assert [(each.number, again.text(each.number, "mine.dsl")) for each in again.of("mine.dsl")] == [
        (1, "a"), (2, "b"), (3, "a")
    ]  # fmt: skip
    assert again.last("mine.dsl") == "a"
    assert again.last("other.dsl") == "c"
    assert again.last("unheard.dsl") is None


def test_what_is_not_there(tmp_path: Path) -> None:
    """Another recipe's number is none of this one's; a lost file is told."""
    shelf = Shelf(tmp_path, HeldClock())
    shelf.keep(of("a"), "file")

    with pytest.raises(NotFound):
        shelf.text(1, "other.dsl")
    for path in tmp_path.glob("*.dsl"):
        path.unlink()
    with pytest.raises(NotFound):
        shelf.text(1, "mine.dsl")
    assert shelf.last("mine.dsl") is None


def test_a_broken_list_is_no_history(tmp_path: Path) -> None:
    """The daemon starts all the same."""
    (tmp_path / "versions.json").write_text("{")

    assert Shelf(tmp_path, HeldClock()).of("mine.dsl") == ()


def test_old_ones_go(tmp_path: Path) -> None:
    """With their files."""
    shelf = Shelf(tmp_path, HeldClock())

    for place in range(KEPT + 3):
        shelf.keep(of(str(place)), "file")

    assert len(shelf.of("mine.dsl")) == KEPT
    assert len(list(tmp_path.glob("*.dsl"))) == KEPT


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_they_are_this_users(tmp_path: Path) -> None:
    """Nobody else reads what stands in them."""
    Shelf(tmp_path / "s", HeldClock()).keep(of("a"), "file")

    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "s").iterdir()} == {0o600}
