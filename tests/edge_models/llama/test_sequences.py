"""Which sequence a prompt goes on with."""

from __future__ import annotations

import pytest

from edge_models.llama.sequences import Sequence, Sequences, common_prefix


class Cells:
    """A cache that remembers what its sequences hold, as the real one does."""

    def __init__(self, partial_prefixes: bool = True) -> None:
        self.partial_prefixes = partial_prefixes
        self.lengths: dict[int, int] = {}

    def copy(self, source: int, target: int, length: int) -> None:
        assert not self.lengths.get(target, 0), "a copy goes to an empty sequence"
        assert length <= self.lengths[source]
        self.lengths[target] = length

    def cut(self, sequence: int, length: int) -> bool:
        partly = self.partial_prefixes or length == 0
        self.lengths[sequence] = length if partly else 0
        return partly


def read(cells: Cells, sequence: Sequence, tokens: list[int]) -> None:
    """As the engine does after a decode."""
    sequence.tokens = list(tokens)
    cells.lengths[sequence.number] = len(tokens)


FIRST = list(range(100))


def test_a_conversation_goes_on_where_it_was() -> None:
    """A prompt that continues an idle sequence takes it over, whole."""
    cells = Cells()
    sequences = Sequences(cells, 3)
    one = sequences.claim(FIRST)
    read(cells, one, FIRST)
    sequences.release(one)

    again = sequences.claim([*FIRST, 7, 8])

    assert again is one
    assert again.tokens == FIRST


def test_the_last_token_is_read_anew() -> None:
    """The same prompt once more keeps all but its last token, whose logits are needed."""
    cells = Cells()
    sequences = Sequences(cells, 3)
    one = sequences.claim(FIRST)
    read(cells, one, FIRST)
    sequences.release(one)

    assert sequences.claim(FIRST).tokens == FIRST[:-1]
    assert cells.lengths[one.number] == len(FIRST) - 1


def test_a_prefix_of_a_running_request_is_shared() -> None:
    """Whoever runs keeps its own; the other one gets a copy of what is common."""
    cells = Cells()
    sequences = Sequences(cells, 3)
    one = sequences.claim(FIRST)
    read(cells, one, FIRST)

    two = sequences.claim([*FIRST[:60], 900, 901])

    assert two is not one
    assert two.tokens == FIRST[:60]
    assert one.tokens == FIRST
    assert cells.lengths == {one.number: 100, two.number: 60}


def test_another_ones_session_is_not_cut() -> None:
    """A prompt that shares the beginning alone leaves an idle session as it is."""
    cells = Cells()
    sequences = Sequences(cells, 3)
    one = sequences.claim(FIRST)
    read(cells, one, FIRST)
    sequences.release(one)

    two = sequences.claim([*FIRST[:50], 900])

    assert two is not one
    assert len(one.tokens) == 100
    assert len(two.tokens) == 50


def test_the_oldest_idle_one_goes_first() -> None:
    """Eviction takes what was not used for longest, and nothing that is busy."""
    cells = Cells()
    sequences = Sequences(cells, 3)
    kept = [sequences.claim([number] * 20) for number in range(3)]
    for number, sequence in enumerate(kept):
        read(cells, sequence, [number] * 20)
    sequences.release(kept[1])
    sequences.release(kept[0])

    assert sequences.evict()
    assert [len(sequence.tokens) for sequence in kept] == [20, 0, 20]
    assert sequences.evict()
    assert not sequences.evict()
    assert len(kept[2].tokens) == 20


def test_nothing_is_held_twice() -> None:
    """An idle sequence that is the beginning of one that is released goes; one that goes on otherwise stays."""
    cells = Cells()
    sequences = Sequences(cells, 4)
    held = [FIRST[:60], [*FIRST[:60], 900], FIRST]
    kept = [sequences.claim([-number - 1]) for number in range(3)]
    for sequence, tokens in zip(kept, held, strict=True):
        read(cells, sequence, tokens)
        sequences.release(sequence)

    assert [len(sequence.tokens) for sequence in kept] == [0, 61, 100]


def test_trim_keeps_the_last_one() -> None:
    """Idle tokens are held to a number, but for the conversation that was going on just now."""
    cells = Cells()
    sequences = Sequences(cells, 4)
    kept = [sequences.claim([number] * 100) for number in range(3)]
    for number, sequence in enumerate(kept):
        read(cells, sequence, [number] * 100)
        sequences.release(sequence)

    sequences.trim(150)
    assert [len(sequence.tokens) for sequence in kept] == [0, 0, 100]
    sequences.trim(10)
    assert len(kept[2].tokens) == 100


def test_a_model_that_remembers_all_or_nothing() -> None:
    """Where a part can't be forgotten, only a whole sequence is taken over, and a cut forgets everything."""
    cells = Cells(partial_prefixes=False)
    sequences = Sequences(cells, 3)
    one = sequences.claim(FIRST)
    read(cells, one, FIRST)
    sequences.release(one)

    assert sequences.shared([*FIRST[:50], 900]) == 0
    assert sequences.claim([*FIRST[:50], 900]) is not one
    again = sequences.claim([*FIRST, 7])
    assert again is one
    sequences.cut(again, 50)
    assert again.tokens == []


@pytest.mark.parametrize("length", [0, 1, 2, 63, 99, 100])
def test_common_prefix(length: int) -> None:
    """It is exact at both ends and in between."""
    assert common_prefix(FIRST, [*FIRST[:length], -1, -2]) == length
    assert common_prefix(FIRST[:length], FIRST) == length
