"""Knowledge bases: labelled examples in a file beside a recipe, which `global.model_catalog.kbs` names."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from daemon.errors import BadRequest
from daemon.signals.vectors import Scoring

_MOST_BYTES: Final = 16 * 1024 * 1024


class Label(Struct, frozen=True):
    """Examples of one kind of request."""

    exemplars: tuple[str, ...] = ()


class Metric(Struct, frozen=True):
    """A number for projections: by how much one group is nearer than another."""

    name: str
    type: Literal["group_margin"]
    positive_group: str
    negative_group: str


class KnowledgeBase(Struct, frozen=True):
    """Labels with examples, and what counts as near. groups: from a name to labels."""

    name: str
    labels: dict[str, Label]
    threshold: float = 0.5
    label_thresholds: dict[str, float] = {}
    groups: dict[str, tuple[str, ...]] = {}
    metrics: tuple[Metric, ...] = ()
    scoring: Scoring = Scoring()

    def needed(self, label: str) -> float:
        """The score from which on a label is matched."""
        return self.label_thresholds.get(label, self.threshold)


class _Source(Struct, frozen=True):
    path: str
    manifest: str = "labels.json"


class _Scoring(Struct, frozen=True):
    cluster_similarity_threshold: float = 0.9
    max_prototypes: Annotated[int, Meta(ge=1, le=1000)] = 8
    best_weight: Annotated[float, Meta(ge=0, le=1)] = 0.75
    top_m: Annotated[int, Meta(ge=1)] = 2


class _Declared(Struct, frozen=True):
    name: str
    source: _Source
    threshold: float = 0.5
    label_thresholds: dict[str, float] = {}
    groups: dict[str, tuple[str, ...]] = {}
    metrics: tuple[Metric, ...] = ()
    prototype_scoring: _Scoring = _Scoring()


class _Catalog(Struct, frozen=True):
    kbs: tuple[_Declared, ...] = ()


class _Global(Struct, frozen=True):
    model_catalog: _Catalog = _Catalog()


class _Manifest(Struct, frozen=True):
    labels: dict[str, Label]


_manifest: Final = msgspec.json.Decoder(_Manifest)


def knowledge_bases(global_: object, folder: Path) -> dict[str, KnowledgeBase]:
    """Those that a recipe's `global` names, whose files lie below the recipe's folder. Raises BadRequest."""
    if global_ is None:
        return {}
    try:
        declared = msgspec.convert(global_, _Global).model_catalog.kbs
    except msgspec.ValidationError as error:
        raise BadRequest(f"global.model_catalog.kbs can't be used: {error}") from error
    return {each.name: _read(each, folder) for each in declared}


def _read(declared: _Declared, folder: Path) -> KnowledgeBase:
    path = PurePosixPath(declared.source.path) / declared.source.manifest
    if path.is_absolute() or ".." in path.parts or ":" in declared.source.path:
        raise BadRequest(f"the knowledge base {declared.name} has to lie below the recipe's folder")
    try:
        with (folder / path).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        labels = _manifest.decode(data).labels
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise BadRequest(
            f"the knowledge base {declared.name} can't be read: {path} is missing beside the recipe, or is no list of labels"
        ) from error
    scoring = declared.prototype_scoring
    return KnowledgeBase(
        name=declared.name,
        labels={name: label for name, label in labels.items() if label.exemplars},
        threshold=declared.threshold,
        label_thresholds=declared.label_thresholds,
        groups=declared.groups,
        metrics=declared.metrics,
        scoring=Scoring(
            scoring.cluster_similarity_threshold, scoring.max_prototypes, scoring.best_weight, scoring.top_m
        ),
    )
