"""Rows for heads that need many groups in a language, half to calibrate and half to measure; none is fitted on.

Those for domain, task_shape and persona were written in each language on its own: none is a translation of another's, and
each is a group of its own. How hard a question is, nobody measured in other languages. So complexity has the same questions
in all of them, and in each language the label that the English heads give to the English one: calibrated so, a question is
as hard in German as in English, and how far that is right is what it is in English.

A row is labelled for one head alone: what other heads are calibrated by is the same with these rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from edge_models.engines.base import Unavailable
from edge_models.heads.reading import open_heads
from edge_models.training.grammar import FOLDER as TEMPLATES
from edge_models.training.grammar import templates
from edge_models.training.rows import Part, Row
from edge_models.training.shipped import shipped

FOLDER: Final = "native"
GRADED: Final = "graded"
HEADS: Final = ("domain", "task_shape", "persona")
_LABELS: Final = {"dressed": "persona", "harmless": "benign"}
"""What the lists of `persona` are."""
_PARTS: Final[tuple[Part, ...]] = ("calibrate", "measure")
"""Of the texts of a list, by turns."""
_COMPLEXITY: Final = "complexity"


def native() -> list[Row]:
    """All rows that were written in one language, always in the same order."""
    names = sorted(file.stem for file in (TEMPLATES / FOLDER).glob("*.toml"))
    return [row for name in names for row in _written(name, templates(f"{FOLDER}/{name}"))]


def _written(name: str, file: dict[str, Any]) -> Iterator[Row]:
    code = file["code"]
    for head in HEADS:
        for label, texts in file[head].items():
            source = f"templates.native.{name}" + (" near" if label == "harmless" else "")
            for number, text in enumerate(texts):
                labels: dict[str, str | float] = {head: _LABELS.get(label, label)}
                yield Row(text, labels, None, {}, f"native {code} {text}", source, code, _PARTS[number % 2])


def graded(hard: Sequence[float]) -> list[Row]:
    """The questions in all languages but English. hard: of each, in [0, 1], as `hardness` has it."""
    return [
        Row(
            text, {_COMPLEXITY: chance}, None, {}, f"graded {file['code']} {number}", f"templates.graded.{name}",
            file["code"], _PARTS[number % 2],
        )
        for name, file in templates(GRADED).items()
        if name != "english"
        for number, (text, chance) in enumerate(zip(file["questions"], hard, strict=True))
    ]  # fmt: skip


def hardness() -> list[float]:
    """How hard the shipped English heads hold each English question, in [0, 1]. Raises NotInstalled, Unavailable."""
    folder = shipped("signals")
    if folder is None:
        raise Unavailable("the shipped English heads are not part of this installation: install Nearloop again")
    heads = open_heads(folder)
    try:
        label = heads.heads[_COMPLEXITY].labels[1]
        return [dict(heads.read(text).scores[_COMPLEXITY])[label] for text in templates(GRADED)["english"]["questions"]]
    finally:
        heads.close()
