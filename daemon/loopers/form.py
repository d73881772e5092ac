"""The form that an answer has to have: a recipe's contract, or a line such as `ANSWER: X` that the user asked for.

Theory of operation. A whole answer is held against the form: what fits is the answer, in the form's own way of writing. What
doesn't is looked for in the answers before it; then its writer is asked once more; then the contract's fall-back holds. If
nothing helps, the answer stays as it is, and the record says that it hasn't the form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daemon.decision.rules import Way
from daemon.loopers.agreement import marked, plain, sides
from daemon.loopers.base import Ask, Errand
from daemon.loopers.gathering import FAILURES, Answer, answered
from daemon.loopers.material import fenced
from daemon.loopers.verdicts import the_object
from daemon.recipes.contracts import OutputContract
from providers.contract import Text

_MARKER: Final = re.compile(
    r"""\b([A-Z][A-Z ]{2,20}) : [ \t]* [`'"*]?
        (?: <[^>\n]{1,40}> | \[[^\]\n]{1,40}\] | \{[^}\n]{1,40}\} | [XN]\b | \.\.\. | … | _{2,} )""",
    re.VERBOSE,
)
"""A word in capitals, a colon, and something that stands for what shall stand there."""


class Form(Struct, frozen=True):
    """One of them. marker: the word of the line that the user wants."""

    contract: OutputContract | None = None
    marker: str | None = None

    @property
    def words(self) -> str:
        """For whoever writes the answer."""
        contract = self.contract
        if contract is None:
            return f"End with a line `{self.marker}: …` as the user asked for." if self.marker else ""
        if contract.type == "choice":
            how = (
                'a JSON object {"answer": …} with it'
                if contract.extract.mode == "json_object"
                else "it and nothing else"
            )
            return f"The answer is one of: {', '.join(contract.choice_set)}. Say {how}."
        if contract.type == "structured_json":
            return "Say one JSON object and nothing else."
        first = "0" if contract.reference.id_format == "index" else "1"
        return f"Say only the number of the reference that is the best answer; the first one's is {first}."

    def fit(self, answer: Answer, others: Sequence[Answer]) -> Answer | None:
        """The answer in this form; None: it hasn't got it."""
        contract = self.contract
        if contract is None:
            return answer if self.marker and re.search(rf"(?m)^[\s>*_#]*{self.marker}[*_ ]*:", answer.text) else None
        if contract.type == "reference_selection":
            return self._referred(contract, answer, others)
        for text in self._texts(contract, answer, others):
            written = self._choice(contract, text) if contract.type == "choice" else self._object(text)
            if written is not None:
                return replace(answer, parts=(Text(written),))
        return None

    def _texts(self, contract: OutputContract, answer: Answer, others: Sequence[Answer]) -> list[str]:
        found = {
            "content": [answer.text],
            "reasoning_content": [answer.thoughts],
            "candidate_responses": [other.text for other in others],
        }
        return [text for source in contract.extract.sources for text in found[source] if text]

    def _choice(self, contract: OutputContract, text: str) -> str | None:
        said = text.strip()
        if contract.extract.mode == "json_object":
            value = the_object(text)
            said = str(value.get("answer", value.get("choice", ""))) if value is not None else ""
        readings = [said] if contract.normalize in (False, "none") else [said, plain(said), plain(marked(text) or "")]
        for choice in contract.choice_set:
            if said == choice or (len(readings) > 1 and plain(choice) in readings[1:]):
                return contract.render.replace("{choice}", choice) if contract.render else choice
        return None

    def _object(self, text: str) -> str | None:
        value = the_object(text)
        return msgspec.json.encode(value).decode() if value is not None else None

    def _referred(self, contract: OutputContract, answer: Answer, others: Sequence[Answer]) -> Answer | None:
        said = plain(answer.text)
        if contract.extract.mode == "json_object" and (value := the_object(answer.text)) is not None:
            said = str(next(iter(value.values()), ""))
        if not said.isdecimal():
            return None
        place = int(said) - (0 if contract.reference.id_format == "index" else 1)
        return others[place] if 0 <= place < len(others) else None


def form_of(way: Way) -> Form | None:
    """What the recipe, else the user, wants; None: nothing in particular."""
    if way.contract is not None:
        return Form(way.contract)
    found = _MARKER.search(way.said)
    return Form(marker=found[1].strip()) if found else None


async def concluded(form: Form, answer: Answer, others: Sequence[Answer], ask: Ask) -> Answer:
    """The answer in its form, by whatever way."""
    if answer.calls:
        return answer
    if (fit := form.fit(answer, others)) is not None:
        return fit
    for way in (_voted, _asked_again):
        if (fit := await way(form, answer, others, ask)) is not None:
            ask.noted("contract-repaired")
            return fit
    if (fit := _fallen_back(form, answer, others)) is not None:
        ask.noted("contract-repaired")
        return fit
    ask.noted("contract-broken")
    return answer


async def _voted(form: Form, answer: Answer, others: Sequence[Answer], ask: Ask) -> Answer | None:
    """The user's line, with what most of the answers before it have there."""
    results = [other for other in others if marked(other.text) is not None]
    if form.marker is None or not results:
        return None
    names, _ = sides(results, [1.0] * len(results))
    most = next(other for other, name in zip(results, names, strict=True) if name == "A")
    return replace(answer, parts=(*answer.parts, Text(f"\n\n{form.marker}: {marked(most.text)}")))


async def _asked_again(form: Form, answer: Answer, others: Sequence[Answer], ask: Ask) -> Answer | None:
    """Its writer's second try."""
    if form.contract is not None and not form.contract.on_violation.repairs:
        return None
    words = f"{fenced([('answer', answer.text)])}\n\nWrite this answer again in the form that is wanted. {form.words}"
    errand = Errand("repair", "repair", words, temperature=0.0)
    try:
        return form.fit(await answered(ask, answer.candidate, errand), others)
    except FAILURES:
        return None


def _fallen_back(form: Form, answer: Answer, others: Sequence[Answer]) -> Answer | None:
    contract = form.contract
    if contract is None:
        return None
    wanted = contract.on_violation.fallback or ("majority" if contract.type == "choice" else None)
    if wanted is None:
        return None
    if wanted in contract.choice_set:
        written = contract.render.replace("{choice}", wanted) if contract.render else wanted
        return replace(answer, parts=(Text(written),))
    if not others:
        return None
    chosen = others[0]
    if wanted == "majority":
        names, _ = sides(others, [1.0] * len(others))
        chosen = next((other for other, name in zip(others, names, strict=True) if name == "A"), chosen)
    return chosen if contract.type == "reference_selection" else form.fit(chosen, ())
