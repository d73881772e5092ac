"""The multilingual heads from beginning to end: `nearloop train signals --multilingual`.

They are fitted over the vectors of an encoder that stays as it is, so all of it is numpy and minutes. The rows are those of
the English heads, nearly all English, since the encoder lays the same request in 16 languages near the same place. What has
to be told apart in the languages themselves, orders that override others and the many sentences that don't, is in `tongues`.
Nothing is fitted on `spoken`, which has a little of everything in eight of them, `native`, which has more of what four heads
need, and spare sentences: they calibrate the heads language by language, and measure what that came to.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.embedder import TextEmbedder
from edge_models.classifiers.opening import open_encoder
from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import FILE, VERSION, Base, Manifest, Window
from edge_models.heads.manifest import Head as HeadSpec
from edge_models.multilingual.encoder import STRIDE_TOKENS, TOGETHER, WINDOW_TOKENS, MultilingualEncoder
from edge_models.multilingual.files import DIGESTS, NAME, WEIGHTS
from edge_models.multilingual.heads import FILE as LAYERS
from edge_models.multilingual.heads import Layers, layers_bytes
from edge_models.multilingual.likeness import FILE as SCALE
from edge_models.multilingual.pieces import Pieces
from edge_models.pooling import Floats, Ids
from edge_models.training.by_language import Heard, LanguageReport, by_language
from edge_models.training.heads import HEADS, Head
from edge_models.training.instances import MOST_WINDOWS
from edge_models.training.language_report import language_report
from edge_models.training.layers import fit_layers
from edge_models.training.metrics import Array, Estimate
from edge_models.training.mix import mixed
from edge_models.training.native import graded, hardness, native
from edge_models.training.own_head import shipped_encoder
from edge_models.training.package import HeadReport, Held, finish
from edge_models.training.parallel import Embeds, scale
from edge_models.training.rows import Row, held_out, purpose
from edge_models.training.sets.registry import SETS
from edge_models.training.spoken import spoken
from edge_models.training.tongues import spare, tongues

REPORT: Final = "report.md"
LANGUAGES: Final = "languages.md"
PROVENANCE: Final = "provenance.json"
_ENOUGH: Final = 0.5
"""The share of an attack that a window has to hold to be one; or so many pieces of it."""
_ENOUGH_PIECES: Final = 20
_MOST_ROWS: Final = 26_000
"""Of the English mix, drawn by chance. More were never tried."""
_NOTE: Final = "taught mostly in English, for other languages"
_LIKENED: Final = "in other languages calibrated by what the English heads say of the same question"


class Instance(Struct, frozen=True):
    """One window. targets: head to a distribution over its labels. text: the number of its row."""

    ids: Ids
    targets: dict[str, Floats]
    source: str
    text: int


class Provenance(Struct, frozen=True):
    """Where the heads come from. sets: rows that were fitted on, by source.

    held_out: rows of the mix that calibrated or measured it. calibrated, measured: rows by language that did that there.
    """

    encoder: str
    encoder_sha256: str
    encoder_licence: str
    licence: str
    sets: dict[str, int]
    set_licences: dict[str, str]
    held_out: int
    calibrated: dict[str, int]
    measured: dict[str, int]
    seed: int
    numpy: str
    machine: str
    metrics: dict[str, tuple[str, Estimate]]


def train(
    data: Path, target: Path, seed: int, progress: Callable[[float, str], None], heads: Sequence[Head] = HEADS
) -> tuple[Manifest, list[HeadReport]]:
    """Make `target` from the sets under `data`. Raises NotInstalled, Unavailable."""
    if target.exists():
        raise Unavailable(f"{target} is there already: name another directory, or remove it")
    progress(0.0, "reading the sets")
    english = mixed(data, seed)
    drawn = Random(f"{seed} rows").sample(english, min(_MOST_ROWS, len(english)))
    taught = [*drawn, *tongues(data, seed)]
    lingua = spare(data, seed, taught)
    rows = [*taught, *lingua, *spoken(seed, lingua), *native(), *graded(hardness())]
    return make(rows, target, seed, progress, [head for head in heads if head.task == "sequence"])


def make(
    rows: Sequence[Row],
    target: Path,
    seed: int,
    progress: Callable[[float, str], None],
    heads: Sequence[Head],
    english: Embeds | None = None,
) -> tuple[Manifest, list[HeadReport]]:
    """Make `target` from labelled rows. english: whose scale likenesses shall have. Raises NotInstalled, Unavailable."""
    opened = MultilingualEncoder()
    fit: list[Instance] = []
    held: list[Instance] = []
    heard: list[Instance] = []
    for number, row in enumerate(rows):
        if purpose(row) == "fit":
            fit += windows_of(row, opened.pieces, heads, number)
        else:
            (heard if row.language else held).extend(windows_of(row, opened.pieces, heads, number, most=None))
    read = {id(window): place for place, window in enumerate([*fit, *held, *heard])}
    # apart, so that what is heard changes no bit of what is fitted: sums depend on what is read together
    vectors = np.concatenate(
        [
            _vectors(opened, [*fit, *held], lambda share: progress(0.05 + 0.5 * share, "reading the texts")),
            _vectors(
                opened, heard, lambda share: progress(0.55 + 0.1 * share, "reading those that calibrate by language")
            ),
        ]
    )
    layers: dict[str, Layers] = {}
    specs, reports = [], []
    spoken_reports: list[LanguageReport] = []
    for number, head in enumerate(heads):
        progress(0.65 + 0.3 * number / len(heads), f"fitting {head.name}")
        places = [place for place, window in enumerate(fit) if head.name in window.targets]
        behind = [window for window in held if head.name in window.targets]
        abroad = [window for window in heard if head.name in window.targets]
        if not places or not behind:
            raise Unavailable(f"no row teaches the head {head.name}, or none is held out: give it more rows")
        layers[head.name] = fit_layers(
            vectors[places], np.stack([fit[place].targets[head.name] for place in places]), seed
        )

        def given(windows: Sequence[Instance], head: Head = head) -> Held:
            logits = layers[head.name].logits(vectors[[read[id(window)] for window in windows]])
            return _held(head, logits.astype(np.float64), windows)

        mix = given(behind)
        spec, report = finish(head, _spec(head), mix, mix)
        if abroad:
            spec, told = by_language(head, spec, mix, _heard(given(abroad), rows))
            spoken_reports += told
        specs.append(spec)
        reports.append(report)
    progress(0.95, "writing")
    metrics = {report.name: (report.measure, report.value) for report in reports}
    provenance = Provenance(
        NAME,
        DIGESTS[WEIGHTS],
        "Apache-2.0",
        "Apache-2.0",
        dict(sorted(Counter(row.source for row in rows if purpose(row) == "fit").items())),
        {name: source.licence for name, source in SETS.items() if any(row.source.startswith(name) for row in rows)},
        sum(held_out(row) for row in rows if not row.language),
        _by_language(row for row in rows if row.language and purpose(row) == "calibrate"),
        _by_language(row for row in rows if row.language and purpose(row) == "measure"),
        seed,
        np.__version__,
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        metrics,
    )
    files = {LAYERS: layers_bytes(layers), SCALE: msgspec.json.encode(scale(english or _shipped(), opened))}
    texts = [row.text for row in rows if purpose(row) == "calibrate"]
    files[LANGUAGES] = language_report(spoken_reports).encode()
    return _written(target, files, tuple(specs), reports, provenance, opened, texts)


def _by_language(rows: Iterable[Row]) -> dict[str, int]:
    return dict(sorted(Counter(row.language for row in rows).items()))


def _heard(held: Held, rows: Sequence[Row]) -> Heard:
    own = [rows[number] for number in held.texts]
    return Heard(
        held,
        np.array([row.language for row in own]),
        np.array([row.group or row.text for row in own]),
        np.array([purpose(row) == "measure" for row in own]),
    )


def _shipped() -> Embeds:
    found = open_encoder(EncoderRef(str(shipped_encoder()), "feature-extraction"))
    assert isinstance(found, TextEmbedder)
    return found


def windows_of(
    row: Row, pieces: Pieces, heads: Sequence[Head], text: int = 0, most: int | None = MOST_WINDOWS
) -> Iterator[Instance]:
    """A row's windows, each with what is known of that very window. Raises Unavailable for an unknown label."""
    places = {
        name: (len(pieces.ids(row.text[:start])), len(pieces.ids(row.text[:end])))
        for name, (start, end) in row.where.items()
    }
    for number, window in enumerate(pieces.windows(row.text)[:most]):
        begin = number * STRIDE_TOKENS
        targets = {
            head.name: _target(row, head, places.get(head.name), begin, begin + len(window.ids) - 2)
            for head in heads
            if head.name in row.labels and (number == 0 or head.pool == "max" or head.spreads)
        }
        if targets:
            yield Instance(window.ids, targets, row.source, text)


