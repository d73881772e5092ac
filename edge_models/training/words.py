"""A second opinion from a text's tokens alone: a line over which of them it has, and which stand side by side.

The trunk knows what words mean and forgets some of which they are; a line over the tokens themselves errs elsewhere, so
the sum of both errs less. It is convex, hence the same in every run, and costs a look-up a token in the same graph
(`edge_models.training.word_graph`). A token is a column, and so is a pair of neighbours, by the sum of two numbers drawn
by chance for its first and its second: pairs that share a sum share a column. A window's counts are divided by the root of
its length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.pooling import Floats, Ids
from edge_models.tokenizer import Tokenizer
from edge_models.training.heads import Head
from edge_models.training.instances import instances
from edge_models.training.rows import Row

HALF: Final = 1 << 14
"""Of the columns for pairs: each number of a pair is below it."""
_STEPS: Final = 80
_SMOOTHING: Final = 0.03
"""As the trunk's heads have it."""


class Words(Struct, frozen=True):
    """What was fitted. first, second: of each token its number as a pair's first or second, below HALF, (tokens,).

    tables: head to (tokens + 2 × HALF, labels): what a column adds to the logits, the head's share included.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    tables: dict[str, Floats]

    def columns(self, ids: Ids) -> Ids:
        """Of a window: its tokens' columns, then its pairs'."""
        pairs = len(self.first) + self.first[ids[:-1]] + self.second[ids[1:]]
        return np.concatenate([ids, pairs]).astype(np.int64)

    def logits(self, head: str, ids: Ids) -> Floats:
        """(labels,): what the tokens of a window add."""
        found: Floats = self.tables[head][self.columns(ids)].sum(axis=0) / np.sqrt(np.float32(len(ids)))
        return found


def drawn(tokens: int, seed: int) -> Words:
    """Numbers for pairs, and nothing fitted yet. tokens: how many the tokenizer knows."""
    chance = np.random.default_rng(seed)
    first, second = chance.integers(0, HALF, (2, tokens), dtype=np.int32)
    return Words(first, second, {})


def fit_words(
    rows: Sequence[Row],
    cutting: Tokenizer,
    heads: Sequence[Head],
    tokens: int,
    seed: int,
    progress: Callable[[str], None] = lambda line: None,
) -> Words:
    """The lines of all heads that have one (`Head.words`). tokens: how many the tokenizer knows.

    A head that no row teaches gets none.
    """
    empty = drawn(tokens, seed)
    tables: dict[str, Floats] = {}
    for head in heads:
        if head.words is None:
            continue
        progress(f"fitting {head.name} by words")
        source = head.words.source
        shown = [row for row in rows if head.name in row.labels and source in (None, row.source)]
        taught = list(instances(shown, cutting, (head,)))
        if not taught:
            continue
        targets = np.stack([window.targets[head.name] for window in taught]).astype(np.float64)
        line = _line(counted(empty, [window.ids for window in taught]), targets, head.words.freedom)
        tables[head.name] = _coarse(head.words.share * line)
    return Words(empty.first, empty.second, tables)


def counted(words: Words, windows: Sequence[Ids]) -> Any:
    """(windows, columns), sparse: how often each column stands in a window, over the root of the window's length."""
    from scipy import sparse

    columns = [words.columns(ids) for ids in windows]
    rows = np.repeat(np.arange(len(windows)), [len(each) for each in columns])
    values = np.repeat([1 / np.sqrt(len(ids)) for ids in windows], [len(each) for each in columns])
    width = len(words.first) + 2 * HALF
    found = sparse.csr_matrix((values, (rows, np.concatenate(columns))), shape=(len(windows), width))
    found.sum_duplicates()
    return found


def _line(counts: Any, targets: NDArray[np.float64], freedom: float) -> Floats:
    """The weights with the least sum of cross-entropy times `freedom`, and half of their squares. (columns, labels)."""
    from scipy.optimize import minimize

    labels = targets.shape[1]
    wanted = (1 - _SMOOTHING) * targets + _SMOOTHING / labels
    turned = counts.T.tocsr()

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(-1, labels)
        logits = counts @ weights
        logits -= logits.max(axis=1, keepdims=True)
        raised = np.exp(logits)
        total = raised.sum(axis=1, keepdims=True)
        value = freedom * float((wanted * (np.log(total) - logits)).sum()) + 0.5 * float(flat @ flat)
        slope = freedom * (turned @ (raised / total - wanted)) + weights
        return value, slope.ravel()

    start = np.zeros(counts.shape[1] * labels)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS, "maxcor": 8})
    weights: Floats = found.x.reshape(-1, labels).astype(np.float32)
    return weights


def _coarse(table: Floats) -> Floats:
    """As it is kept: 8 bits a number, a scale for each label."""
    whole, scale = eight_bits(table)
    return whole * scale


def eight_bits(table: Floats) -> tuple[NDArray[np.int8], Floats]:
    """(columns, labels) as whole numbers, and (labels,) what each is worth."""
    scale: Floats = (np.maximum(np.abs(table).max(axis=0), 1e-9) / 127).astype(np.float32)
    return np.rint(table / scale).astype(np.int8), scale
