"""Rows that only the multilingual heads are taught: harmless sentences in 75 languages, and overriding orders in 13.

Of a language's sentences some calibrate and some measure, and are fitted on nowhere: not even as a part of a document that
the English mix made of them (`without`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

from edge_models.training.grammar import filled, roughened, templates
from edge_models.training.rows import BENIGN, Part, Row, chance, purpose
from edge_models.training.sets.base import lines, strings

FILE: Final = "tongues"
_ATTACKS: Final = 260
_REQUESTS: Final = 300
_HIDDEN: Final = 90
"""Of each language."""
_HASHES: Final[dict[Part, tuple[float, float]]] = {"measure": (0.12, 0.37), "calibrate": (0.37, 0.6)}
"""Which hashes of sentences are for what. Those under the first number calibrate as any row does, the rest is fitted on."""
_KNOWN_BY: Final = 16
"""By so many first characters a sentence is found in a document; a shorter one only if it is the document."""


def tongues(data: Path, seed: int) -> list[Row]:
    """All of them. data: as for `mixed`; without its lingua there are only the templates."""
    random = Random(f"{seed} tongues")
    rows = sentences(data)
    random.shuffle(rows)
    return [*rows, *_written(random, [row.text for row in rows if purpose(row) == "fit"])]


def sentences(data: Path) -> list[Row]:
    """lingua's, each language a source of its own."""
    return list(_sentences(data / "lingua" / "lingua.jsonl"))


def without(rows: Sequence[Row], kept: Sequence[Row]) -> list[Row]:
    """`rows` but for those that hold the beginning of a kept text."""
    begins = {row.text[:_KNOWN_BY] for row in kept}

    def holds(text: str) -> bool:
        return any(text[at : at + _KNOWN_BY] in begins for at in range(max(1, len(text) - _KNOWN_BY + 1)))

    return [row for row in rows if not holds(row.text)]


def _sentences(file: Path) -> Iterator[Row]:
    """Each language is a source of its own, so that thresholds hear all of them alike."""
    for raw in lines(file) if file.is_file() else ():
        text, kind, label = strings(raw, "text", "kind", "label")
        if kind == "sentence":
            known = (label, _part(text)) if label != "en" else ("", "")
            yield Row(text, dict(BENIGN), source=f"lingua {label}", language=known[0], part=known[1])


def _part(text: str) -> Part:
    """By its hash, the same in every run."""
    place = chance(text)
    for name, (low, high) in _HASHES.items():
        if low <= place < high:
            return name
    return ""


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
