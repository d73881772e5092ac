"""Questions with answers, as they are put to a model to see how often it is right when it is sure."""

from __future__ import annotations

import hashlib
from typing import Final, Literal

from msgspec import Struct

from daemon.confidence.canonical import agrees
from daemon.confidence.families import Family, family_of
from edge_models.engines.base import Chat, Raw, Turn

Style = Literal["examples", "plain"]
"""After answered examples, which small models need to answer in one word; or as people ask."""
Check = Literal["words", "number", "choice", "yes_no"]
ANSWER_TOKENS: Final[dict[Style, int]] = {"examples": 24, "plain": 48}
_INSTRUCTIONS: Final[dict[Style, str]] = {
    "examples": "Answer with one or two words.",
    "plain": "Answer in one short sentence.",
}
_EXAMPLES: Final[dict[Check, tuple[tuple[str, str], ...]]] = {
    "words": (
        ("What is the capital of Italy?", "Rome"),
        ("Mara keeps bees in a village near Lund.\nWhere does Mara keep bees?", "near Lund"),
        ("Who painted the Mona Lisa?", "Leonardo da Vinci"),
    ),
    "number": (
        ("What is 12 + 5?", "17"),
        ("Tom has 4 boxes with 6 pens each. How many pens does he have?", "24"),
        ("What is 30 - 11?", "19"),
    ),
    "choice": (
        ("Which of these is a fruit?\nA. a chair\nB. a pear\nC. a river", "B"),
        ("What do people use to cut paper?\nA. scissors\nB. a spoon\nC. soap\nD. a pillow", "A"),
        ("Which of these can fly?\nA. a stone\nB. a shoe\nC. a lamp\nD. a gull", "D"),
    ),
    "yes_no": (
        ("Is 7 greater than 3?", "Yes"),
        ("Is a rose an animal?", "No"),
        ("Do fish live in water?", "Yes"),
    ),
}


class Question(Struct, frozen=True):
    """One question. id: of its set, unique. source: the set; author: who wrote it, by whom sets are told apart.

    accepted: answers that are right. check: how they are compared. style: how it is put.
    """

    id: str
    source: str
    author: str
    text: str
    accepted: tuple[str, ...]
    check: Check
    style: Style

    @property
    def family(self) -> Family:
        """As a request with this text would be told."""
        return family_of(self.text)

    @property
    def digest(self) -> str:
        """Of its words, by which others who have the set find it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    @property
    def chat(self) -> Chat:
        """As the model is asked."""
        turns = [Turn("system", _INSTRUCTIONS[self.style])]
        if self.style == "examples":
            for asked, answered in _EXAMPLES[self.check]:
                turns += [Turn("user", asked), Turn("assistant", answered)]
        return Chat((*turns, Turn("user", self.text)))

    @property
    def completion(self) -> Raw:
        """As a model is asked that knows no chat, but goes on with a text; its answer ends with the line."""
        examples = _EXAMPLES[self.check] if self.style == "examples" else ()
        asked = [f"Question: {text}\nAnswer: {answered}\n\n" for text, answered in examples]
        return Raw(f"{''.join(asked)}Question: {self.text}\nAnswer:")

    def right(self, answer: str) -> bool:
        """Whether an answer is one of those accepted. Only its first line counts: what follows repeats or invents."""
        first = answer.strip().split("\n", 1)[0]
        return agrees(first, self.accepted, _COMPARED[self.check], self.text)


_COMPARED: Final[dict[Check, Family]] = {"words": "short", "number": "number", "choice": "choice", "yes_no": "yes_no"}


def style_of(id: str) -> Style:
    """Three questions of four come after examples. By the id alone, so that a set is put the same way each time."""
    return "plain" if hashlib.sha256(id.encode()).digest()[0] % 4 == 0 else "examples"


def mixed(questions: list[Question]) -> list[Question]:
    """In an order that has nothing to do with sets, so that each beginning of it is a fair part of all."""
    return sorted(questions, key=lambda question: hashlib.sha256(f"order {question.id}".encode()).digest())
