"""The mix: which rows a training sees, the same in every run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from edge_models.engines.base import Unavailable
from edge_models.training import library_code
from edge_models.training.grammar import holding, templates
from edge_models.training.rows import Row
from edge_models.training.sets.registry import SETS
from edge_models.training.written import WRITTEN, Borrowed

CODE_WINDOWS: Final = 3500
_LED: Final = 120
"""Short exam questions of each subject that are also asked as in a chat."""
_SHORT: Final = 180  # characters
_ORDERS: Final = ("clinc150", "metatool", "self_instruct_seeds", "llmrouter_mix", "writingbench")
_LONGEST_ORDER: Final = 110  # characters
_BODIES: Final = ("bipia", "presidio_synth", "wnut17", "halueval_qa", "lingua")


def mixed(data: Path, seed: int) -> list[Row]:
    """All rows of the sets under `data` and of the templates, each text once. Raises Unavailable if there are none."""
    rows = list(_sets(data, seed))
    if not rows:
        raise Unavailable(f"{data} holds none of the sets {', '.join(SETS)}: see docs/training.md")
    code = list(library_code.read(_chance(seed, "code"), CODE_WINDOWS))
    bodies = tuple(
        row.text for row in (*rows, *code[:600]) if not row.where and row.source in (*_BODIES, "library_code")
    )
    borrowed = Borrowed(bodies, tuple(sorted({_order(row.text) for row in rows if _is_order(row)})))
    rows += code
    rows += _led(rows, _chance(seed, "lead"))
    for maker in WRITTEN:
        rows += maker(_chance(seed, maker.__name__), borrowed)
    seen: dict[str, Row] = {}
    for row in rows:
        if row.text.strip():
            seen.setdefault(row.text, row)
    return list(seen.values())


def _sets(data: Path, seed: int) -> Iterator[Row]:
    for name, source in SETS.items():
        if (data / name).is_dir():
            rows = list(source.read(data / name, _chance(seed, name)))
            if source.most is not None and len(rows) > source.most:
                rows = _chance(seed, f"{name} drawn").sample(rows, source.most)
            yield from rows


def _led(rows: list[Row], random: Random) -> list[Row]:
    """Short exam questions behind what people say first."""
    leads = templates("domain")["frames"]["lead"]
    short: dict[str, list[Row]] = {}
    for row in rows:
        if row.source == "mmlu_pro" and len(row.text) < _SHORT:
            short.setdefault(str(row.labels["domain"]), []).append(row)
    return [
        Row(
            holding(random.choice(leads), "stem", row.text),
            row.labels,
            group=row.text,
            source="mmlu_pro led",
        )
        for name in sorted(short)
        for row in random.sample(short[name], min(_LED, len(short[name])))
    ]


def _is_order(row: Row) -> bool:
    return row.source in _ORDERS and len(row.text) < _LONGEST_ORDER and "\n" not in row.text


def _order(text: str) -> str:
    """A request as it stands within a sentence."""
    return text[:1].lower() + text[1:].strip().rstrip(".!?")


def _chance(seed: int, name: str) -> Random:
    return Random(f"{seed} {name}")
