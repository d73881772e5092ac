"""The words of the recipe language, and what YAML calls the same."""

from __future__ import annotations

import re
from typing import Final

FAMILIES: Final = {
    "keyword": "keywords",
    "embedding": "embeddings",
    "domain": "domains",
    "fact_check": "fact_check",
    "user_feedback": "user_feedbacks",
    "reask": "reasks",
    "preference": "preferences",
    "language": "language",
    "context": "context",
    "structure": "structure",
    "complexity": "complexity",
    "modality": "modality",
    "authz": "role_bindings",
    "jailbreak": "jailbreak",
    "pii": "pii",
    "secret": "secret",
    "kb": "kb",
    "conversation": "conversation",
    "event": "events",
    "metadata": "metadata",
    "classifier": "classifiers",
    "safety": "safety",
    "decision": "decision",
    "task_shape": "task_shape",
    "image": "images",
    "input_modality": "input_modality",
}
"""A signal's type, in conditions and after SIGNAL, to its key under `routing.signals`."""

PROJECTIONS: Final = {"partition": "partitions", "score": "scores", "mapping": "mappings"}
"""What stands after PROJECTION, to its key under `routing.projections`."""

MODEL_OPTIONS: Final = {
    "reasoning": "use_reasoning",
    "effort": "reasoning_effort",
    "reasoning_description": "reasoning_description",
    "lora": "lora_name",
    "weight": "weight",
}
"""What stands in brackets after a model, to its key in `modelRefs`. reasoning_description is ours."""

ROUTE_FIELDS: Final = ("algorithm_on_error", "adaptations", "output_contract", "output_contract_spec", "annotations")
"""What a route may hold as `key: value`, because upstream's language has no word for it."""

KEYWORDS: Final = frozenset(
    {
        *(
            "ROUTING",
            "ENTRYPOINT",
            "RECIPE",
            "SIGNAL",
            "PROJECTION",
            "MODEL",
            "PLUGIN",
            "ROUTE",
            "DECISION_TREE",
            "TEST",
        ),
        *("PRIORITY", "TIER", "WHEN", "ALGORITHM", "DESCRIPTION", "NAME", "FOR", "IN", "EMIT", "IF", "ELSE"),
        *("AND", "OR", "NOT", "true", "false"),
    }
)
IDENTIFIER: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_./-]*")


def is_bare(word: str) -> bool:
    """Whether a name can stand without quotes."""
    return IDENTIFIER.fullmatch(word) is not None and word not in KEYWORDS
