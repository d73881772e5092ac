"""The families, in the order in which their marks are looked for."""

from __future__ import annotations

from typing import Final

from edge_models.tool_calls.base import Family
from edge_models.tool_calls.deepseek import DEEPSEEK
from edge_models.tool_calls.hermes import HERMES
from edge_models.tool_calls.llama import LLAMA
from edge_models.tool_calls.mistral import MISTRAL
from edge_models.tool_calls.tagged_list import TAGGED_LIST

FAMILIES: Final[tuple[Family, ...]] = (DEEPSEEK, MISTRAL, TAGGED_LIST, LLAMA, HERMES)

VISIBLE: Final = frozenset(
    mark.encode() for family in FAMILIES for mark in (*family.opens, *family.closes) if mark.startswith(("<", "["))
) - {b"</s>", b"<|end|>", b"<|end_of_text|>", b"<|eom_id|>", b"<|eot_id|>"}
"""Control tokens that an engine has to show, since calls are read by them; ends of turns stay hidden."""


def family_of(chat_template: str) -> Family:
    """The family of a model, by its chat template. One that knows no tools is taught Hermes's way."""
    return next((each for each in FAMILIES if any(mark in chat_template for mark in each.marks)), HERMES)
