"""A model that is opened when somebody first asks it, once, and the error of one that could not be asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from edge_models.engines.base import EngineError

NO_MODEL: Final = "NoModel"


class Unread(Exception):
    """A text could not be read by a model. code: NoModel, NoHead, Unscanned, or an engine's error."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Closable(Protocol):
    """What is opened."""

    def close(self) -> None: ...


T = TypeVar("T", bound=Closable)


class Opening(Generic[T]):
    """One model. open_: raises an EngineError if there is none. why: what to do, once it could not be opened."""

    def __init__(self, open_: Callable[[], T]) -> None:
        self.why: str | None = None
        self._open = open_
        self._opened: T | None = None
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether it was asked, and is there."""
        return self._opened is not None

    def model(self) -> T:
        """The opened model. Raises Unread."""
        with self._lock:
            if self._opened is None:
                if self.why is not None:
                    raise Unread(NO_MODEL)
                try:
                    self._opened = self._open()
                except EngineError as error:
                    self.why = str(error)
                    raise Unread(NO_MODEL) from error
            return self._opened

    def close(self) -> None:
        """Give memory back; from now on it can't be asked."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None
                self.why = "the signal models are closed"