def _target(row: Row, head: Head, place: tuple[int, int] | None, begin: int, end: int) -> Floats:
    """place: of what the label is about. begin, end: of the window. All in pieces."""
    label = row.labels[head.name]
    target: Floats = np.zeros(len(head.labels), np.float32)
    if not isinstance(label, str):
        target[:] = (1.0 - label, label)
        return target
    if label not in head.labels:
        raise Unavailable(f"the head {head.name} has no label {label[:40]!r}: it knows {', '.join(head.labels)}")
    held = min(end, place[1]) - max(begin, place[0]) if place else 0
    here = place is None or held >= min(_ENOUGH * (place[1] - place[0]), _ENOUGH_PIECES)
    target[head.labels.index(label) if here else 0] = 1.0
    return target


def _vectors(encoder: MultilingualEncoder, windows: Sequence[Instance], progress: Callable[[float], None]) -> Floats:
    rows = np.empty((len(windows), encoder.width), np.float32)
    order = sorted(range(len(windows)), key=lambda place: len(windows[place].ids))
    for start in range(0, len(order), TOGETHER):
        progress(start / len(order))
        batch = order[start : start + TOGETHER]
        rows[batch] = encoder.vectors([windows[place].ids for place in batch])
    return rows


def _spec(head: Head) -> HeadSpec:
    note = f"{head.note}; {_LIKENED}" if head.likened else head.note or _NOTE
    return HeadSpec(head.name, head.task, head.labels, pool=head.pool, note=note, likened=head.likened)


