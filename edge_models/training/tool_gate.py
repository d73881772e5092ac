"""The gate over tools, as `nearloop train tool-gate` fits it on MetaTool and tests it on other files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct

from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.embedder import TextEmbedder
from edge_models.classifiers.opening import open_encoder
from edge_models.runtimes.base import Placement
from edge_models.tool_fit import Column, Gate, features
from edge_models.training.metrics import Array, Estimate, accuracy, auroc, estimate, threshold_at
from edge_models.training.own_head import shipped_encoder
from edge_models.training.tool_offers import Offer, divided, offers, read_metatool, read_offers

HELD_OUT: Final = 0.25
FALSE_ALARMS: Final = 0.05
"""Of the held-out offers with a tool that fits, how many may be said to have none: where the threshold is set."""
STRENGTH: Final = 1e-3
SPEAKS_FOR_A_FIT: Final = frozenset({"best", "ahead", "over", "name", "words", "name_any", "words_any"})
"""A weight that says otherwise has learned the set and not the question, so its column is left out."""
_STEPS: Final = 50
_SLICE: Final = 64


class Tested(Struct, frozen=True):
    """The gate on offers that it was not fitted on. none: the share of them in which no tool fits.

    at the threshold: accuracy, precision (of those said to have no fit), recall, and false_alarms, of offers with a fit.
    """

    name: str
    none: float
    auroc: Estimate | None
    accuracy: Estimate
    precision: Estimate | None
    recall: Estimate | None
    false_alarms: Estimate | None


class Report(Struct, frozen=True):
    """fitted_on, tools: how many offers, of how many tools. nearest: the likeness to the nearest tool alone, as `tested`."""

    fitted_on: int
    tools: int
    tested: tuple[Tested, ...]
    nearest: tuple[Tested, ...]


def train(data: Path, target: Path, test: Path | None, seed: int, progress: Callable[[float, str], None]) -> Report:
    """Write the gate as JSON into `target`. test: a folder as `read_offers` takes it. Raises Unavailable."""
    random = Random(seed)
    progress(0.0, "reading")
    fitting, held = divided(read_metatool(data / "metatool", random), HELD_OUT, random)
    encoder = _Encoder(progress)
    learned = list(offers(fitting, encoder, random))
    unseen = list(offers(held, encoder, random))
    others = list(read_offers(test)) if test is not None else []
    encoder(sorted({text for offer in others for text in (offer.asked, *(tool.said for tool in offer.tools))}))
    progress(0.95, "fitting")
    gate = fitted(learned, encoder)
    chances = _chances(gate, unseen, encoder)
    fits = np.array([not offer.none for offer in unseen])
    gate = msgspec.structs.replace(gate, threshold=round(threshold_at(FALSE_ALARMS, chances[fits]), 4))
    tested, nearest = [], []
    sets = [("metatool, tools held out", unseen)]
    if others:
        sets.append(("all files", others))
        sets += [(name, [o for o in others if o.source == name]) for name in sorted({o.source for o in others})]
    lonely = -np.array([max(encoder.likenesses(offer)) for offer in unseen])
    bar = threshold_at(FALSE_ALARMS, np.array((lonely[fits] + 1) / 2))
    for name, some in sets:
        tested.append(tell(name, some, _chances(gate, some, encoder), gate.threshold))
        alone = np.array([(1 - max(encoder.likenesses(offer))) / 2 for offer in some])
        nearest.append(tell(name, some, alone, bar))
    encoder.close()
    report = Report(len(learned), len(fitting.tools), tuple(tested), tuple(nearest))
    written = {
        **msgspec.to_builtins(gate),
        "provenance": {
            "made_by": f"nearloop train tool-gate --seed {seed}",
            "encoder": "all-minilm-l6-v2, the shipped one",
            "fitted_on": "MetaTool (HowieHwong/MetaTool at 35e81bb7576826e980c80fed8f8c0a2b4a1e6fbb), MIT",
            "licence": "Apache-2.0",
            "recipe": f"logistic regression, classes weighing alike, L2 {STRENGTH}; a quarter of the tools held out; "
            f"threshold where {FALSE_ALARMS:.0%} of held-out offers with a tool that fits are said to have none",
        },
        "report": msgspec.to_builtins(report),
    }
    target.write_bytes(msgspec.json.format(msgspec.json.encode(written), indent=1) + b"\n")
    progress(1.0, "done")
    return report


def fitted(learned: Sequence[Offer], encoder: _Encoder) -> Gate:
    """The line, with columns left out, worst first, until every weight has the sign that it has to have."""
    rows = [features(offer.asked, encoder.likenesses(offer), offer.tools) for offer in learned]
    truth = np.array([offer.none for offer in learned], np.float64)
    names = list(rows[0])
    while True:
        table = np.array([[row[name] for name in names] for row in rows])
        centre, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
        weights = logistic((table - centre) / spread, truth)
        wrong = {
            place: weights[place] for place, name in enumerate(names) if name in SPEAKS_FOR_A_FIT and weights[place] > 0
        }
        if not wrong:
            break
        del names[max(wrong, key=wrong.__getitem__)]
    columns = tuple(
        Column(name, *(round(float(number), 5) for number in numbers))
        for name, *numbers in zip(names, weights, centre, spread, strict=False)
    )
    return Gate(columns, round(float(weights[-1]), 5), 0.5)


def logistic(table: Array, truth: Array) -> Array:
    """Weights and, last, the start of a line, by Newton's steps; the two classes weigh alike.

    table: (rows, columns), standardised. truth: (rows,), 0 or 1.
    """
    whole = np.c_[table, np.ones(len(table))]
    pull = STRENGTH * np.r_[np.ones(table.shape[1]), 1e-6]
    weigh = np.where(truth > 0.5, 0.5 / truth.sum(), 0.5 / (1 - truth).sum())
    line = np.zeros(whole.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-whole @ line))
        slope = whole.T @ ((chance - truth) * weigh) + pull * line
        bend = (whole * (chance * (1 - chance) * weigh)[:, None]).T @ whole + np.diag(pull)
        step = np.linalg.solve(bend, slope)
        line = line - step
        if np.abs(step).max() < 1e-9:
            break
    found: Array = line
    return found


def tell(name: str, some: Sequence[Offer], chances: Array, threshold: float) -> Tested:
    """Measures of probabilities that no tool fits."""
    truth = np.array([offer.none for offer in some], np.float64)
    flagged = (chances >= threshold).astype(np.float64)
    both = 0 < truth.sum() < len(truth)

    def share(of: Array, where: Array) -> Estimate | None:
        kept = of[where > 0.5]
        return estimate(lambda values: float(values.mean()), kept) if len(kept) else None

    return Tested(
        name,
        float(truth.mean()),
        estimate(auroc, truth, chances) if both else None,
        estimate(accuracy, truth, flagged),
        share(truth, flagged),
        share(flagged, truth),
        share(flagged, 1 - truth),
    )


def summary(report: Report) -> str:
    """Lines for the terminal."""
    head = f"fitted on {report.fitted_on:,} offers of {report.tools} tools of MetaTool"
    return "\n".join([head, *_table(report.tested), "", "the nearest tool's likeness alone", *_table(report.nearest)])


def _table(tested: Sequence[Tested]) -> list[str]:
    names = ("auroc", "accuracy", "precision", "recall", "false_alarms")
    return [
        f"{each.name}: none fits in {each.none:.0%}; "
        + "; ".join(f"{name} {value}" for name in names if (value := getattr(each, name)) is not None)
        for each in tested
    ]


def _chances(gate: Gate, some: Sequence[Offer], encoder: _Encoder) -> Array:
    found: Array = np.array(
        [gate.none_fits(features(offer.asked, encoder.likenesses(offer), offer.tools)) for offer in some]
    )
    return found


class _Encoder:
    """The shipped encoder, which reads each text once."""

    def __init__(self, progress: Callable[[float, str], None]) -> None:
        opened = open_encoder(
            EncoderRef(str(shipped_encoder()), "feature-extraction", placement=Placement(threads=2, multiple=16))
        )
        assert isinstance(opened, TextEmbedder)
        self._opened = opened
        self._progress = progress
        self._known: dict[str, Any] = {}

    def __call__(self, texts: Sequence[str]) -> Array:
        fresh = list(dict.fromkeys(text for text in texts if text not in self._known))
        for start in range(0, len(fresh), _SLICE):
            self._progress(0.9 * start / len(fresh), f"reading {len(fresh):,} texts")
            some = tuple(fresh[start : start + _SLICE])
            self._known.update(zip(some, self._opened.embed(some), strict=True))
        found: Array = np.array([self._known[text] for text in texts], np.float64)
        return found

    def likenesses(self, offer: Offer) -> list[float]:
        """Of the request to each tool."""
        first, *rest = self([offer.asked, *(tool.said for tool in offer.tools)])
        return [float(first @ other) for other in rest]

    def close(self) -> None:
        self._opened.close()
