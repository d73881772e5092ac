"""A recipe's own prompts: upstream's templates, as far as they only put things in places.

ReMoM's are Go templates over `.OriginalContent` and `.ReferenceResponses` (`.Model`, `.Content`, `.Reasoning`), Fusion's
have `{{original}}`, `{{responses}}` and `{{analysis}}`. A text without places is an instruction. What asks for more is no
template that can be filled here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

_RANGE: Final = re.compile(
    r"\{\{-?\s*range\s+(?:\$\w+\s*(?:,\s*\$\w+\s*)?:=\s*)?\.ReferenceResponses\s*-?\}\}(?P<body>.*?)\{\{-?\s*end\s*-?\}\}(?!.*\{\{-?\s*end)",
    re.DOTALL,
)
_IF: Final = re.compile(
    r"\{\{-?\s*if\s+(?:\$\w+)?\.(\w+)\s*-?\}\}(.*?)\{\{-?\s*end\s*-?\}\}",
    re.DOTALL,
)
_PLACE: Final = re.compile(r"\{\{-?\s*(?:\$\w+)?\.?(\w+)\s*-?\}\}")


def is_template(text: str) -> bool:
    """Whether it has places at all."""
    return "{{" in text


def filled(template: str, values: Mapping[str, str]) -> str | None:
    """With `{{name}}` replaced; None if it asks for something else."""
    return _filled(template, values)


def filled_for_each(template: str, original: str, responses: Sequence[Mapping[str, str]]) -> str | None:
    """A Go template over the answers; None if it asks for something else."""
    if (loop := _RANGE.search(template)) is None:
        return _filled(template, {"OriginalContent": original})
    pieces = [_filled(_IF.sub(_kept(each), loop["body"]), each) for each in responses]
    before = _filled(template[: loop.start()], {"OriginalContent": original})
    after = _filled(template[loop.end() :], {"OriginalContent": original})
    if before is None or after is None or None in pieces:
        return None
    return before + "".join(each for each in pieces if each is not None) + after


def _kept(values: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda found: found[2] if values.get(found[1]) else ""


def _filled(text: str, values: Mapping[str, str]) -> str | None:
    """Every place at once, so that what is put in is not read for places again."""
    if any(found[1] not in values for found in _PLACE.finditer(text)) or "{{" in _PLACE.sub("", text):
        return None
    return _PLACE.sub(lambda found: values[found[1]], text)
