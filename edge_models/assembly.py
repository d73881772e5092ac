"""From tokens to text: whole characters, and nothing that could still become a stop string.

A token's bytes may be part of a character, and a stop string may be spread over tokens. `Assembler` holds back what is
not certain yet: bytes of an unfinished character, and the tail that is the beginning of a stop string. Details of tokens
travel with the first text that contains their bytes; tokens at or after a stop string are never reported.
"""

from __future__ import annotations

import codecs
from typing import Final

from edge_models.engines.base import Token
from edge_models.ipc import TokenInfo

_decoder: Final = codecs.getincrementaldecoder("utf-8")


class Assembler:
    """The text of one answer. details: whether tokens are reported one by one."""

    def __init__(self, stop: tuple[str, ...], details: bool) -> None:
        self._stop = tuple(filter(None, stop))
        self._details = details
        self._decode = _decoder(errors="replace")
        self._held = ""
        self._decoded = 0  # characters made of what was fed
        self._given = 0  # characters given out
        self._pending: list[tuple[int, TokenInfo]] = []  # (first character, detail) of tokens not reported yet
        self.stop_found: str | None = None
        """The stop string that was found; nothing more is given out then."""

    @property
    def stopped(self) -> bool:
        """Whether a stop string was found."""
        return self.stop_found is not None

    def feed(self, token: Token) -> tuple[str, tuple[TokenInfo, ...]]:
        """Take one token, return the text that is certain now and the details of its tokens."""
        if self._details and token.logprob is not None:
            self._pending.append((self._decoded, TokenInfo(token.piece, token.logprob, token.top, token.entropy)))
        text = self._decode.decode(token.piece)
        self._decoded += len(text)
        self._held += text
        return self._give(last=False)

    def finish(self) -> tuple[str, tuple[TokenInfo, ...]]:
        """The answer is over: return what was held back. An unfinished character becomes U+FFFD."""
        if not self.stopped:
            self._held += self._decode.decode(b"", final=True)
        return self._give(last=True)

    def _give(self, last: bool) -> tuple[str, tuple[TokenInfo, ...]]:
        if self.stopped:
            return "", ()
        found = [(place + len(stop), place) for stop in self._stop if (place := self._held.find(stop)) >= 0]
        if found:
            whole, end = min(found)  # the one that is complete first, however the text was cut into tokens
            self.stop_found = self._held[end:whole]
        else:
            end = len(self._held) if last else len(self._held) - self._doubtful()
        text, self._held = self._held[:end], self._held[end:]
        self._given += len(text)
        return text, self._report(everything=last and not self.stopped)

    def _doubtful(self) -> int:
        """Length of the longest tail that is the beginning of a stop string."""
        longest = 0
        for stop in self._stop:
            for length in range(min(len(stop) - 1, len(self._held)), longest, -1):
                if self._held.endswith(stop[:length]):
                    longest = length
                    break
        return longest

    def _report(self, everything: bool) -> tuple[TokenInfo, ...]:
        count = 0
        for first, _ in self._pending:
            if not everything and first >= self._given:
                break
            count += 1
        ready, self._pending = self._pending[:count], self._pending[count:]
        return tuple(info for _, info in ready)
