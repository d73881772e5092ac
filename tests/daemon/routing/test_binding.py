"""Tests of who a recipe's names mean here, and of what keeps them from being asked."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.decision.rules import Candidate, Policy
from daemon.routing.binding import bind, obstacle
from tests.fakes.routing import BIG, MAY, NEAR, OFFER, OPEN, PRIVATE


@pytest.mark.parametrize(
    ("name", "candidate"),
    [
        ("local", Candidate("local", "small")),
        ("local/coder", Candidate("local", "coder")),
        ("coder", Candidate("local", "coder")),
        ("cloud", BIG),
        ("work/else", Candidate("work", "else")),
        ("work/a/b", Candidate("work", "a/b")),
        ("big", BIG),
        ("other", NEAR),
        ("openai/gpt5.4", Candidate("work", "big")),
        ("qwen-coordinator", Candidate("local", "coder")),
        ("local/unknown", None),
        ("nobody/model", None),
        ("nobody", None),
    ],
)
def test_names(name: str, candidate: Candidate | None) -> None:
    """Local models by bare name too, providers' models by theirs, any other as the user says."""
    assert bind(name, OFFER, {"openai/gpt5.4": "work/big", "qwen-coordinator": "local/coder"}) == candidate


def test_no_cloud_is_nobody() -> None:
    """`cloud` means nobody where no provider names a model."""
    assert bind("cloud", replace(OFFER, cloud=()), {}) is None


def test_obstacles() -> None:
    """Beyond this machine, rights, privacy and the network each stop a candidate; on it none of them does."""
    stranger = Policy(may_cloud=False, escalate_below=0.5)
    offline = replace(OFFER, online=False)

    assert obstacle(BIG, OPEN, OFFER, MAY) is None
    assert obstacle(BIG, OPEN, OFFER, stranger) == "no-token"
    assert obstacle(BIG, PRIVATE, OFFER, MAY) == "private"
    assert obstacle(BIG, OPEN, offline, MAY) == "offline"
    for why in ("limited", "down", "no-credit", "offline"):
        assert obstacle(BIG, OPEN, replace(OFFER, away={"work": why}), MAY) == why
        assert obstacle(BIG, OPEN, replace(OFFER, away={"work/big": why}), MAY) == why
        assert obstacle(BIG, PRIVATE, replace(OFFER, away={"work": why}), MAY) == "private"
    for here in (NEAR, Candidate("local", "small")):
        assert obstacle(here, PRIVATE, offline, stranger) is None
