"""All heads over a text: one forward pass for each window, whatever number of heads is asked.

A long text is read in overlapping windows. Of a sequence head, `mean` averages the windows' probabilities, and `max` takes
each label's highest, so that one sentence in a long document can't be outvoted by the rest. What a window said is kept under
a keyed hash of its tokens: a text that grew is read from where it grew.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes
from typing import Any, Final, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.classifiers.base import Span
from edge_models.classifiers.sequence import sigmoid, softmax
from edge_models.classifiers.tokens import Word, joined
from edge_models.engines.base import Broken, Unavailable
from edge_models.heads.manifest import Head, Manifest, read_manifest
from edge_models.pooling import Floats
from edge_models.runtimes.base import Placement, Runtime, feeds_of
from edge_models.runtimes.registry import load_runtime
from edge_models.tokenizer import Tokenizer
from edge_models.tokenizer import Window as TokenWindow

KEPT_WINDOWS: Final = 4096
"""Some 400,000 tokens. One weighs about 400 bytes without token heads (100 labels), and 130 × labels × 4 with one."""
ANYWHERE: Final = Placement()
WORKERS: Final = 2
"""Windows of a long text that are run at the same time: faster than one after the other with two threads each."""
TOGETHER: Final = 8
"""Windows between two looks at the clock: some 30 ms."""
_WARM_UP: Final = "the first run of a graph allocates what later ones reuse"

Scores = tuple[tuple[str, float], ...]
"""Each label with its probability."""


class Reading(Struct, frozen=True):
    """What the heads say of a text. whole: whether all of it was read. windows: how many had to be read for it."""

    scores: dict[str, Scores]
    spans: dict[str, tuple[Span, ...]]
    whole: bool
    windows: int


class Windowing(Protocol):
    """What cuts a text."""

    def windows(self, text: str) -> list[TokenWindow]:
        """The text whole, in one window or several. Raises Broken."""
        ...


class SignalHeads:
    """One artefact, opened. May be asked from several threads."""

    def __init__(self, manifest: Manifest, tokenizer: Windowing, runtime: Runtime) -> None:
        """Raises Unavailable if the graph hasn't the outputs that the manifest names, in their shapes."""
        missing = [head.output for head in manifest.heads if head.output not in runtime.outputs]
        if missing:
            raise Unavailable(f"the signal models' graph has no output {', '.join(missing)}: install Nearloop again")
        self.manifest = manifest
        self.heads = {head.name: head for head in manifest.heads}
        self._tokenizer = tokenizer
        self._runtime = runtime
        self._kept: OrderedDict[bytes, dict[str, Floats]] = OrderedDict()
        self._lock = threading.Lock()
        self._key = token_bytes(32)
        self._helpers = ThreadPoolExecutor(WORKERS, "nearloop-heads")
        self._check_shapes()

    def _check_shapes(self) -> None:
        window = self._tokenizer.windows(_WARM_UP)[0]
        values = self._run(window)
        for head in self.manifest.heads:
            shape = (len(window.ids), len(head.labels)) if head.task == "token" else (len(head.labels),)
            if values[head.output].shape != shape:
                raise Unavailable(
                    f"the head {head.name} gives {values[head.output].shape} where its {len(head.labels)} labels want"
                    f" {shape}: install Nearloop again"
                )

    def read(self, text: str, go_on: Callable[[], bool] = lambda: True, language: str | None = None) -> Reading:
        """Ask all heads. Raises Broken.

        go_on: asked before some windows; False ends the reading there. language: the text's, ISO 639-1, for heads whose
        probabilities are calibrated by it; None: nobody told.
        """
        seen: list[tuple[TokenWindow, dict[str, Floats]]] = []
        windows = self._tokenizer.windows(text)
        new = 0
        for at in range(0, len(windows), TOGETHER):
            if not go_on():
                break
            some = windows[at : at + TOGETHER]
            for window, (values, was_new) in zip(some, self._all_values(some), strict=True):
                new += was_new
                seen.append((window, values))
        return Reading(
            {
                head.name: _pooled(head.spoken(language), [values[head.output] for _, values in seen])
                for head in self._of("sequence")
            }
            if seen
            else {},
            {head.name: _spans(head, text, seen) for head in self._of("token")},
            len(seen) == len(windows),
            new,
        )

    def _of(self, task: str) -> list[Head]:
        return [head for head in self.manifest.heads if head.task == task]

    def _all_values(self, windows: list[TokenWindow]) -> list[tuple[dict[str, Floats], bool]]:
        if len(windows) == 1:
            return [self._values(windows[0])]
        return list(self._helpers.map(self._values, windows))

    def _values(self, window: TokenWindow) -> tuple[dict[str, Floats], bool]:
        """What the graph gives for a window, and whether it had to be run."""
        digest = blake2b(window.ids.tobytes(), digest_size=32, key=self._key).digest()
        with self._lock:
            if (known := self._kept.get(digest)) is not None:
                self._kept.move_to_end(digest)
                return known, False
        values = self._run(window)
        with self._lock:
            self._kept[digest] = values
            while len(self._kept) > KEPT_WINDOWS:
                self._kept.popitem(last=False)
        return values, True

    def _run(self, window: TokenWindow) -> dict[str, Floats]:
        feeds, _ = feeds_of(window.ids, window.type_ids, self._runtime)
        found = self._runtime.run_all(feeds)
        values = {head.output: _unpadded(head, found[head.output][0], len(window.ids)) for head in self.manifest.heads}
        if not all(np.isfinite(each).all() for each in values.values()):
            raise Broken(
                "the signal models give no numbers for a text: their files may be damaged, install Nearloop again"
            )
        return values

    def close(self) -> None:
        """Give memory back."""
        self._helpers.shutdown(cancel_futures=True)
        self._runtime.close()


