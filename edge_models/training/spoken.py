"""Rows in eight languages for every head but complexity, whose templates and subjects are split before they are filled.

None of them is fitted on: heads that were, raised more false alarms on what others wrote. Two thirds of each list of
`templates/spoken.toml` calibrate and one measures, and a row takes all it is made of from one part, since sentences of one
template are alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any, Final

from msgspec import structs

from edge_models.training.grammar import holding, templates
from edge_models.training.rows import BENIGN, Part, Row

FILE: Final = "spoken"
PARTS: Final[dict[Part, tuple[int, ...]]] = {"calibrate": (0, 1), "measure": (2,)}
"""Which places of three in a list are for what."""
_SUBJECTS: Final = 10
"""Of a part, how many each question of fact_check is asked about."""
_HARMLESS: Final = ("near", "play", "security", "formal", "orders")
"""Lists of harmless texts that look like what is looked for. Their rows are a source of their own, so that thresholds hear
them as loud as the many plain questions."""
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
        for part, places in PARTS.items():
            random = Random(f"{seed} spoken {name} {part}")
            own = [row.text for row in sentences if row.language == file["code"] and row.part == part]
            for row in _rows(name, _cut(file, places), part, own, random):
                found.setdefault(row.text, row)
    return list(found.values())


def _cut(file: Mapping[str, Any], places: Sequence[int]) -> dict[str, Any]:
    """A language's lists, of each the entries at those places of three; subjects as lists."""

    def cut(entries: Sequence[str]) -> list[str]:
        return [entry for number, entry in enumerate(entries) if number % 3 in places]

    found: dict[str, Any] = {name: cut(value) for name, value in file.items() if isinstance(value, list)}
    found["topics"] = {name: cut(text.split("; ")) for name, text in file["topics"].items()}
    found["shapes"] = {name: cut(family) for name, family in file["shapes"].items()}
    found["code"] = file["code"]
    return found


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
                yield row(holding(frame, "topic", topic), {**BENIGN, "fact_check": label}, frame)
    for shape, texts in file["shapes"].items():
        settled: Labels = {"fact_check": _SETTLED[shape]} if shape in _SETTLED else {}
        for text in texts:
            yield row(text, {**BENIGN, "task_shape": shape, **settled})
    safe = [holding(frame, "crime", crime) for frame, crime in product(file["safe"], file["crime"])]
    for text in (*safe, *(text for kind in _HARMLESS for text in file[kind])):
        yield structs.replace(row(text, dict(BENIGN)), source=f"templates.spoken.{name} near")
    for frame, crime in product(file["wish"], file["crime"]):
        yield row(holding(frame, "crime", crime), {"harm": "harm", "injection": "benign", "persona": "benign"}, crime)
    for opening, who, rule in product(file["open"], file["who"], file["norule"]):
        text = f"{holding(opening, 'who', who)} {rule} {random.choice(file['shapes']['chat'])}"
        yield row(text, {"persona": "persona"}, rule)
    for frame, goal in product(file["attack"], file["goal"]):
        attack = holding(frame, "goal", goal)
        yield row(attack, {"injection": "injection", "harm": "benign"}, frame)
        if len(own) > 1:
            before, behind = random.sample(own, 2)
            where = {"injection": (len(before) + 1, len(before) + 1 + len(attack))}
            hidden = f"{before}\n{attack}\n{behind}"
            yield row(hidden, {"injection": "injection", "harm": "benign"}, frame, where)
