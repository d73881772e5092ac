"""Rows that only the multilingual heads are taught: harmless sentences in 75 languages, and overriding orders in 13.

Sentences that were not drawn, and that no row holds, are `spare`: of a language, half calibrate and half measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

from msgspec import structs

from edge_models.training.grammar import filled, roughened, templates
from edge_models.training.rows import BENIGN, Part, Row, chance
from edge_models.training.sets.base import lines, strings

FILE: Final = "tongues"
_ATTACKS: Final = 260
_REQUESTS: Final = 300
_HIDDEN: Final = 90
"""Of each language."""
_SENTENCES: Final = 7500
"""Of all 75."""
_KNOWN_BY: Final = 16
"""By so many first characters a sentence is found in a document; a shorter one only if it is the document."""


def tongues(data: Path, seed: int) -> list[Row]:
    """All of them. data: as for `mixed`; without its lingua there are only the templates."""
    random = Random(f"{seed} tongues")
    rows = _shuffled(data, random)[:_SENTENCES]
    return [*rows, *_written(random, [row.text for row in rows])]


def spare(data: Path, seed: int, taught: Sequence[Row]) -> list[Row]:
    """Sentences that `tongues` didn't draw and whose beginning no taught row holds, each with its language and its part."""
    rest = _shuffled(data, Random(f"{seed} tongues"))[_SENTENCES:]
    begins = {row.text[:_KNOWN_BY] for row in rest}
    held = {piece for row in taught for piece in _pieces(row.text) if piece in begins}
    return [
        structs.replace(row, language=language, part=_part(row.text))
        for row in rest
        if row.text[:_KNOWN_BY] not in held and (language := row.source.split()[-1]) != "en"
    ]


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + _KNOWN_BY] for at in range(max(1, len(text) - _KNOWN_BY + 1)))


def _shuffled(data: Path, random: Random) -> list[Row]:
    rows = list(_sentences(data / "lingua" / "lingua.jsonl"))
    random.shuffle(rows)
    return rows


def _sentences(file: Path) -> Iterator[Row]:
    """Each language is a source of its own, so that thresholds hear all of them alike."""
    for raw in lines(file) if file.is_file() else ():
        text, kind, label = strings(raw, "text", "kind", "label")
        if kind == "sentence":
            yield Row(text, dict(BENIGN), source=f"lingua {label}")


def _part(text: str) -> Part:
    """By its hash, the same in every run."""
    return "calibrate" if chance(text) < 0.5 else "measure"


def _written(random: Random, bodies: list[str]) -> Iterator[Row]:
    for name, slots in templates(FILE).items():
        for _ in range(_ATTACKS):
            attack = roughened(filled(random.choice(slots["attack"]), slots, random), random)
            yield _attack(attack, "", "", name)
        for _ in range(_HIDDEN if bodies else 0):
            attack = filled(random.choice(slots["attack"]), slots, random)
            before, behind = (" ".join(random.sample(bodies, random.randint(1, 3))) for _ in range(2))
            yield _attack(attack, f"{before}\n", f"\n{behind}", name)
        for _ in range(_REQUESTS if "ask" in slots else 0):
            family = slots["near"] if random.random() < 0.25 else slots["ask"]
            text = roughened(filled(random.choice(family), slots, random), random)
            yield Row(text, dict(BENIGN), source=f"templates.tongues.{name}")


def _attack(attack: str, before: str, behind: str, name: str) -> Row:
    labels: dict[str, str | float] = {"injection": "injection", "harm": "benign"}
    where = {"injection": (len(before), len(before) + len(attack))}
    return Row(before + attack + behind, labels, where=where, group=f"attack {attack}", source=f"attacks.{name}")
