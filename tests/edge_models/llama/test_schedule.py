"""Who is in the next batch."""

from __future__ import annotations

import time

from edge_models.engines.base import Sampling
from edge_models.llama.requests import Request
from edge_models.llama.schedule import SHARED_STEP_S, Pace, Share, shares
from edge_models.llama.sequences import Sequences
from edge_models.sampling import Choosing, Sampler

BATCH = 64


class Cells:
    """A cache that can forget parts."""

    partial_prefixes = True

    def copy(self, source: int, target: int, length: int) -> None:
        """Nothing is really held."""

    def cut(self, sequence: int, length: int) -> bool:
        return True


class Loop:
    """The engine's bookkeeping without the engine."""

    def __init__(self) -> None:
        self.sequences = Sequences(Cells(), 16)
        self.pace = Pace()

    def step(self, *running: Request) -> dict[int, int]:
        """Tokens by request id, and everybody is that much further."""
        batch = shares(running, self.sequences, self.pace, BATCH)
        for share in batch:
            advance(share)
        return {share.request.id: share.tokens for share in batch}


def advance(share: Share) -> None:
    sequence = share.request.sequence
    assert sequence
    read = len(sequence.tokens)
    sequence.tokens += share.request.tokens[read : read + share.tokens]


def request(id: int, tokens: list[int]) -> Request:
    return Request(id, tokens, 9, Sampling(), Sampler(Choosing(temperature=0.0)), None)


def prompt(id: int, length: int) -> Request:
    """One that begins like no other."""
    return request(id, [id] * length)


def test_alone_a_prompt_has_the_batch() -> None:
    """It is read in whole batches, and then it writes."""
    loop, only = Loop(), prompt(1, 150)

    assert [loop.step(only) for _ in range(3)] == [{1: 64}, {1: 64}, {1: 22}]
    only.tokens.append(5)
    assert loop.step(only) == {1: 1}


def test_short_prompts_come_first() -> None:
    """Prompts share a batch equally, and what a short one leaves goes to the long one."""
    loop, long, short = Loop(), prompt(1, 300), prompt(2, 10)

    assert loop.step(long, short) == {1: 54, 2: 10}
    short.tokens.append(5)
    third = prompt(3, 100)
    batch = loop.step(long, short, third)
    assert batch[2] == 1
    assert batch[1] == batch[3] == 8  # half of 16, the least that is read beside somebody who writes


def test_who_writes_is_in_each_batch() -> None:
    """Whatever is read beside it; and the batch stays within its bounds."""
    loop = Loop()
    writers = [prompt(id, 2) for id in range(1, 8)]
    loop.step(*writers)
    for each in writers:
        each.tokens.append(5)
    batch = loop.step(*writers, prompt(9, 500))

    assert all(batch[each.id] == 1 for each in writers)
    assert batch[9] == 16
    assert sum(batch.values()) <= BATCH


def test_the_same_beginning_is_read_once() -> None:
    """Whoever begins as a prompt that is being read waits for it, and then reads its own end alone."""
    loop, common = Loop(), list(range(100))
    first, second = request(1, [*common, 1, 1, 1]), request(2, [*common, 2, 2])

    assert loop.step(first, second) == {1: 64}
    assert loop.step(first, second) == {1: 39}
    first.tokens.append(5)
    assert loop.step(first, second) == {1: 1, 2: 2}


def test_a_fast_machine_reads_more_beside_writers() -> None:
    """As many tokens as are read in a tenth of a second, by what was measured."""
    pace = Pace()
    assert pace.shared_tokens == 16
    pace.begin()
    began = time.perf_counter()
    while time.perf_counter() - began < 0.01:
        pass
    pace.end(20)

    assert 100 < pace.shared_tokens <= 20 / 0.01 * SHARED_STEP_S
