"""Answers in the form in which two of them can be compared: bare words, numbers as numbers, a letter of a choice, JSON and
code by what they mean.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

from daemon.confidence.families import Family

_ARTICLES: Final = frozenset({"a", "an", "the"})
_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_LETTER: Final = re.compile(r"(?:^|[\s(*:\"'])(?:([A-E])(?=[).:,*\"']|\s*$|\s+(?:and|or|&)\s+[A-E]\b)|([B-E])(?=\s))")
"""A letter that stands for an option; `A` before a word is an article."""
_FENCE: Final = re.compile(r"```[\w+-]*\n(.*?)\n?(?:```|\Z)", re.DOTALL)
_OPTION: Final = re.compile(r"(?m)^\s*\(?([A-E])[.):]\s+(.+?)\s*$")


def plain(text: str) -> str:
    """Words in lower case, without marks, accents and articles."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return " ".join(word for word in _WORD.findall(bare) if word not in _ARTICLES)


def number(text: str) -> Decimal | None:
    """The last number of a text, which is where results stand; None if it has none."""
    found = _NUMBER.findall(text)
    if not found:
        return None
    try:
        return Decimal(found[-1].replace(",", "")).normalize()
    except InvalidOperation:
        return None


def letter(text: str, question: str = "") -> str | None:
    """The option that an answer names, if it names exactly one: by its letter, else by the words that stand behind it in
    the question.
    """
    found = {first or second for first, second in _LETTER.findall(text.strip())}
    if not found:
        given = f" {plain(text)} "
        found = {sign for sign, option in _OPTION.findall(question) if (said := plain(option)) and f" {said} " in given}
    return found.pop() if len(found) == 1 else None


def yes_no(text: str) -> str | None:
    """`yes` or `no` if an answer begins with one of them."""
    first = plain(text).split(" ", 1)[0]
    return first if first in ("yes", "no") else None


def canonical(text: str, family: Family, question: str = "") -> str:
    """An answer as its family compares it; empty if it has no answer of that kind. question: whose options it may name."""
    match family:
        case "number":
            value = number(text)
            return "" if value is None else f"{value:f}"
        case "choice":
            return letter(text, question) or ""
        case "yes_no":
            return yes_no(text) or ""
        case _:
            return plain(text)


def form_of(text: str, family: Family, question: str = "") -> str:
    """The form by which further answers are held against a first one; empty if it has none.

    JSON counts with its members in order, Python by its syntax tree, both with or without a fence; everything else by its
    first line, since small models go on with other questions behind their answer.
    """
    whole = text.strip()
    match family:
        case "structured":
            return _json_form(_unfenced(whole))
        case "code":
            return _python_form(_unfenced(whole))
        case _:
            return canonical(whole.split("\n", 1)[0], family, question)


def _unfenced(text: str) -> str:
    fenced = _FENCE.search(text)
    return fenced[1] if fenced else text


def _json_form(text: str) -> str:
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ""
    return msgspec.json.encode(value, order="sorted").decode()


def _python_form(text: str) -> str:
    try:
        return ast.dump(ast.parse(text)) if text else ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def agrees(text: str, accepted: tuple[str, ...], family: Family, question: str = "") -> bool:
    """Whether an answer is one of those accepted: equal in its form, or with all words of one of them in a row."""
    given = canonical(text, family, question)
    if not given:
        return False
    if family in ("number", "choice", "yes_no"):
        return any(canonical(right, family) == given for right in accepted)
    return any(f" {words} " in f" {given} " for right in accepted if (words := plain(right)))
