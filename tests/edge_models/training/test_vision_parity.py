"""What is told from vectors, without any model."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from edge_models.pooling import unit
from edge_models.training import vision_parity as parity
from edge_models.training.vision_parity import Said, Sight, VisionReport, report, table

RNG = np.random.default_rng(11)
VECTORS = unit(RNG.normal(size=(6, 16)).astype(np.float32))
TEXTS = unit(RNG.normal(size=(5, 16)).astype(np.float32))


def sight(place: int, **more: Any) -> Sight:
    vector = VECTORS[place]
    plain: dict[str, Any] = {"grey_levels": 0, "numbers": 0, "graph": vector, "whole": vector, "exact": (1e-7, 2e-7)}
    return Sight(f"picture {place}", reference=vector, **(plain | more))


def seen(**of_the_third: Any) -> list[Sight]:
    return [sight(place, **(of_the_third if place == 2 else {})) for place in range(len(VECTORS))]


def said(**of_the_second: Any) -> list[Said]:
    plain: dict[str, Any] = {"same_tokens": True, "exact": (1e-7, 2e-7)}
    return [
        Said(f"label {n}", reference=row, **(plain | {"ours": row} | (of_the_second if n == 1 else {})))
        for n, row in enumerate(TEXTS)
    ]


def moved(vector: Any, by: float) -> Any:
    """At this distance from it."""
    aside = unit(np.roll(vector, 1)[None] - (np.roll(vector, 1) @ vector) * vector[None])[0]
    return unit((vector + by * aside)[None])[0]


def test_the_same_passes() -> None:
    """Cosines of 1, no inversions, no words about faults."""
    found = report("tiny", "half", seen(), said())
    assert found.passed
    assert found.corpus.least == pytest.approx(1)
    assert found.corpus.pictures == 6
    assert found.probe
    assert (found.probe.inversions, found.probe.top, found.probe.labels) == (0, 1, 5)
    assert table(found).endswith("\npassed")


@pytest.mark.parametrize(
    ("fault", "errs"),
    [
        ({"grey_levels": 3}, (parity.DECODING,)),
        ({"numbers": 1e-3}, (parity.PREPROCESSING,)),
        ({"numbers": np.inf, "whole": None}, (parity.PREPROCESSING, parity.WHOLE, parity.APART, parity.RANKING)),
        ({"exact": (1e-4, 1e-6)}, (parity.GRAPH,)),
        ({"exact": (np.nan, 1e-6)}, (parity.GRAPH,)),
        ({"graph": moved(VECTORS[2], 0.1)}, (parity.WEIGHTS,)),
        ({"graph": np.full(16, np.nan, np.float32)}, (parity.WEIGHTS,)),
        ({"whole": moved(VECTORS[2], 0.1)}, (parity.WHOLE, parity.APART)),
    ],
)
def test_the_layer_that_errs_is_named(fault: dict[str, Any], errs: tuple[str, ...]) -> None:
    """By one picture of six, with which it is and what it means."""
    found = report("tiny", "half", seen(**fault), said())
    assert {*errs} - {parity.RANKING} <= {*found.errs} <= {*errs, parity.RANKING}
    assert next(layer.at for layer in found.layers if not layer.passed and layer.at) == "picture 2"
    assert parity.WORDS[errs[0]] in table(found)
    assert table(found).endswith("\nfailed")


def test_texts_have_layers_of_their_own() -> None:
    """Tokens, graph and weights."""
    assert report("tiny", "half", seen(), said(same_tokens=False)).errs == (parity.TOKENS,)
    assert report("tiny", "half", seen(), said(exact=(1e-3, 1e-6))).errs == (parity.TEXT_GRAPH,)
    assert parity.TEXT_WEIGHTS in report("tiny", "half", seen(), said(ours=moved(TEXTS[1], 0.2))).errs


def test_a_model_that_puts_all_pictures_together_is_held_by_their_distance() -> None:
    """There a cosine of 0.99999 is far: farther than unlike pictures are from each other."""
    base = VECTORS[0]
    close = [moved(base, 0.001 * place) for place in range(6)]
    sights = [
        Sight(f"picture {n}", 0, 0, vector, vector, moved(vector, 0.001) if n == 2 else vector)
        for n, vector in enumerate(close)
    ]
    found = report("tiny", "half", sights)
    assert found.corpus.least > 0.99999
    assert found.errs == (parity.APART,)
    assert found.probe is None


def test_inversions_are_counted_in_pairs() -> None:
    """Two labels whose vectors are exchanged turn their own pair, and those that lie between them."""
    changed = said()
    changed[0], changed[1] = (
        Said("label 0", True, TEXTS[0], TEXTS[1]),
        Said("label 1", True, TEXTS[1], TEXTS[0]),
    )
    found = parity.ranked(seen(), changed)
    theirs, ours = VECTORS @ TEXTS.T, VECTORS @ TEXTS[[1, 0, 2, 3, 4]].T
    turned = [
        (theirs[p, a] > theirs[p, b]) != (ours[p, a] > ours[p, b])
        for p in range(6)
        for a in range(5)
        for b in range(a + 1, 5)
    ]
    assert found.inversions == pytest.approx(np.mean(turned))
    assert 0 < found.inversions < 1


def test_a_floor_of_ones_own() -> None:
    """`floor` is what cosines have to reach."""
    sights = seen(graph=moved(VECTORS[2], 0.01), whole=moved(VECTORS[2], 0.01))
    assert report("tiny", "half", sights).passed
    assert set(report("tiny", "half", sights, floor=0.99999).errs) == {parity.WEIGHTS, parity.WHOLE}


def test_one_picture_is_no_comparison() -> None:
    """Nothing can be said of how far apart pictures are."""
    with pytest.raises(ValueError, match="two pictures"):
        report("tiny", "half", [sight(0)])


def test_it_is_json() -> None:
    """A report is read back as it was."""
    found = report("tiny", "half", seen(), said())
    assert msgspec.json.decode(msgspec.json.encode(found), type=VisionReport) == found
