"""Which likeness of further answers tells right prose from wrong: `bench_prose.py RECORDING … --data FOLDER [--pairs FILE]`.

RECORDING: of `nearloop bench confidence record --prose --samples 3 --keep-answers`, with FOLDER as its --data. For each likeness:
AUROC, within each set, of how like the further answers are the first one, alone and beside the learned score of the profile that came
along, whose weights are fitted on our own questions and tried on others', and the other way round.

PAIRS: lines with `text1`, `text2`, `label` (1: they mean the same) and `kind`; AUROC of each likeness for the label. Nothing
may be tuned on it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Final

import numpy as np
import snowballstemmer
from rapidfuzz import fuzz

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from daemon.certifying.labelled_sets import labelled
from daemon.certifying.own_prose import in_prose, own_prose
from daemon.certifying.recording import Row, rows
from daemon.certifying.scorer_fit import one_way
from daemon.certifying.within import within
from daemon.confidence.canonical import plain
from daemon.confidence.features import words
from daemon.confidence.further import SAMPLES, Kinds, is_comparable
from daemon.confidence.profile import read_profile
from daemon.confidence.profiles import shipped
from daemon.confidence.prose import contradict
from daemon.confidence.prose import likeness as shipped_likeness
from daemon.signals.shipped import shipped_vectors
from edge_models.training.metrics import auroc, estimate

Likeness = Callable[[str, str, frozenset[str]], float]
OWN: Final = "nearloop"
EVERY: Final = 100_000

vectors = shipped_vectors()


@cache
def cosine(one: str, other: str, asked: frozenset[str]) -> float:
    return max(0.0, vectors.likeness(one, other)) if one and other else 0.0


contrary = cache(contradict)
stemmer = snowballstemmer.stemmer("english")


@cache
def carried(one: str, other: str, asked: frozenset[str]) -> float:
    """The share of stems in common, without the question's words where others are left."""
    stems = [
        frozenset(stemmer.stemWords([w for w in said if w not in asked] or said))
        for said in map(str.split, map(plain, (one, other)))
    ]
    return 2 * len(stems[0] & stems[1]) / (len(stems[0]) + len(stems[1])) if all(stems) else 0.0


def unless_contrary(likeness: Likeness) -> Likeness:
    return lambda one, other, asked: 0.0 if contrary(one, other, asked) else likeness(one, other, asked)


def mean_of_both(one: str, other: str, asked: frozenset[str]) -> float:
    return (cosine(one, other, asked) + carried(one, other, asked)) / 2


LIKENESSES: Final[dict[str, Likeness]] = {
    "the same form": lambda one, other, asked: float(plain(one) == plain(other)),
    "rapidfuzz token_sort_ratio": lambda one, other, asked: fuzz.token_sort_ratio(plain(one), plain(other)) / 100,
    "rapidfuzz token_set_ratio": lambda one, other, asked: fuzz.token_set_ratio(plain(one), plain(other)) / 100,
    "words": lambda one, other, asked: carried(one, other, frozenset()),
    "words without the question's": carried,
    "cosine": cosine,
    "mean of cosine and words": mean_of_both,
    "token_sort_ratio, unless contrary: the daemon's": shipped_likeness,
    "words, unless contrary": unless_contrary(carried),
    "cosine, unless contrary": unless_contrary(cosine),
    "mean of cosine and words, unless contrary": unless_contrary(mean_of_both),
}


def numbers(row: Row, asked: frozenset[str], likeness: Likeness) -> tuple[float, int, float]:
    """How like the further answers are the first one, of how many kinds all are, and how like all are each other."""
    first, *others = (text.strip() for text in (row.answer or "", *row.others))
    kinds = Kinds(first)
    further = [kinds.take(text, [likeness(text, each, asked) for each in kinds.each]) for text in others][-1]
    all_pairs = fmean(likeness(*sorted(pair), asked) for pair in combinations((first, *others), 2))
    return further.agreeing, further.kinds, all_pairs


def beside(table: np.ndarray, right: np.ndarray, learn: np.ndarray) -> np.ndarray:
    """The log-odds of the rows that don't teach, by those that do."""
    pull = np.array([3.0, 3.0, 3.0, 1e-6])
    weights = one_way(table[learn], right[learn], pull, (1, 1, -1))
    return table[~learn] @ weights


def told_apart(file: Path) -> None:
    pairs = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    pairs = [pair for pair in pairs if pair["kind"] != "cross_lingual"]
    label = [pair["label"] for pair in pairs]
    print("| likeness | pairs that mean the same from others |")
    for name, likeness in LIKENESSES.items():
        found = [likeness(pair["text1"], pair["text2"], frozenset()) for pair in pairs]
        print(f"| {name} | {estimate(auroc, label, found)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--pairs", type=Path)
    wanted = parser.parse_args()
    if wanted.pairs:
        told_apart(wanted.pairs)
    asked = {question.id: words(question.text) for question in own_prose(EVERY // 100)}
    for folder in wanted.data:
        theirs = [in_prose(question) for question in labelled(folder, EVERY) if question.check == "words"]
        asked |= {question.id: words(question.text) for question in theirs}
    made = {row.id: row for row in rows(wanted.recordings) if row.samples == SAMPLES and row.answer is not None}
    known = [row for row in made.values() if row.id in asked and is_comparable(row.features, row.family)]
    right = np.array([float(row.right) for row in known])
    own = np.array([row.author == OWN for row in known])
    sources = np.unique([row.source for row in known], return_inverse=True)[1]
    profile = next(each for file in sorted(shipped().glob("*genai.json")) if (each := read_profile(file)))
    score = np.array([profile.scorer.score(row.seen, row.family) for row in known])
    print(f"{len(made)} answers, {len(known)} whole and short, {own.sum()} of them to our own questions")
    for name, part in (("own", own), ("others'", ~own)):
        print(
            f"{name}: {right[part].mean():.1%} right; learned score alone {estimate(within, right[part], score[part], sources[part])}"
        )
    print("| likeness | sum, own | sum, others' | all pairs, own | all pairs, others' | with score: own | others' |")
    for name, likeness in LIKENESSES.items():
        found = np.array([numbers(row, asked[row.id], likeness) for row in known])
        alone = [
            f"{estimate(within, right[part], found[part, col], sources[part])}"
            for col in (0, 2)
            for part in (own, ~own)
        ]
        table = np.column_stack([score, found[:, 0], found[:, 1], np.ones(len(known))])
        both = [
            f"{estimate(within, right[~learn], beside(table, right, learn), sources[~learn])}" for learn in (~own, own)
        ]
        print(f"| {name} | {' | '.join((*alone, *both))} |", flush=True)


if __name__ == "__main__":
    main()
