"""Which tokens each sequence of the cache holds, so that a prompt is read only from where it is new.

A finished or cancelled request leaves its sequence idle, with all that was read. The next request takes over the idle
sequence that its prompt continues, or shares the longest common prefix with any sequence, running ones included: shared
cells are held once. Under pressure the sequence that was idle for longest goes first.
"""

from __future__ import annotations

from itertools import count
from typing import Final, Protocol

MIN_SHARED: Final = 16
"""A common prefix that is worth a copy: shorter ones are read in less than one step's time anyway."""


class Cells(Protocol):
    """The cache itself, as `Context` is it."""

    partial_prefixes: bool

    def copy(self, source: int, target: int, length: int) -> None:
        """Let `target` share the first tokens of `source`."""
        ...

    def cut(self, sequence: int, length: int) -> bool:
        """Keep the first tokens. Returns False if all had to be forgotten."""
        ...


class Sequence:
    """One sequence. tokens: what its cells hold, in order. busy: a request goes on with it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.tokens: list[int] = []
        self.busy = False
        self.used_at = 0


class Sequences:
    """All of them. There are more than requests run at once, so that one is always free to be taken."""

    def __init__(self, cells: Cells, total: int) -> None:
        self._cells = cells
        self._all = [Sequence(number) for number in range(total)]
        self._clock = count(1)

    def shared(self, tokens: list[int]) -> int:
        """How many of these tokens `claim` would find in the cache."""
        return max((self._usable(sequence, tokens) for sequence in self._all), default=0)

    def claim(self, tokens: list[int]) -> Sequence:
        """A busy sequence that holds as much of the beginning of `tokens` as is there, but never all of it."""
        source = max(self._all, key=lambda each: (self._usable(each, tokens), not each.busy, each.used_at))
        length = self._usable(source, tokens)
        if not source.busy and 0 < length >= len(source.tokens) - MIN_SHARED:
            self.cut(source, length)
            return self._taken(source)
        if length < MIN_SHARED:
            length = 0
        target = self._free(besides=source if length else None)
        if target is None:
            self.cut(source, length)
            return self._taken(source)
        self.cut(target, 0)
        if length:
            self._cells.copy(source.number, target.number, length)
            target.tokens = source.tokens[:length]
        return self._taken(target)

    def release(self, sequence: Sequence) -> None:
        """Its request is over; what it holds may serve another. Idle ones that hold no more than its beginning go."""
        sequence.busy = False
        sequence.used_at = next(self._clock)
        for other in self._all:
            contained = common_prefix(other.tokens, sequence.tokens) == len(other.tokens)
            if contained and other.tokens and not other.busy and other is not sequence:
                self.cut(other, 0)

    def cut(self, sequence: Sequence, length: int) -> None:
        """Forget all but the first tokens, or everything where the model can't forget a part."""
        if length < len(sequence.tokens):
            kept = self._cells.cut(sequence.number, length)
            del sequence.tokens[length if kept else 0 :]

    def evict(self) -> bool:
        """Empty the sequence that was idle for longest. Returns whether there was one."""
        idle = [each for each in self._all if not each.busy and each.tokens]
        if not idle:
            return False
        self.cut(min(idle, key=lambda each: each.used_at), 0)
        return True

    def trim(self, most: int) -> None:
        """Evict until idle sequences hold no more than so many tokens, but for the one that was used last."""
        while True:
            idle = [each for each in self._all if not each.busy and each.tokens]
            if len(idle) < 2 or sum(len(each.tokens) for each in idle) <= most:
                return
            self.evict()

    def _taken(self, sequence: Sequence) -> Sequence:
        sequence.busy = True
        return sequence

    def _usable(self, sequence: Sequence, tokens: list[int]) -> int:
        """The last token is always read anew, for its logits."""
        length = min(common_prefix(sequence.tokens, tokens), len(tokens) - 1)
        return length if self._cells.partial_prefixes or length == len(sequence.tokens) else 0

    def _free(self, besides: Sequence | None) -> Sequence | None:
        """An empty sequence, or the one that was idle for longest."""
        idle = [each for each in self._all if not each.busy and each is not besides]
        return min(idle, key=lambda each: (bool(each.tokens), each.used_at), default=None)


def common_prefix(one: list[int], other: list[int]) -> int:
    """Length of the common beginning: by halves, since comparing slices runs in C."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
