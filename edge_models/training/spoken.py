"""Rows in eight languages for every head but complexity, whose templates and subjects are split before they are filled.

What calibrates or measures a head in a language must be nothing that it was fitted on, and sentences of one template are
alike. So each list of `templates/spoken.toml` is cut in three, and a row takes all it is made of from one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any, Final

from edge_models.training.grammar import holding, roughened, templates
from edge_models.training.rows import BENIGN, Part, Row, purpose

FILE: Final = "spoken"
PARTS: Final[tuple[Part, ...]] = ("fit", "calibrate", "measure")
_SUBJECTS: Final = 10
"""Of a part, how many each question of fact_check is asked about."""
_AGAIN: Final = 3
"""How often a row is fitted on, each time typed otherwise."""
_SETTLED: Final[dict[str, str]] = {
    "short_answer": "needed",
    "code": "not_needed",
    "math": "not_needed",
    "writing": "not_needed",
    "tool_call": "not_needed",
    "chat": "not_needed",
}
"""What a kind of work says about facts, where it says something."""
Labels = dict[str, str | float]


def spoken(seed: int, sentences: Sequence[Row]) -> list[Row]:
    """All of them. sentences: harmless ones, whose languages and parts are known: attacks hide among them."""
    found: dict[str, Row] = {}
    for name, file in templates(FILE).items():
        for place, part in enumerate(PARTS):
            random = Random(f"{seed} spoken {name} {part}")
            own = [row.text for row in sentences if row.language == file["code"] and purpose(row) == part]
            for row in _rows(name, _third(file, place), part, own, random):
                again = [row.text] + [roughened(row.text, random) for _ in range(_AGAIN - 1 if part == "fit" else 0)]
                for text in again if not row.where else [row.text]:
                    found.setdefault(text, _with_text(row, text))
    return list(found.values())


def _with_text(row: Row, text: str) -> Row:
    return Row(text, row.labels, None, row.where, row.group, row.source, row.language, row.part)


def _third(file: Mapping[str, Any], place: int) -> dict[str, Any]:
    """A language's lists, of each every third entry from `place` on; subjects as lists."""
    third: dict[str, Any] = {name: value[place::3] for name, value in file.items() if isinstance(value, list)}
    third["topics"] = {name: text.split("; ")[place::3] for name, text in file["topics"].items()}
    third["shapes"] = {name: family[place::3] for name, family in file["shapes"].items()}
    third["code"] = file["code"]
    return third


def _rows(name: str, file: Mapping[str, Any], part: Part, own: Sequence[str], random: Random) -> Iterator[Row]:
    def row(text: str, labels: Labels, group: str = "", where: dict[str, tuple[int, int]] | None = None) -> Row:
        kind = f"spoken {file['code']} {group or text}"
        return Row(text, labels, None, where or {}, kind, f"templates.spoken.{name}", file["code"], part)

    for subject, topics in file["topics"].items():
        for topic, frame in product(topics, file["ask"]):
            yield row(holding(frame, "topic", topic), {**BENIGN, "domain": subject}, topic)
    subjects = [topic for topics in file["topics"].values() for topic in topics]
    for label, frames in (("needed", file["needed"]), ("not_needed", file["told"])):
        for frame in frames:
            for topic in random.sample(subjects, min(_SUBJECTS, len(subjects))):
                yield row(holding(frame, "topic", topic), {**BENIGN, "fact_check": label})
    for shape, texts in file["shapes"].items():
        settled: Labels = {"fact_check": _SETTLED[shape]} if shape in _SETTLED else {}
        for text in texts:
            yield row(text, {**BENIGN, "task_shape": shape, **settled})
    for text in (*file["near"], *file["play"], *_filled(file["safe"], crime=file["crime"])):
        yield row(text, dict(BENIGN))
    for text in _filled(file["wish"], crime=file["crime"]):
        yield row(text, {"harm": "harm", "injection": "benign", "persona": "benign"})
    for opening, who, rule in product(file["open"], file["who"], file["norule"]):
        text = f"{holding(opening, 'who', who)} {rule} {random.choice(file['shapes']['chat'])}"
        yield row(text, {"persona": "persona"}, f"{who} {rule}")
    for attack in _filled(file["attack"], goal=file["goal"]):
        yield row(attack, {"injection": "injection", "harm": "benign"})
        if len(own) > 1:
            before, behind = random.sample(own, 2)
            where = {"injection": (len(before) + 1, len(before) + 1 + len(attack))}
            hidden = f"{before}\n{attack}\n{behind}"
            yield row(hidden, {"injection": "injection", "harm": "benign"}, attack, where)


def _filled(frames: Sequence[str], **slots: Sequence[str]) -> Iterator[str]:
    (slot, words), *_ = slots.items()
    for frame, word in product(frames, words):
        yield holding(frame, slot, word)
