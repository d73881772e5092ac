"""Which sequence serves a prompt, and what is kept."""

from __future__ import annotations

import pytest

from edge_models.decoder import Decoder, TokenSequence, open_decoder
from edge_models.idle_sequences import IdleSequences
from tests.fakes.tiny_decoder import write_tiny_decoder

FIRST = list(range(20))
OTHER = list(range(20, 39))


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    return open_decoder(write_tiny_decoder(tmp_path_factory.mktemp("tiny")), "CPU", {})


def having_read(decoder: Decoder, tokens: list[int]) -> TokenSequence:
    sequence = TokenSequence(decoder)
    sequence.read(tokens)
    return sequence


def test_the_longest_beginning_serves(decoder: Decoder) -> None:
    """Of several, the one that shares most is taken, and forgets what the prompt doesn't go on with."""
    idle = IdleSequences(decoder, 4, 1000)
    idle.put(having_read(decoder, FIRST[:10] + OTHER))
    best = having_read(decoder, FIRST + OTHER[:3])
    idle.put(best)
    idle.put(having_read(decoder, OTHER))

    taken = idle.take(FIRST + OTHER[5:])

    assert taken is best
    assert taken.tokens == FIRST
    assert idle.take(FIRST + OTHER[5:]) is not best


def test_the_last_token_is_always_read_again(decoder: Decoder) -> None:
    """A prompt that was read whole has one token left, since what follows it has to be computed."""
    idle = IdleSequences(decoder, 4, 1000)
    idle.put(having_read(decoder, FIRST))

    assert idle.take(FIRST).tokens == FIRST[:-1]


def test_little_in_common_is_nothing(decoder: Decoder) -> None:
    """Seven tokens are read again, eight are not; and nothing is taken that would look at more hidden cells than others."""
    idle = IdleSequences(decoder, 4, 1000)
    idle.put(having_read(decoder, FIRST[:7] + OTHER[:4]))
    assert idle.take(FIRST).tokens == []
    idle.put(having_read(decoder, FIRST[:8] + OTHER[:4]))
    assert idle.take(FIRST).tokens == FIRST[:8]
    idle.put(having_read(decoder, FIRST[:9] + OTHER[:10]))
    assert idle.take(FIRST).tokens == []


def test_where_nothing_can_be_hidden_a_sequence_only_goes_on(decoder: Decoder) -> None:
    """It serves prompts that hold all that it has read."""
    copying = Decoder(decoder.compiled, decoder.inputs, hides=False)
    idle = IdleSequences(copying, 4, 1000)
    idle.put(having_read(copying, FIRST))

    assert idle.take([*FIRST[:15], *OTHER]).tokens == []
    assert idle.take([*FIRST, *OTHER]).tokens == FIRST


def test_the_oldest_goes_first(decoder: Decoder) -> None:
    """No more are kept than was said, neither in number nor in cells."""
    few, small = IdleSequences(decoder, 1, 1000), IdleSequences(decoder, 9, 30)
    for idle in (few, small):
        idle.put(having_read(decoder, FIRST))
        idle.put(having_read(decoder, OTHER))
        idle.put(having_read(decoder, (FIRST + OTHER)[5:]))
    assert few.take(OTHER).tokens == []
    assert few.take((FIRST + OTHER)[5:]).tokens == (FIRST + OTHER)[5:-1]
    assert small.take(FIRST).tokens == []
    assert small.take(OTHER).tokens == OTHER[:-1]
