"""A vision-text model that is a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daemon.signals.opening import Unread
from daemon.signals.shown import UNSEEN


class TableOfPictures:
    """table: by a picture's bytes, how like each text it is; 0 for others. A picture that isn't in it can't be decoded."""

    def __init__(self, table: Mapping[bytes, Mapping[str, float]]) -> None:
        self._table = table
        self.closed = False

    def likeness(self, picture: bytes, texts: Sequence[str]) -> list[float]:
        if picture not in self._table:
            raise Unread(UNSEEN)
        return [self._table[picture].get(text, 0.0) for text in texts]

    def close(self) -> None:
        self.closed = True
