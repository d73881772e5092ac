"""What was found once, where it is written otherwise: `jane.smith` and `Smith` of Jane Smith, `acme-billing` of Acme GmbH.

A name that is masked in one place and stands in a file's name or an address in another has left. So words of names that were
found are looked for in all texts of the request: as names are written, or as parts of identifiers and addresses. A word that
the texts also use as an ordinary one tells nothing and is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from daemon.signals.base import Observation, Span
from daemon.signals.overlaps import border, folded, places
from daemon.signals.public_domains import MAIL_FOR_ALL, PUBLIC_DOMAINS, registered
from daemon.signals.public_names import is_ordinary
from providers.texts import Field, seen_in

MOST: Final = 300
"""Words of names that are looked for: a list of a thousand persons must not make a request slow."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_GLUE: Final = frozenset("._-@/+")
_TOP_AND_DOT: Final = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")

Sought = dict[str, str]
"""From a form in small letters to its label."""


def mentions(fields: tuple[Field, ...], found: Iterable[Observation]) -> dict[str, list[Span]]:
    """Further places by label, in pictures too. Other texts in which nothing can be replaced are left alone, since a word
    there may be anybody's.
    """
    texts = {field.path: field.text for field in fields}
    taken: dict[str, list[tuple[int, int]]] = {}
    names: Sought = {}
    whole: Sought = {}
    for seen in found:
        for span in seen.spans:
            taken.setdefault(span.path, []).append((span.start, span.end))
            value = texts.get(span.path, "")[span.start : span.end]
            if len(names) + len(whole) < MOST:
                _forms(span.label, value, names, whole)
    more: dict[str, list[Span]] = {}
    if names or whole:
        for field in fields:
            if not field.fixed or seen_in(field.path) is not None:
                for span in _in_field(field, names, whole, taken.get(field.path, [])):
                    more.setdefault(span.label, []).append(span)
    return more


def _forms(label: str, value: str, names: Sought, whole: Sought) -> None:
    if label in ("EMAIL_ADDRESS", "HOSTNAME"):
        domain = folded(value).rpartition("@")[2]
        if domain in MAIL_FOR_ALL or not _TOP_AND_DOT.fullmatch(domain):
            return
        own = registered(domain.split("."))
        if own in PUBLIC_DOMAINS or own in MAIL_FOR_ALL:
            return
        whole[own] = "HOSTNAME"
        return
    words = [folded(word) for word in _WORD.findall(value)]
    if label == "PERSON" and value.isascii() and len(words) < 5:
        for word in words:
            if len(word) >= 4 and not is_ordinary(word):
                names[word] = label
        if len(words) >= 2 and len(words[-1]) >= 3:
            first, last = words[0], words[-1]
            for form in (f"{first}{last}", f"{last}{first}", f"{first[0]}{last}", f"{last}{first[0]}"):
                if len(form) >= 5:
                    whole[form] = label
            for mark in "._-":
                whole[f"{first}{mark}{last}"] = whole[f"{first[0]}{mark}{last}"] = label
    elif label == "ORGANIZATION" and value.isascii():
        telling = [word for word in words if not is_ordinary(word)]
        if telling and telling[0] == words[0] and len(words[0]) >= 4:
            names[words[0]] = label
        if len(words) >= 2:
            whole["".join(words[:2])] = label


def _in_field(
    field: Field, names: Mapping[str, str], whole: Mapping[str, str], taken: list[tuple[int, int]]
) -> Iterator[Span]:
    lower = folded(field.text)
    done = list(taken)
    for form, label in sorted(whole.items(), key=lambda each: -len(each[0])):
        for at in places(lower, (form,)):
            if _stands_free(field.text, at, at + len(form)) and _is_new(at, at + len(form), done):
                done.append((at, at + len(form)))
                yield Span(field.path, at, at + len(form), label, field.fixed)
    for word, label in names.items():
        hits = [at for at in places(lower, (word,)) if _stands_alone(field.text, at, at + len(word))]
        if any(field.text[at].islower() and not _is_glued(field.text, at, at + len(word)) for at in hits):
            continue  # an ordinary word here
        for at in hits:
            if _is_new(at, at + len(word), done):
                done.append((at, at + len(word)))
                yield Span(field.path, at, at + len(word), label, field.fixed)


def _stands_free(text: str, start: int, end: int) -> bool:
    return not (start and text[start - 1].isalnum()) and not text[end : end + 1].isalpha()


def _stands_alone(text: str, start: int, end: int) -> bool:
    return (start == 0 or border(text[start - 1], text[start])) and (
        end == len(text) or border(text[end - 1], text[end])
    )


def _is_glued(text: str, start: int, end: int) -> bool:
    """Whether it is a part of an identifier, a path or an address."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    if before in _GLUE or before.isdigit():
        return True
    return (behind in _GLUE and text[end + 1 : end + 2].isalnum()) or behind.isalnum()


def _is_new(start: int, end: int, taken: list[tuple[int, int]]) -> bool:
    return all(end <= first or last <= start for first, last in taken)
