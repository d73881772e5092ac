"""A model file and its one context: batches in, logits out, and the key-value cache between them.

Theory of operation. The cache is unified: all sequences share its cells, and a copied prefix takes none. A decode that
fails leaves the cache as it was before it (one batch is one unit of work, `n_ubatch == n_batch`), so that callers simply
try again with less. The abort callback is set only while prompts are read: it is called once for each of the 900 or so
nodes of a graph, in Python, which would cost a single token a fifth of its time.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.engines.base import Unavailable
from edge_models.llama.library import complaints, llama, threads

BATCH_TOKENS: Final = (
    512  # llama.cpp's own choice; batches of 64 read SmolLM2's prompts at 0.95 of the speed, of 16 at 0.82 (measured)
)
SEQUENCES: Final = 16  # 8 requests, one to score with, and the rest to keep prefixes
OUTPUTS: Final = 64
"""Of how many tokens of a batch logits can be had: 512, the library's choice, would take 100 MB for SmolLM2's vocabulary."""
_SPARE_CELLS: Final = 4096
"""Beside one full window, so that prefixes stay while a long request runs: 94 MB for SmolLM2 at 23 kB a token."""

Logits = NDArray[np.float32]


class Outcome(IntEnum):
    """What llama_decode returns; anything else is a failure."""

    DONE = 0
    FULL = 1
    ABORTED = 2


class Feed(Struct, frozen=True):
    """Tokens for one sequence. start: position of the first. outputs: of how many of the last ones logits are wanted."""

    sequence: int
    start: int
    tokens: Sequence[int]
    outputs: int


class Context:
    """Owns model and context. Not thread-safe. cells: how many tokens the cache holds, all sequences together."""

    def __init__(self, path: Path, window: Callable[[int], int]) -> None:
        """window: from the length that the model was trained for to that of one request. Raises Unavailable."""
        self.lib: Any = llama()
        self._context: Any = None
        with complaints() as reasons:
            self._model = self.lib.llama_model_load_from_file(os.fsencode(path), self.lib.llama_model_default_params())
            if not self._model:
                raise Unavailable(_refusal(reasons))
            if not self.lib.llama_model_has_decoder(self._model):
                self.close()
                raise Unavailable("this model has no decoder, so it can't write: take one that is made for chats")
            self.window = window(int(self.lib.llama_model_n_ctx_train(self._model)))
            if self.window < 1:
                self.close()
                raise Unavailable("the model file does not tell its context window: take another edition of the model")
            self.cells = self.window + min(self.window, _SPARE_CELLS)
            self._context = self.lib.llama_init_from_model(self._model, self._params())
            if not self._context:
                why = f" ({reasons[-1]})" if reasons else ""
                self.close()
                raise Unavailable(f"there is not enough memory for this model's context{why}: take a smaller model")
        self.vocab: Any = self.lib.llama_model_get_vocab(self._model)
        self.vocabulary_size = int(self.lib.llama_vocab_n_tokens(self.vocab))
        self.batch_tokens = min(BATCH_TOKENS, int(self.lib.llama_n_batch(self._context)))  # less for a small context
        self._memory: Any = self.lib.llama_get_memory(self._context)
        self.partial_prefixes = not (
            self.lib.llama_model_is_recurrent(self._model) or self.lib.llama_model_is_hybrid(self._model)
        )
        self.device = "GPU" if self.lib.llama_supports_gpu_offload() else "CPU"
        self._batch = _Batch(self.lib, BATCH_TOKENS)
        self._no_abort: Any = self.lib.ggml_abort_callback()
        self._abort: Any = self._no_abort

    def _params(self) -> Any:
        params = self.lib.llama_context_default_params()
        params.n_ctx = self.cells
        params.n_batch = params.n_ubatch = BATCH_TOKENS
        params.n_outputs_max = OUTPUTS
        params.n_seq_max = SEQUENCES
        params.kv_unified = True
        params.n_threads, params.n_threads_batch = threads()
        params.no_perf = True
        return params

    def decode(self, feeds: Sequence[Feed], stop: Callable[[], bool] | None) -> int:
        """Run one batch of at most `batch_tokens`. stop: asked many times from this thread while it runs.

        Returns an Outcome, or the library's own number of a failure. Unless it is DONE, nothing has changed.
        """
        batch = self._batch.filled(feeds)
        if stop is None:
            return int(self.lib.llama_decode(self._context, batch))
        self._abort = self.lib.ggml_abort_callback(lambda data: stop())
        self.lib.llama_set_abort_callback(self._context, self._abort, None)
        try:
            return int(self.lib.llama_decode(self._context, batch))
        finally:
            self.lib.llama_set_abort_callback(self._context, self._no_abort, None)

    def logits(self, row: int) -> Logits:
        """A view of the logits of the batch's token number `row`; the next decode overwrites it."""
        address = ctypes.addressof(self.lib.llama_get_logits_ith(self._context, row).contents)
        row_of_floats: Any = (ctypes.c_float * self.vocabulary_size).from_address(address)
        view: Logits = np.frombuffer(row_of_floats, np.float32)
        return view

    def copy(self, source: int, target: int, length: int) -> None:
        """Let `target`, which is empty, share the first tokens of `source`."""
        self.lib.llama_memory_seq_cp(self._memory, source, target, 0, length)

    def cut(self, sequence: int, length: int) -> bool:
        """Keep the first tokens of a sequence. Returns whether the model can forget a part; if not, all is forgotten."""
        if self.lib.llama_memory_seq_rm(self._memory, sequence, length, -1):
            return True
        self.lib.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        return False

    def template(self, name: str | None) -> str:
        """A chat template of the model file; empty if there is none of this name."""
        found: bytes | None = self.lib.llama_model_chat_template(self._model, name.encode() if name else None)
        return found.decode(errors="replace") if found else ""

    def number(self, key: str, otherwise: float) -> float:
        """A number of 0 to 100 that the model file may hold."""
        buffer = ctypes.create_string_buffer(64)
        self.lib.llama_model_meta_val_str(self._model, key.encode(), buffer, len(buffer))
        try:
            found = float(buffer.value)
        except ValueError:
            return otherwise
        return found if 0 <= found <= 100 else otherwise

    def close(self) -> None:
        """Give the memory back."""
        if self._context:
            self.lib.llama_free(self._context)
        if self._model:
            self.lib.llama_model_free(self._model)
        self._context = self._model = None