def _held(head: Head, logits: Array, windows: Sequence[Instance]) -> Held:
    targets = np.stack([window.targets[head.name] for window in windows]).astype(np.float64)
    texts = np.array([window.text for window in windows], np.int64)
    return Held(logits, targets, [window.source for window in windows], texts)


def _written(
    target: Path,
    files: dict[str, bytes],
    specs: tuple[HeadSpec, ...],
    reports: list[HeadReport],
    provenance: Provenance,
    encoder: MultilingualEncoder,
    texts: Sequence[str],
) -> tuple[Manifest, list[HeadReport]]:
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if not name.endswith(".md")}
    window = Window(WINDOW_TOKENS, STRIDE_TOKENS)
    manifest = Manifest(VERSION, Base(NAME, provenance.encoder_sha256), window, specs, digests)
    size = sum(len(files[name]) for name in digests)
    files |= {
        FILE: msgspec.json.format(msgspec.json.encode(manifest), indent=1),
        PROVENANCE: msgspec.json.format(msgspec.json.encode(provenance), indent=1),
        REPORT: _report(reports, provenance, size, _median_ms(encoder, texts)).encode(),
    }
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for name, data in files.items():
        (partial / name).write_bytes(data)
    partial.rename(target)
    return manifest, reports


def _median_ms(encoder: MultilingualEncoder, texts: Sequence[str]) -> float:
    took = []
    for text in [text for text in texts if len(text) < 400][:60]:
        began = time.perf_counter()
        encoder.embed((text,))
        took.append(1000 * (time.perf_counter() - began))
    return float(np.median(took)) if took else 0.0


def _report(reports: Sequence[HeadReport], provenance: Provenance, size: int, median_ms: float) -> str:
    lines = [
        "# Multilingual heads",
        "",
        f"Two layers each over the vectors of {provenance.encoder}, fitted on {sum(provenance.sets.values()):,} rows, seed"
        f" {provenance.seed}. Measured on the odd windows of {provenance.held_out:,} rows that were held out of fitting: the"
        " same authors as the training's, and nearly all English, so it says how well the encoder's vectors carry the heads"
        f" and not how well they do in another language: see {LANGUAGES}. The even ones fitted the calibration that is"
        " measured here. Intervals of 95 % by bootstrap over windows.",
        "",
        "| head | measure | value | calibration error |",
        "|---|---|---|---|",
        *(f"| {each.name} | {each.measure} | {each.value} | {each.calibration_error:.3f} |" for each in reports),
        "",
        f"Size {size / 1e6:.1f} MB beside the encoder's 33 MB. One text under 400 characters: median {median_ms:.1f} ms"
        f" ({provenance.machine}).",
    ]
    return "\n".join(lines) + "\n"
