"""The switch that keeps everything here."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.boundary.switch import Switch
from daemon.errors import Refused, StoreError


def test_it_holds_until_it_is_turned(tmp_path: Path) -> None:
    """Also for another process, twice in a row, and where its folder isn't there yet."""
    path = tmp_path / "data" / "local-only"
    switch = Switch(path)
    assert not switch.on
    for on in (True, True, False, False):
        switch.turn(on)
        assert switch.on is Switch(path).on is on


def test_what_would_leave_is_refused(tmp_path: Path) -> None:
    """With the command that ends it."""
    switch = Switch(tmp_path / "local-only")
    switch.require_off("a pull")
    switch.turn(True)
    with pytest.raises(Refused, match=r"a pull would leave .* `nearloop local-only off`"):
        switch.require_off("a pull")


def test_what_cannot_be_seen_is_on(tmp_path: Path) -> None:
    """A name too long to look up says nothing, so nothing leaves; a link that leads nowhere stands there."""
    assert Switch(tmp_path / ("x" * 300)).on
    (tmp_path / "local-only").symlink_to(tmp_path / "nowhere")
    assert Switch(tmp_path / "local-only").on


def test_a_switch_that_cannot_be_turned_says_so(tmp_path: Path) -> None:
    """Where a folder has its name, it stays on and says why."""
    (tmp_path / "local-only" / "inside").mkdir(parents=True)
    switch = Switch(tmp_path / "local-only")
    with pytest.raises(StoreError, match="can't be removed"):
        switch.turn(False)
    assert switch.on
