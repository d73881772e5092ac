"""Random faults in a row: each request gets one whole answer or one clear error, and the ledger has what was really taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.fault_campaign import campaign


@pytest.mark.parametrize("count", [60, pytest.param(500, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])
async def test_random_faults(tmp_path: Path, count: int) -> None:
    """`tests/bench/bench_faults.py` asks ten thousand times."""
    tally = await campaign(tmp_path / "campaign", count, seed=count)

    assert tally.wrong == []
    assert tally.answers + tally.errors == tally.asked == count
    assert tally.told == tally.logged
    assert tally.answers > count / 5  # whoever failed too often in a row is not asked for a while
    assert tally.errors > 0
    assert len(tally.faults) > 5
