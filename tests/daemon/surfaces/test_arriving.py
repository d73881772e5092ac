"""What is known of a request before its body is read."""

from __future__ import annotations

import random

from daemon.surfaces.arriving import new_id

TWISTER_WORDS = 624
"""So many outputs of 32 bits tell the state of Python's own generator."""


def _untempered(word: int) -> int:
    """The state's word that the generator made an output of (Matsumoto and Nishimura 1998, table II)."""
    word ^= word >> 18
    word ^= (word << 15) & 0xEFC60000
    found = word
    for _ in range(5):
        found = word ^ ((found << 7) & 0x9D2C5680)
    word = found
    for _ in range(3):
        found = word ^ (found >> 11)
    return found


def _next_of(ids: list[str]) -> str:
    """What Python's generator would make next, had it made these."""
    words = [part for id in ids for part in (int(id, 16) & 0xFFFFFFFF, int(id, 16) >> 32)]
    twin = random.Random()
    twin.setstate((3, (*map(_untempered, words), TWISTER_WORDS), None))
    return f"{twin.getrandbits(64):016x}"


def test_ids_of_others_cannot_be_told_from_ones_own() -> None:
    """A program without a token may come back to an answer by its id alone, so nobody may foresee one."""
    predictable = random.Random()
    shown = [f"{predictable.getrandbits(64):016x}" for _ in range(TWISTER_WORDS // 2)]
    assert _next_of(shown) == f"{predictable.getrandbits(64):016x}"  # so the attack works

    assert _next_of([new_id() for _ in range(TWISTER_WORDS // 2)]) != new_id()


def test_ids_have_the_form_of_records() -> None:
    """16 hexadecimal digits, and none twice."""
    ids = [new_id() for _ in range(1000)]

    assert len(set(ids)) == 1000
    assert all(len(id) == 16 and int(id, 16) >= 0 for id in ids)
