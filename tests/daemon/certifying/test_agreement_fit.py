"""Learning what further answers say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from daemon.certifying.agreement_fit import fit_agreement, weighed
from daemon.certifying.fit import fitted, part_of, scores
from daemon.certifying.recording import Row
from daemon.confidence.further import Agreement
from daemon.confidence.scorer import Scorer
from edge_models.training.metrics import auroc
from tests.fakes.recordings import drawn_rows


def fit(rows: Sequence[Row]) -> tuple[Agreement | None, Scorer]:
    profile = fitted(rows)
    parts = [[row for row in rows if part_of(row.id) == part] for part in range(3)]
    return fit_agreement(parts[0], parts[1], parts[2], profile.scorer), profile.scorer


def test_what_agreement_tells_is_learned() -> None:
    """On new rows both together order answers better than the first answers alone, and state what comes true."""
    agreement, scorer = fit(drawn_rows(2000, good=1.5))
    fresh = drawn_rows(2000, seed=5, good=1.5)
    assert agreement
    assert agreement.agreeing > 0 >= agreement.kinds

    right = np.array([float(row.right) for row in fresh])
    both = weighed(fresh, agreement, scorer)

    assert auroc(right, np.array(both)) > auroc(right, np.array(scores(fresh, scorer))) + 0.05
    known = agreement.families["short"]
    mean = sum(map(known.calibration.probability, both)) / len(fresh)
    assert abs(mean - sum(right) / len(right)) < 0.04
    assert known.error < 0.08


def test_a_profile_has_it_where_it_was_recorded() -> None:
    """Without further answers, or where they say nothing, nothing is said, so nothing will be drawn."""
    rows = drawn_rows(600)
    silent = [replace(row, agreeing=number % 4, kinds=4 - number % 4) for number, row in enumerate(rows)]
    misled = [replace(row, agreeing=0 if row.right else 3, kinds=4 if row.right else 1) for row in rows]
    alone = [replace(row, samples=0, agreeing=0, kinds=0) for row in rows]

    assert fitted(rows).agreement
    assert fitted(alone).agreement is None
    assert fitted(misled).agreement is None
    assert fitted(silent).agreement is None


def prose(count: int, seed: int = 1) -> list[Row]:
    return drawn_rows(count, seed, family="prose", author="bea", good=2.0, by="ear")


def test_a_profile_has_prose_where_it_was_recorded() -> None:
    """Who told how like answers are stands there; likeness that doesn't tell right from wrong has no weight."""
    rows, made = drawn_rows(600), prose(600)
    misled = [replace(row, alike=0.0 if row.right else 3.0, alike_kinds=4 if row.right else 1) for row in made]
    silent = [replace(row, alike=number % 4 * 1.0, alike_kinds=1 + number % 3) for number, row in enumerate(made)]
    unsure = [replace(row, alike=0.9 if row.right else 0.1) for row in made if row.right is made[0].right]

    known = fitted([*rows, *made]).likened

    assert known
    assert (known.by, list(known.families)) == ("ear", ["prose"])
    assert known.agreeing > 0 >= known.kinds
    assert known.families["prose"].error < 0.15
    for others in (misled, silent, unsure, prose(40), [replace(row, samples=1) for row in made]):
        assert fitted([*rows, *others]).likened is None


def test_what_few_rows_seem_to_tell_is_no_weight() -> None:
    """Where likeness has nothing to do with being right, chance gives it a weight in fewer than one of ten calibrations."""
    scorer, drawn = fitted(drawn_rows(600)).scorer, 0
    for seed in range(20):
        made = prose(200, seed)
        others = prose(200, seed + 100)
        blind = [
            replace(row, alike=other.alike, alike_kinds=other.alike_kinds)
            for row, other in zip(made, others, strict=True)
        ]
        parts = [[row for row in blind if part_of(row.id) == part] for part in range(3)]
        drawn += fit_agreement(parts[0], parts[1], parts[2], scorer, "ear") is not None

    assert drawn <= 2


def test_prose_teaches_nothing_but_what_likeness_is_worth() -> None:
    """Its labels are weak: scorer, calibrations, promises and rises are those of the other rows alone."""
    rows = drawn_rows(600)

    alone, both = fitted(rows), fitted([*rows, *prose(600)])

    assert replace(both, likened=None, sources=alone.sources) == alone


def test_only_answers_that_would_be_compared_count() -> None:
    """What was cut off, too long or has no form teaches nothing."""
    rows = drawn_rows(600)

    for change in ({"form": ""}, {"features": replace(rows[0].features, ended=False)}, {"samples": 1}):
        assert fit([replace(row, **change) for row in rows])[0] is None
