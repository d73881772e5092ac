"""Whether an encoder of pictures is its reference, and if not, which layer of it errs: pure numbers.

Theory of operation. A vector of a picture comes out of four layers: the file is decoded, the picture is brought to the
model's numbers, a graph runs, and its weights are kept in fewer bits. One cosine between two ends says that something is
wrong and not what. So each picture gets three vectors: the reference's own, our graph's on the reference's numbers, and our
graph's on ours. The first two differ by the graph alone, the last two by what is done to pixels alone.

A cosine is a weak measure of a graph: of another form of GELU it sees a millionth, because fewer bits cost a thousand times
that. So the graph is also run with all of its bits, and held against the reference run in float64: it may be off by no more
than STRAY times what the reference itself is off in float32. And of a model that puts all pictures near each other (random
weights do) a cosine says little: so the error is also told as a share of how far apart the reference puts pictures.

What vectors are for is to rank labels. So labels are ranked by both sides: an inversion is a pair of labels whose order
differs. Pairs that are closer together than NEAR times the spread of a picture's likenesses are told apart, since fewer bits
may turn these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from edge_models.pooling import Floats

Doubles = NDArray[np.float64]

FLOOR: Final = 0.9995
"""The least cosine between a vector of ours and the reference's. int8 weights: 0.9998 and 0.9985 for two tiny SigLIPs."""
STRAY: Final = 16.0
"""Two sums of the same numbers in another order are about equally far from the exact one: 0.3 and 1.1 times here."""
_FINEST: Final = 2e-6
"""A distance that float32 can't promise to go below, 16 units in the last place."""
GREY_LEVELS: Final = 2
"""Of 255, between two decoders: mixing with white may be rounded either way."""
SAME_NUMBERS: Final = 1e-6
SHARE: Final = 0.05
"""Of the distance between unlike pictures. Where pictures are 0.3 apart, as trained models put them, 1 - FLOOR is 0.04."""
_NOTHING: Final = 1e-12
NEAR: Final = 0.05
CLEAR_INVERSIONS: Final = 0.002
INVERSIONS: Final = 0.02
TOP: Final = 0.95
"""What label probes have to keep to: two shares at most, one at least."""
PERCENTILES: Final = (1, 5, 25, 50)


class Sight(Struct, frozen=True):
    """One picture on both sides.

    grey_levels: the largest difference of two decoded pictures; 255 if their sizes differ. numbers: the largest difference
    of what is made of the same decoded picture; inf if the shapes differ. reference, graph, whole: the three vectors, of
    length 1; None: the graph can't take such numbers. exact: (distance of our graph with all bits, of the reference in
    float32), each from the reference in float64; None: not looked at.
    """

    name: str
    grey_levels: float
    numbers: float
    reference: Floats
    graph: Floats
    whole: Floats | None
    exact: tuple[float, float] | None = None


class Said(Struct, frozen=True):
    """One text on both sides. same_tokens: whether both cut it alike. exact: as of a picture."""

    text: str
    same_tokens: bool
    reference: Floats
    ours: Floats
    exact: tuple[float, float] | None = None


class Layer(Struct, frozen=True):
    """What was measured of one layer. worst: of all pictures or texts. at: of which. bar: what it has to keep to."""

    layer: str
    measure: str
    worst: float
    bar: float
    passed: bool
    at: str


class Corpus(Struct, frozen=True):
    """Cosines of whole paths. percentiles: by PERCENTILES."""

    pictures: int
    least: float
    mean: float
    percentiles: dict[str, float]


class Probe(Struct, frozen=True):
    """inversions: of all pairs of labels over all pictures, the share that is turned. clear: of those that the reference
    puts well apart. top: how often both sides rank the same label first.
    """

    pictures: int
    labels: int
    inversions: float
    clear: float
    top: float