def _unpadded(head: Head, values: Floats, tokens: int) -> Floats:
    return values[:tokens].copy() if head.task == "token" else values


def probabilities(head: Head, logits: Floats) -> Floats:
    """(…, labels) logits as calibrated probabilities."""
    scaled: Floats = (logits / np.float32(head.calibration.temperature)).astype(np.float32)
    if head.calibration.bias:
        scaled = scaled + np.asarray(head.calibration.bias, np.float32)
    return sigmoid(scaled) if head.multi_label else softmax(scaled)


def _pooled(head: Head, logits: list[Floats]) -> Scores:
    windows = probabilities(head, np.stack(logits))
    return tuple(zip(head.labels, map(float, pooled(head, windows)), strict=True))


def pooled(head: Head, windows: Floats) -> Floats:
    """What a text's windows come to. windows: (windows, labels), probabilities. Returns (labels,)."""
    if head.pool == "mean":
        average: Floats = windows.mean(axis=0)
        return average
    worst: Floats = windows.max(axis=0)
    if len(head.labels) == 2 and not head.multi_label:
        worst[1] = crowded(worst[1], len(windows), head.calibration.crowd)
        worst[0] = 1 - worst[1]
    return worst


def crowded(chance: NDArray[Any], windows: NDArray[Any] | int, crowd: float) -> NDArray[np.float64]:
    """The probability for a text, from that of the worst of its windows. See `Calibration.crowd`."""
    kept = np.clip(np.asarray(chance, np.float64), 1e-7, 1 - 1e-7)
    return np.asarray(1 / (1 + (1 - kept) / kept * np.power(windows, crowd)), np.float64)


def _spans(head: Head, text: str, seen: list[tuple[TokenWindow, dict[str, Floats]]]) -> tuple[Span, ...]:
    words: list[Word] = []
    numbers: list[int | None] = []  # of the words in `words`
    for window, values in seen:
        chances = probabilities(head, values[head.output])
        for place in window.own:
            start, end = window.offsets[place]
            number = window.words[place]
            if numbers and number is not None and number == numbers[-1]:
                last = words[-1]  # a later token of the same word
                words[-1] = Word(last.label, last.score, last.start, max(last.end, end))
                continue
            best = int(chances[place].argmax())
            words.append(Word(head.labels[best], float(chances[place, best]), start, end))
            numbers.append(number)
    return joined(words)


def open_heads(directory: Path, placement: Placement = ANYWHERE, runtime: str = "openvino") -> SignalHeads:
    """Check hashes, load and warm up. Raises NotInstalled, Unavailable."""
    manifest = read_manifest(directory)
    module = load_runtime(runtime)
    file = next((directory / name for name in module.FILES if (directory / name).is_file()), None)
    if file is None or file.name not in manifest.files or "tokenizer.json" not in manifest.files:
        raise Unavailable("the signal models lack their graph or tokenizer: install Nearloop again")
    window = manifest.window
    special = 2
    overlap = max(0, window.tokens - special - window.stride)
    tokenizer = Tokenizer(directory / "tokenizer.json", window.tokens, overlap)
    try:
        return SignalHeads(manifest, tokenizer, module.load(file, placement))
    except Broken as error:
        raise Unavailable("the signal models fail on a plain sentence: install Nearloop again") from error
