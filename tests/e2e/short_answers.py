"""Sixty short questions of our own with their answers, for measuring confidence: thirty to choose a threshold, thirty to test.

They are few-shot, because a small model answers in the examples' form: one or two words. The kinds are mixed over both
halves: capitals, opposites, sums, plurals, colours, first letters.
"""

from __future__ import annotations

from typing import Final

_SHOTS: Final = (
    ("What is the capital of Italy?", "Rome"),
    ("What is the opposite of hot?", "cold"),
    ("What is 2 + 3?", "5"),
    ("What is the plural of cat?", "cats"),
)


def conversation(question: str) -> list[dict[str, str]]:
    """The question behind four that are answered."""
    turns = [{"role": "system", "content": "Answer with one or two words."}]
    for asked, answered in _SHOTS:
        turns += [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
    return [*turns, {"role": "user", "content": question}]


_PAIRS: Final[tuple[tuple[str, str], ...]] = (
    ("What is the capital of France?", "paris"),
    ("What is the capital of Bhutan?", "thimphu"),
    ("What is the opposite of big?", "small|little"),
    ("What is the opposite of concave?", "convex"),
    ("What is 1 + 1?", "2"),
    ("What is 37 + 46?", "83"),
    ("What is the plural of dog?", "dogs"),
    ("What is the plural of ox?", "oxen"),
    ("What colour is grass?", "green"),
    ("What colour is a ripe aubergine?", "purple"),
    ("What is the capital of Germany?", "berlin"),
    ("What is the capital of Burkina Faso?", "ouagadougou"),
    ("What is the opposite of up?", "down"),
    ("What is the opposite of frugal?", "wasteful|extravagant|lavish"),
    ("What is 4 + 4?", "8"),
    ("What is 58 + 67?", "125"),
    ("What is the plural of tree?", "trees"),
    ("What is the plural of criterion?", "criteria"),
    ("What colour is the sky on a clear day?", "blue"),
    ("What colour is malachite?", "green"),
    ("What is the capital of Spain?", "madrid"),
    ("What is the capital of Kyrgyzstan?", "bishkek"),
    ("What is the opposite of fast?", "slow"),
    ("What is the opposite of opaque?", "transparent|clear"),
    ("What is 3 + 6?", "9"),
    ("What is 123 + 456?", "579"),
    ("What is the plural of house?", "houses"),
    ("What is the plural of larva?", "larvae"),
    ("What colour is snow?", "white"),
    ("What colour is copper sulphate?", "blue"),
    ("What is the capital of Japan?", "tokyo"),
    ("What is the capital of Suriname?", "paramaribo"),
    ("What is the opposite of day?", "night"),
    ("What is the opposite of verbose?", "concise|terse|brief|laconic"),
    ("What is 5 + 5?", "10"),
    ("What is 76 + 89?", "165"),
    ("What is the plural of car?", "cars"),
    ("What is the plural of goose?", "geese"),
    ("What colour is a banana?", "yellow"),
    ("What colour is cinnabar?", "red"),
    ("What is the capital of England?", "london"),
    ("What is the capital of Vanuatu?", "port vila|port-vila"),
    ("What is the opposite of old?", "new|young"),
    ("What is the opposite of ascend?", "descend"),
    ("What is 2 + 2?", "4"),
    ("What is 91 + 19?", "110"),
    ("What is the plural of book?", "books"),
    ("What is the plural of phenomenon?", "phenomena"),
    ("What colour is coal?", "black"),
    ("What colour is amethyst?", "purple|violet"),
    ("What is the capital of Russia?", "moscow"),
    ("What is the capital of Eritrea?", "asmara"),
    ("What is the opposite of open?", "closed|close|shut"),
    ("What is the opposite of zenith?", "nadir"),
    ("What is 7 + 1?", "8"),
    ("What is 64 + 77?", "141"),
    ("What is the plural of table?", "tables"),
    ("What is the plural of die?", "dice"),
    ("What colour is blood?", "red"),
    ("What colour is jade?", "green"),
)

QUESTIONS: Final = tuple((question, frozenset(answers.split("|"))) for question, answers in _PAIRS)
CHOOSE: Final = QUESTIONS[:30]
TEST: Final = QUESTIONS[30:]


def is_right(answer: str, gold: frozenset[str]) -> bool:
    """Whether the first line of an answer is, or ends in, one of the right ones; case, full stops and quotes don't count."""
    first = answer.strip().splitlines()[0] if answer.strip() else ""
    said = first.strip(" .\"'!").casefold()
    return any(said == right or said.endswith(f" {right}") for right in gold)