class VisionReport(Struct, frozen=True):
    """One encoder. cosines: of each picture the three: graph, pixels, whole. errs: the layers that failed."""

    model: str
    weights: str
    layers: tuple[Layer, ...]
    corpus: Corpus
    cosines: dict[str, tuple[float, float, float]]
    probe: Probe | None
    errs: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether it is its reference."""
        return not self.errs


DECODING: Final = "decoding"
PREPROCESSING: Final = "preprocessing"
GRAPH: Final = "graph of pictures"
WEIGHTS: Final = "kept weights"
TOKENS: Final = "tokenizer"
TEXT_GRAPH: Final = "graph of texts"
TEXT_WEIGHTS: Final = "kept weights of texts"
WHOLE: Final = "whole path"
APART: Final = "telling apart"
RANKING: Final = "ranking"
WORDS: Final[dict[str, str]] = {
    DECODING: "the file is decoded into another picture: its orientation (EXIF), transparency or colours are read otherwise",
    PREPROCESSING: "the decoded picture becomes other numbers: size, filter, crop, scale, mean or order of channels differ",
    GRAPH: "the graph computes something else: an activation, a norm, the head or a weight is not the reference's",
    WEIGHTS: "the graph is right and its weights are kept in too few bits: take float",
    TOKENS: "texts are cut into other tokens or padded otherwise",
    TEXT_GRAPH: "the graph of texts computes something else",
    TEXT_WEIGHTS: "the graph of texts is right and its weights are kept in too few bits: take float",
    WHOLE: "the vectors of whole pictures are too far from the reference's",
    APART: "the error is large against how far apart this model puts pictures",
    RANKING: "labels are ranked otherwise than by the reference",
}


def report(
    model: str, weights: str, sights: Sequence[Sight], said: Sequence[Said] = (), floor: float = FLOOR
) -> VisionReport:
    """All that can be told. said: labels, if the encoder reads texts. Raises ValueError for fewer than two pictures."""
    if len(sights) < 2:
        raise ValueError("a comparison needs two pictures or more")
    cosines = {
        each.name: (
            cosine(each.reference, each.graph),
            -1.0 if each.whole is None else cosine(each.graph, each.whole),
            -1.0 if each.whole is None else cosine(each.reference, each.whole),
        )
        for each in sights
    }
    probe = ranked(sights, said) if said else None
    layers = [*_pictures(sights, cosines, floor), *_texts(said, floor), *([] if probe is None else _ranking(probe))]
    wholes = np.array([whole for _, _, whole in cosines.values()])
    corpus = Corpus(
        len(sights),
        float(wholes.min()),
        float(wholes.mean()),
        {str(each): float(np.percentile(wholes, each)) for each in PERCENTILES},
    )
    errs = tuple(dict.fromkeys(layer.layer for layer in layers if not layer.passed))
    return VisionReport(model, weights, tuple(layers), corpus, cosines, probe, errs)


def _pictures(sights: Sequence[Sight], cosines: dict[str, tuple[float, float, float]], floor: float) -> list[Layer]:
    apart = max(spread([each.reference for each in sights]), _NOTHING)
    return [
        _most(DECODING, "grey levels", {each.name: each.grey_levels for each in sights}, GREY_LEVELS),
        _most(PREPROCESSING, "difference of numbers", {each.name: each.numbers for each in sights}, SAME_NUMBERS),
        *_exact(GRAPH, {each.name: each.exact for each in sights}),
        _least(WEIGHTS, "cosine", {name: graph for name, (graph, _, _) in cosines.items()}, floor),
        _least(WHOLE, "cosine", {name: whole for name, (_, _, whole) in cosines.items()}, floor),
        _most(
            APART,
            "share of the distance between pictures",
            {name: float(np.sqrt(max(0.0, 1 - whole) / apart)) for name, (_, _, whole) in cosines.items()},
            SHARE,
        ),
    ]


def _texts(said: Sequence[Said], floor: float) -> list[Layer]:
    if not said:
        return []
    other = {each.text: 0.0 if each.same_tokens else 1.0 for each in said}
    return [
        _most(TOKENS, "texts of other tokens", other, 0.0),
        *_exact(TEXT_GRAPH, {each.text: each.exact for each in said}),
        _least(TEXT_WEIGHTS, "cosine", {each.text: cosine(each.reference, each.ours) for each in said}, floor),
    ]


def _exact(layer: str, found: dict[str, tuple[float, float] | None]) -> list[Layer]:
    looked = {name: ours / max(theirs, _FINEST) for name, both in found.items() if both for ours, theirs in (both,)}
    return [_most(layer, "distance in those of the reference", looked, STRAY)] if looked else []


def _ranking(probe: Probe) -> list[Layer]:
    return [
        Layer(RANKING, "clear inversions", probe.clear, CLEAR_INVERSIONS, probe.clear <= CLEAR_INVERSIONS, ""),
        Layer(RANKING, "inversions", probe.inversions, INVERSIONS, probe.inversions <= INVERSIONS, ""),
        Layer(RANKING, "same first label", probe.top, TOP, probe.top >= TOP, ""),
    ]


def _most(layer: str, measure: str, values: dict[str, float], bar: float) -> Layer:
    at = max(values, key=lambda name: values[name] if values[name] == values[name] else np.inf)
    return Layer(layer, measure, values[at], bar, values[at] <= bar, at)  # not a number is no pass


def _least(layer: str, measure: str, values: dict[str, float], bar: float) -> Layer:
    at = min(values, key=lambda name: values[name] if values[name] == values[name] else -np.inf)
    return Layer(layer, measure, values[at], bar, values[at] >= bar, at)


def cosine(one: Floats, other: Floats) -> float:
    """Of two vectors, computed in float64."""
    first, second = one.astype(np.float64), other.astype(np.float64)
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second)))


def distance(one: Floats | Doubles, other: Floats | Doubles) -> float:
    """Between two vectors brought to length 1, computed in float64."""
    first, second = (each.astype(np.float64) / np.linalg.norm(each.astype(np.float64)) for each in (one, other))
    return float(np.linalg.norm(first - second))


def spread(vectors: Sequence[Floats]) -> float:
    """How far apart a model puts pictures: 1 - cosine, the median over all pairs."""
    rows = np.stack([each.astype(np.float64) / np.linalg.norm(each.astype(np.float64)) for each in vectors])
    return float(np.median((1 - rows @ rows.T)[np.triu_indices(len(rows), 1)]))


def ranked(sights: Sequence[Sight], said: Sequence[Said]) -> Probe:
    """Labels as both sides rank them for each picture, on the whole path of each."""
    theirs = np.stack([each.reference for each in sights]) @ np.stack([each.reference for each in said]).T
    wholes = [np.zeros_like(each.reference) if each.whole is None else each.whole for each in sights]
    ours = np.stack(wholes) @ np.stack([each.ours for each in said]).T
    first, second = np.triu_indices(len(said), 1)
    gaps, others = theirs[:, first] - theirs[:, second], ours[:, first] - ours[:, second]
    turned = np.sign(gaps) != np.sign(others)
    clear = np.abs(gaps) > NEAR * theirs.std(axis=1, keepdims=True)
    return Probe(
        len(sights),
        len(said),
        float(turned.mean()),
        float(turned[clear].mean()) if clear.any() else 0.0,
        float((theirs.argmax(axis=1) == ours.argmax(axis=1)).mean()),
    )


def table(found: VisionReport) -> str:
    """The report for people."""
    lines = [f"{found.model}, weights as {found.weights}"]
    for layer in found.layers:
        sign, where = ("ok" if layer.passed else "ERRS"), f"   at: {layer.at}" if layer.at and not layer.passed else ""
        lines.append(f"  {layer.layer:<22} {layer.measure:<38} {layer.worst:>12.6g}  bar {layer.bar:<8g} {sign}{where}")
    percentiles = ", ".join(f"p{name} {value:.6f}" for name, value in found.corpus.percentiles.items())
    corpus = found.corpus
    lines.append(
        f"  {corpus.pictures} pictures: least cosine {corpus.least:.6f}, mean {corpus.mean:.6f}, {percentiles}"
    )
    if found.probe:
        probe = found.probe
        lines.append(
            f"  {probe.labels} labels: {probe.inversions:.2%} of pairs inverted ({probe.clear:.2%} of those well apart),"
            f" same first label {probe.top:.0%}"
        )
    lines += [f"  {layer}: {WORDS[layer]}" for layer in found.errs]
    lines.append("passed" if found.passed else "failed")
    return "\n".join(lines)
