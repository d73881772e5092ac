"""What a model's file says of itself, for lists that show more than names."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from edge_models.catalog import ModelRef, known
from edge_models.engines.base import EngineError
from edge_models.estimate import file_of
from edge_models.inspection import inspect
from edge_models.memory import estimate

_STEPS: Final = ((1_000_000_000_000, "T"), (1_000_000_000, "B"), (1_000_000, "M"), (1_000, "K"))


class Facts(Struct, frozen=True):
    """form: gguf, openvino, or none. digest: of the file where it is known, else of its name, size and age: it names an
    edition. context_tokens: the window that it is loaded with.
    """

    digest: str
    modified_at: datetime
    size_bytes: int = 0
    form: str = ""
    architecture: str = ""
    quantisation: str = ""
    weights: int | None = None
    context_tokens: int | None = None
    licence: str = ""

    @property
    def parameter_size(self) -> str:
        """In the words of model cards, such as 1.7B."""
        if not self.weights:
            return ""
        step, letter = next((each for each in _STEPS if self.weights >= each[0]), (1, ""))
        return f"{self.weights / step:.1f}".removesuffix(".0") + letter


class FactsOfFiles:
    """Reads each file's header once; it takes some 15 ms for a large vocabulary. Call it off the event loop."""

    def __init__(self, since: datetime) -> None:
        """since: the age of what has no file."""
        self._since = since
        self._read: dict[tuple[str, str, int, int], Facts] = {}

    def of_name(self, name: str) -> Facts:
        """Of a name that no file stands behind."""
        return Facts(hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest(), self._since)

    def of(self, ref: ModelRef) -> Facts:
        """Of a model on this machine; what its file does not tell is left empty."""
        path = file_of(ref)
        try:
            seen = path.stat() if path is not None else None
        except OSError:
            seen = None
        if path is None or seen is None:
            return self.of_name(f"local/{ref.name}")
        key = (ref.name, str(path), seen.st_mtime_ns, seen.st_size)
        if key not in self._read:
            self._read[key] = self._facts(ref, path, key, seen.st_mtime)
        return self._read[key]

    def _facts(self, ref: ModelRef, path: Path, key: tuple[str, str, int, int], modified: float) -> Facts:
        entry = known(ref.name) if ref.path is None else None
        digest = entry.sha256 if entry else hashlib.sha256(repr(key).encode("utf-8", "surrogatepass")).hexdigest()
        modified_at = datetime.fromtimestamp(modified, UTC)
        licence = entry.licence if entry else ""
        try:
            seen = inspect(path)
        except EngineError:
            return Facts(digest, modified_at, licence=licence)
        window = estimate(seen.shape, ref.engine).context_tokens if seen.shape else None
        return Facts(
            digest=digest,
            modified_at=modified_at,
            size_bytes=seen.size_bytes,
            form=seen.form,
            architecture=seen.architecture,
            quantisation=seen.quantisation,
            weights=seen.weights,
            context_tokens=window,
            licence=licence,
        )
