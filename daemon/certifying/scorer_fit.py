"""Learning the weights of a scorer from recordings: a logistic regression, held back where labels are few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from daemon.certifying.recording import Row
from daemon.confidence.families import FAMILIES
from daemon.confidence.scorer import COLUMNS, DIRECTIONS, SELF_CHECK, Column, Scorer, row_of

Array = NDArray[np.float64]
HELD: Final = 30.0
"""The pull of each weight towards 0; families' starts are pulled a tenth of it. Of 1 to 300, tried on the first 1,333 rows
of the embedded model, all did about the same on the same authors' questions, and 10 to 100 best on others'."""
WORTH_ASKING: Final = 0.1
"""What a self-check has to add to the log-odds for one spread of its values: with less it decides next to nothing, and each
costs a pass of the model."""
_STEPS: Final = 50
_SAME: Final = 1e-9


def fit_scorer(rows: Sequence[Row], held: float = HELD) -> Scorer:
    """Weights from recorded answers and whether they were right. rows: at least one.

    The model's word on its own answer counts only where it is worth to be asked for.
    """
    scorer = _fitted(rows, held)
    said = [column.weight for column in scorer.columns if column.name == SELF_CHECK]
    if said and said[0] < WORTH_ASKING:
        return _fitted([replace(row, self_check=None) for row in rows], held)
    return scorer


def _fitted(rows: Sequence[Row], held: float) -> Scorer:
    parts = [row_of(row.seen, row.family) for row in rows]
    values = np.array([[np.nan if value is None else value for value in numbers] for numbers, _ in parts])
    members = np.array([flags for _, flags in parts])
    known = ~np.isnan(values)
    counts = np.maximum(known.sum(0), 1)
    centre = np.where(known, values, 0).sum(0) / counts
    spread = np.sqrt((np.where(known, values - centre, 0) ** 2).sum(0) / counts)
    spread = np.where(spread < _SAME, 1.0, spread)
    table = np.hstack([np.where(known, (values - centre) / spread, 0.0), members, np.ones((len(rows), 1))])
    right = np.array([row.right for row in rows], np.float64)
    pull = np.concatenate([np.full(len(COLUMNS), held), np.full(len(FAMILIES), held / 10), [1e-6]])
    weights = one_way(table, right, pull, list(DIRECTIONS.values()))
    start = float(weights[-1])
    starts = weights[len(COLUMNS) : -1]
    present = np.asarray(members.any(axis=0))
    return Scorer(
        columns=tuple(
            Column(name, round(float(weight), 6), round(float(at), 6), round(float(width), 6))
            for name, weight, at, width in zip(COLUMNS, weights, centre, spread, strict=False)
            if abs(weight) > _SAME
        ),
        families={
            name: round(start + float(own), 6)
            for name, own, there in zip(FAMILIES, starts, present.tolist(), strict=True)
            if there
        },
        start=round(start, 6),
    )


def one_way(table: Array, right: Array, pull: Array, directions: Sequence[int]) -> Array:
    """The regression with each feature's weight of the sign that it has to have, else 0.

    What points the other way is put to 0, the worst first, and the rest is fitted anew. table: (rows, columns). directions:
    of the first columns; those behind them may point either way.
    """
    signs = np.concatenate([np.array(directions), np.zeros(table.shape[1] - len(directions))])
    free = np.ones(table.shape[1], bool)
    while True:
        weights = np.zeros(table.shape[1])
        weights[free] = _logistic(table[:, free], right, pull[free])
        wrong = np.where(signs * weights < 0, np.abs(weights), 0.0)
        if not wrong.any():
            return weights
        free[int(wrong.argmax())] = False


def _logistic(table: Array, right: Array, pull: Array) -> Array:
    """Newton's method for the penalised log-loss, which has one minimum; half steps where a whole one overshoots."""
    weights = np.zeros(table.shape[1])

    def loss(at: Array) -> float:
        odds = table @ at
        return float((np.logaddexp(0, odds) - odds * right).sum() + 0.5 * (pull * at * at).sum())

    now = loss(weights)
    for _ in range(_STEPS):
        probability = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = table.T @ (probability - right) + pull * weights
        curve = (table * (probability * (1 - probability))[:, None]).T @ table + np.diag(pull)
        step = np.linalg.solve(curve, slope)
        length = 1.0
        while (then := loss(weights - length * step)) > now and length > 1e-6:
            length /= 2
        weights = weights - length * step
        if now - then < 1e-7:
            break
        now = then
    return weights
