"""Classifiers of the user's own: directories, each run in a process that can die alone.

Whoever writes a recipe could name any directory: only those below the folder that `signals.classifiers` of the settings
names are opened.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from daemon.signals.opening import NO_MODEL, Unread
from daemon.signals.shipped import open_own
from edge_models.engines.base import EngineError


class OwnClassifiers:
    """Those below a folder, each in a process of its own, started when first asked. folder None: there are none."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._opened: dict[str, Any] = {}
        self._lock = threading.Lock()

    def chances(self, path: str, text: str) -> dict[str, float]:
        """Each label's probability. Raises Unread."""
        try:
            classifier = self._open(path)
            [row] = classifier.predict((text,))
        except EngineError as error:
            raise Unread(type(error).__name__) from error
        return dict(zip(classifier.about.labels, map(float, row), strict=True))

    def has(self, path: str) -> bool:
        """Whether there is one; it is not opened."""
        return self._whole(path) is not None

    def _whole(self, path: str) -> Path | None:
        if self._folder is None:
            return None
        whole = (self._folder / path).resolve()
        return whole if whole.is_relative_to(self._folder.resolve()) and whole.is_dir() else None

    def _open(self, path: str) -> Any:
        whole = self._whole(path)
        if whole is None:
            raise Unread(NO_MODEL)
        with self._lock:
            if path not in self._opened:
                self._opened[path] = open_own(whole, "text-classification")
            return self._opened[path]

    def close(self) -> None:
        """End their processes."""
        with self._lock:
            for each in self._opened.values():
                each.close()
            self._opened.clear()
