"""What the user let pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.boundary import approvals as module
from daemon.boundary.approvals import Approvals
from daemon.errors import BadRequest, NotFound, StoreError
from daemon.signals.base import Span

SPAN = Span("messages[0].parts[0]", 3, 8, "EMAIL_ADDRESS")
VALUES = {SPAN: "a@b.c"}
RECORD = "0123456789abcdef"


@pytest.fixture
def approvals(tmp_path: Path) -> Approvals:
    return Approvals(tmp_path / "approvals.json")


def test_once_is_once_and_for_one_client(approvals: Approvals) -> None:
    """It holds for the client whose request it was, until a request with the value has left."""
    hashes = approvals.hashes(VALUES)
    approvals.remember(RECORD, "zed", hashes.values())
    assert approvals.allowed("zed", hashes) == frozenset()

    assert approvals.allow(RECORD[:6], "once") == 1

    assert approvals.allowed("zed", hashes) == {SPAN}
    assert approvals.allowed("other", hashes) == frozenset()
    assert approvals.allowed(None, hashes) == frozenset()
    approvals.used("zed", hashes.values())
    assert approvals.allowed("zed", hashes) == frozenset()


def test_for_good_outlives_the_daemon_and_holds_no_value(approvals: Approvals, tmp_path: Path) -> None:
    """What is kept are keyed hashes, by client; another label or value is another hash."""
    approvals.remember(RECORD, "zed", approvals.hashes(VALUES).values())
    approvals.allow(RECORD, "project")

    again = Approvals(tmp_path / "approvals.json")
    hashes = again.hashes(VALUES)

    assert again.allowed("zed", hashes) == {SPAN}
    assert again.allowed("zed", again.hashes({SPAN: "x@y.z"})) == frozenset()
    other = Span(SPAN.path, SPAN.start, SPAN.end, "PHONE_NUMBER")
    assert again.allowed("zed", again.hashes({other: "a@b.c"})) == frozenset()
    assert b"a@b.c" not in (tmp_path / "approvals.json").read_bytes()
    assert (tmp_path / "approvals.json").stat().st_mode & 0o777 == 0o600


def test_a_claimed_project_can_not_let_anything_pass_for_good(approvals: Approvals) -> None:
    """Without a token there is only once."""
    approvals.remember(RECORD, None, ["00"])

    with pytest.raises(BadRequest, match="token"):
        approvals.allow(RECORD, "project")
    assert approvals.allow(RECORD, "once") == 1


def test_what_is_not_in_mind(approvals: Approvals, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown, ambiguous or forgotten record is told as such."""
    monkeypatch.setattr(module, "REMEMBERED", 2)
    for number in range(3):
        approvals.remember(f"ab{number}", None, ["00"])

    for id in ("", "ab", "ab0", "zz"):
        with pytest.raises(NotFound):
            approvals.allow(id, "once")
    assert approvals.allow("ab2", "once") == 1


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    """It is not silently forgotten."""
    (tmp_path / "approvals.json").write_text("{")

    with pytest.raises(StoreError, match="move it away"):
        Approvals(tmp_path / "approvals.json")
