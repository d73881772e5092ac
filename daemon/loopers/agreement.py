"""Which answers say the same, and so how many stand behind each.

Answers are compared by a canonical form, where they have one: calls of tools, a marked result (`ANSWER: B`, `#### 18`,
`\\boxed{18}`), JSON, a few words, a number. Nobody is asked for that, so no answer can talk its way to a vote. Prose has no
such form, and no side.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from daemon.loopers.gathering import Answer

FEW_WORDS: Final = 6
"""An answer this short is taken as it is."""
MARKED: Final = re.compile(
    r"""(?im) ^ [\s>*_#-]* (?:final[ ]answer|answer|a) \s* [*_]* [:：] [*_\s]* (?P<line>[^\n]{1,200}?) [*_\s]* $
      | ^ \s* \#{4} \s* (?P<hashes>[^\n]{1,200}?) \s* $
      | \\boxed\{ (?P<boxed>[^{}\n]{1,200}) \}""",
    re.VERBOSE,
)
_NUMBER: Final = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?")
_AROUND: Final = " \t\n.,;:!?*_`'\"()[]{}$€£%“”‘’«»。、！？"


def marked(text: str) -> str | None:
    """The result that an answer marks as such: the last one."""
    found = list(MARKED.finditer(text))
    return next(group for group in found[-1].groups() if group is not None).strip() if found else None


def canonical(answer: Answer) -> str | None:
    """What an answer comes to, in a form that equal ones share; None for prose."""
    if answer.calls:
        calls = [f"{call.name} {_json(call.arguments) or call.arguments}" for call in answer.calls]
        return "call " + "; ".join(sorted(calls))
    text = answer.text
    if (result := marked(text)) is not None:
        return plain(result)
    if (value := _json(_unfenced(text))) is not None:
        return f"json {value}"
    return plain(text) if len(text.split()) <= FEW_WORDS and len(text) <= 80 else None


def plain(text: str) -> str:
    """A short text without case, signs around it and ways of writing numbers."""
    text = unicodedata.normalize("NFKC", text).casefold().strip(_AROUND)
    if letter := re.match(r"\(?([a-z])[).:]\s", f"{text} "):
        text = letter[1]  # `b) because` is b
    numbers = _NUMBER.findall(text)
    if len(numbers) == 1 and len(text.split()) <= FEW_WORDS:
        return number(numbers[0])
    return " ".join(text.split())


def number(written: str) -> str:
    """`1,000.50` and `1000.5` are one."""
    digits = written.replace(",", "").replace("−", "-")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole = digits.lstrip("0") or "0"
    return f"{sign}{'0' if whole.startswith('.') else ''}{whole}"


def forms(answers: Sequence[Answer]) -> list[str | None]:
    """The canonical form of each. Where half of them mark a number as their result, the others' last number is theirs."""
    found = [canonical(answer) for answer in answers]
    numeric = sum(form is not None and _NUMBER.fullmatch(form) is not None for form in found)
    if numeric * 2 >= len(answers):
        for place, answer in enumerate(answers):
            if found[place] is None and (numbers := _NUMBER.findall(answer.text)):
                found[place] = number(numbers[-1])
    return found


def sides(answers: Sequence[Answer], weights: Sequence[float]) -> tuple[list[str | None], list[float]]:
    """The side of each answer, A for the most votes, and that side's share of all votes; one that can't be compared stands
    alone.
    """
    found = forms(answers)
    votes: dict[str, float] = defaultdict(float)
    for form, weight in zip(found, weights, strict=True):
        if form is not None:
            votes[form] += weight
    total = sum(weights) or 1.0
    ordered = sorted(votes, key=lambda form: -votes[form])  # stable: the first among equals
    letters = {form: chr(ord("A") + min(place, 25)) for place, form in enumerate(ordered)}
    names = [letters[form] if form is not None else None for form in found]
    shares = [(votes[form] if form else weight) / total for form, weight in zip(found, weights, strict=True)]
    return names, shares


def _unfenced(text: str) -> str:
    fenced = re.fullmatch(r"\s*```[a-z]*\n(.*?)\n?```\s*", text, re.DOTALL)
    return fenced[1] if fenced else text


def _json(text: str) -> str | None:
    """A JSON object or list, with its members in order."""
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return msgspec.json.encode(value, order="sorted").decode() if isinstance(value, dict | list) else None
