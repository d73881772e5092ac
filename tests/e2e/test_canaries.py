"""Private values in every field, protocol and writing, through a real daemon to a provider that keeps each byte."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.fakes.canary_campaign import campaign
from tests.fakes.canary_requests import cases
from tests.fakes.canary_search import arrived, core
from tests.fakes.canary_values import KINDS, WRITINGS, fits
from tests.fakes.upstream import Received

pytestmark = pytest.mark.slow


def test_the_search_finds_each_writing() -> None:
    """A request that was sent on as it came gives its value away, so a campaign that finds nothing has looked."""
    missed = Counter[str]()
    for case in cases(1000, seed=9):
        body = json.dumps(case.body).encode()
        text = arrived(Received("POST", case.path, case.headers, body, 0))
        if core(case.value.text) not in text:
            assert "header" in case.field or case.field == "speaker"  # cut by the protocol's own limit, or not ASCII
            missed[case.writing] += 1
    assert missed.total() < 60


def test_every_pair_is_planted() -> None:
    """Of kinds and writings, in one round."""
    pairs = [(kind, writing) for kind in KINDS for writing in WRITINGS if fits(kind, writing)]

    assert {(case.value.kind, case.writing) for case in cases(len(pairs), seed=1)} == set(pairs)
    assert [case.body for case in cases(50, seed=3)] == [case.body for case in cases(50, seed=3)]


async def test_strict_lets_none_out(tmp_path: Path) -> None:
    """A hundred of them; the whole campaign is tests/bench/bench_canaries.py."""
    counts = await campaign(tmp_path, "strict", cases(100, seed=2))

    assert counts.planted.total() == 100
    assert counts.arrived.total() == 0
    assert counts.statuses[403] > 50


async def test_balanced_lets_no_plain_form_out_of_a_message(tmp_path: Path) -> None:
    """Values with a form of their own, written plainly or in what is read as such, where people write; and most are sent."""
    wanted = {"plain", "URL-encoded", "HTML entities", "JSON escapes", "zero-width", "full width"}
    formed = {"mail address", "card", "IBAN", "phone", "vendor key", "employee id"}
    chosen = [
        case
        for case in cases(1000, seed=4)
        if case.writing in wanted and case.value.kind in formed and case.field in ("user", "system", "tool result")
    ]
    counts = await campaign(tmp_path, "balanced", chosen)

    assert len(chosen) > 30
    assert counts.arrived.total() == 0, [(case.value.text, case.writing) for case, _ in counts.examples]
    assert counts.sent > len(chosen) * 0.8


@pytest.mark.timeout(900)
async def test_the_whole_campaign_in_strict(tmp_path: Path) -> None:
    """Ten thousand requests, and no value arrives."""
    counts = await campaign(tmp_path, "strict", cases(10_000, seed=1))

    assert (counts.planted.total(), counts.arrived.total()) == (10_000, 0)
