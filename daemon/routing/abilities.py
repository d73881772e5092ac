"""Who can answer a request at all: context, pictures, tools, formats.

What a recipe's card or a local model says counts. Cards list what is good about a model and seldom what it lacks, so a
candidate is passed over for a word that its card lacks only where another one's has it. This version's own models see no
pictures and are told the words in them: where nobody else is left, and there are enough words, they answer by those. If
nobody is left at all, all are.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from daemon.decision.rules import LOCAL
from daemon.recipes.model import ModelCard
from providers.contract import Image, Request
from providers.texts import carried

UNABLE: Final = "not-able"
"""The note on candidates that were passed over."""
_WORDS: Final = {
    "vision": frozenset({"vision", "image", "images", "multimodal"}),
    "tools": frozenset({"tools", "tool_use", "tool-use", "function_calling", "function-calling"}),
    "schema": frozenset({"structured_output", "structured-output", "json_schema", "json"}),
}
"""What cards call an ability."""


WORTH_WORDS: Final = 5
"""In all pictures together: fewer tell a model that reads text nothing of what it is asked about."""


class Needs(Struct, frozen=True):
    """What a request takes. tokens: of the prompt and the answer together. legible: whether all its pictures were looked at,
    and who sees none can answer by the words in them.
    """

    tokens: int
    abilities: frozenset[str]
    legible: bool = False


class Able(Struct, frozen=True):
    """What is known of a candidate. context_tokens: of the loaded model, None if it isn't known."""

    provider: str
    card: ModelCard | None
    context_tokens: int | None = None


def needs(request: Request, prompt_tokens: int) -> Needs:
    """Of a request. prompt_tokens: an estimate."""
    asked = set()
    if _has_picture(request):
        asked.add("vision")
    if request.tools and request.tool_choice != "none":
        asked.add("tools")
    if request.schema is not None:
        asked.add("schema")
    return Needs(prompt_tokens + (request.sampling.max_tokens or 0), frozenset(asked), _is_legible(request))


def able(candidates: list[Able], wanted: Needs) -> list[int]:
    """Places of those that can answer; all of them if nobody can."""
    left = [place for place, each in enumerate(candidates) if _fits(each, wanted) and _sees(each, wanted)]
    if not left and wanted.legible:
        left = [place for place, each in enumerate(candidates) if _fits(each, wanted)]
    for ability in sorted(wanted.abilities):
        saying = [place for place in left if _says(candidates[place], ability)]
        left = saying or left
    return left or list(range(len(candidates)))


def _has_picture(request: Request) -> bool:
    return any(isinstance(part, Image) for _, part in carried(request))


def _is_legible(request: Request) -> bool:
    sights = [part.sight for _, part in carried(request)]
    words = sum(len(sight.text.split()) for sight in sights if sight is not None)
    return None not in sights and words >= WORTH_WORDS


def _fits(each: Able, wanted: Needs) -> bool:
    window = each.context_tokens or (each.card.context_window_size if each.card else None)
    return not window or wanted.tokens <= window


def _sees(each: Able, wanted: Needs) -> bool:
    """This version's own models read text alone."""
    return "vision" not in wanted.abilities or each.provider != LOCAL


def _says(each: Able, ability: str) -> bool:
    if each.card is None:
        return False
    if ability == "vision" and each.card.modality == "omni":
        return True
    return any(word.lower() in _WORDS[ability] for word in (*each.card.capabilities, *each.card.tags))
