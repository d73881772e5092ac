"""What a premise says of a hypothesis, by a model of the user's choice in a process of its own, started when first asked."""

from __future__ import annotations

import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

from daemon.signals.shipped import open_own


class Entailment:
    """directory: of the model; None: the user chose none."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory
        self._opened: Any = None
        self._lock = threading.Lock()

    @property
    def chosen(self) -> bool:
        """Whether there is a model to ask."""
        return self._directory is not None

    @property
    def key(self) -> str:
        """Which model it is, by its files' names, sizes and dates; empty: none was chosen, or it can't be read."""
        if self._directory is None:
            return ""
        try:
            files = sorted((each.name, each.stat()) for each in self._directory.iterdir() if each.is_file())
        except OSError:
            return ""
        told = "".join(f"{name}\0{about.st_size}\0{about.st_mtime_ns}\0" for name, about in files)
        return f"entailment-{sha256(told.encode()).hexdigest()[:12]}"

    def judge(self, premise: str, hypothesis: str) -> dict[str, float]:
        """The probability of each of `entailment`, `neutral` and `contradiction`. Raises an EngineError."""
        model = self._open()
        [row] = model.judge(((premise, hypothesis),))
        return dict(zip(model.about.labels, map(float, row), strict=True))

    def _open(self) -> Any:
        assert self._directory is not None, "asked without a model"
        with self._lock:
            if self._opened is None:
                self._opened = open_own(self._directory, "entailment")
            return self._opened

    def close(self) -> None:
        """End its process."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None
