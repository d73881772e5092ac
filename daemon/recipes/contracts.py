"""What a recipe wants of an answer's form (`output_contract_spec`), with upstream's keys.

Upstream's own file of the shapes isn't at hand: keys and words are those of its reference configuration and documentation,
and what else stands there is kept and left aside.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

Source = Literal["content", "reasoning_content", "candidate_responses"]


class Schema(Struct, frozen=True):
    """schema_ref: the name of a built-in schema."""

    schema_ref: str | None = None


class Reference(Struct, frozen=True):
    """What is chosen from. id_format: index: from 0; reference_number: from 1."""

    source: str = "candidate_responses"
    id_format: Literal["index", "reference_number"] = "index"


class Extract(Struct, frozen=True):
    """How the answer is found. exact: it stands alone. json_object: it is the member `answer` of the one object. sources:
    where, in order.
    """

    mode: Literal["exact", "json_object"] = "exact"
    sources: tuple[Source, ...] = ("content",)


class OnViolation(Struct, frozen=True):
    """repair: ask once more. fallback: what the answer is then; `first`, `majority` or one of the choices."""

    repair: bool | str | None = None
    fallback: str | None = None

    @property
    def repairs(self) -> bool:
        return self.repair not in (False, "none", "off")


class OutputContract(Struct, frozen=True):
    """choice: one of `choice_set`. structured_json: a JSON object. reference_selection: one of the answers that others gave.

    render: how a choice is written, `{choice}` standing for it. normalize: whether case and signs around it are passed over.
    """

    type: Literal["choice", "structured_json", "reference_selection"]
    choice_set: tuple[str, ...] = ()
    json_schema: Schema | None = None
    reference: Reference = Reference()
    render: str | None = None
    extract: Extract = Extract()
    normalize: Any = True
    on_violation: OnViolation = OnViolation()


def contract_of(spec: object) -> OutputContract | None:
    """Of a decision's opaque `output_contract_spec`; None if there is none, or none that can be read."""
    if spec is None:
        return None
    try:
        return msgspec.convert(spec, OutputContract)
    except msgspec.ValidationError:
        return None