class _Batch:
    """llama_batch over arrays of our own, which numpy fills 30 times as fast as element-wise ctypes does."""

    def __init__(self, lib: Any, capacity: int) -> None:
        self._tokens = np.zeros(capacity, np.int32)
        self._positions = np.zeros(capacity, np.int32)
        self._sequences = np.zeros(capacity, np.int32)
        self._outputs = np.zeros(capacity, np.int8)
        self._ones = np.ones(capacity, np.int32)
        first = self._sequences.ctypes.data
        self._pointers = np.array([first + 4 * place for place in range(capacity)], np.uintp)
        arrays: dict[str, NDArray[Any]] = {
            "token": self._tokens,
            "pos": self._positions,
            "n_seq_id": self._ones,
            "seq_id": self._pointers,
            "logits": self._outputs,
        }
        self._batch = lib.llama_batch()
        types = dict(lib.llama_batch._fields_)
        for name, array in arrays.items():
            setattr(self._batch, name, ctypes.cast(array.ctypes.data, types[name]))

    def filled(self, feeds: Sequence[Feed]) -> Any:
        at = 0
        for feed in feeds:
            end = at + len(feed.tokens)
            self._tokens[at:end] = feed.tokens
            self._positions[at:end] = range(feed.start, feed.start + len(feed.tokens))
            self._sequences[at:end] = feed.sequence
            self._outputs[at:end] = 0
            if feed.outputs:
                self._outputs[end - feed.outputs : end] = 1
            at = end
        self._batch.n_tokens = at
        return self._batch


def _refusal(reasons: Sequence[str]) -> str:
    why = f" ({reasons[0]})" if reasons else ""
    return f"llama.cpp can't read this model{why}: take another edition of it, or one of an architecture that it knows"
