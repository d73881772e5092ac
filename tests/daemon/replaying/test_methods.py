"""Who is asked for a question."""

from __future__ import annotations

from daemon.replaying.methods import Answered, alone
from tests.fakes.replays import replayed


async def test_one_model_alone() -> None:
    """It is asked whatever the question, and nobody else."""
    for item in replayed(["wwr", "rxx"], times=2):
        assert await alone("middle").answer(item) == Answered("middle", ("middle",))
