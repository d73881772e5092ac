"""Masking of one request: which value stands where, and what stands in its place.

Each span that was found is replaced, and then every other occurrence of the same values in any text of the request, in any
case where the class is one of words. In pictures both are places to paint over.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final

from msgspec import Struct

from daemon.boundary.aliases.base import Alias
from daemon.boundary.code_places import CodePlaces
from daemon.boundary.judge import Clearance
from daemon.boundary.masker import Masker
from daemon.boundary.pictures import without_sights
from daemon.boundary.places import Places
from daemon.boundary.restorer import Index, Restorer
from daemon.errors import Refused
from daemon.signals.as_read import Reading
from daemon.signals.base import Span
from daemon.signals.overlaps import border, folded
from providers.contract import Request
from providers.texts import fields

EVERYWHERE_CHARS: Final = 6
"""Values this long are masked wherever they stand; shorter ones could be parts of harmless words."""
_NAMES: Final = frozenset({"PERSON", "ORGANIZATION"})
_CODE_NAME: Final = "CODE_NAME"
"""Programs tell names by their case, and a name within another one is another."""
_ALIKE: Final = str.maketrans("01i|!5$82\n", "ollllssbz ")
"""Characters that are taken for one another in pictures, in small letters, and a line's end for the space that it is."""


class Replaced(Struct, frozen=True):
    """A place in a text of the request as it was, and what stands there in what leaves."""

    path: str
    start: int
    end: int
    alias: Alias


class Masking:
    """One request on its way out."""

    def __init__(self, masker: Masker, request: Request, clearance: Clearance) -> None:
        self.masker = masker
        self.counts: Counter[str] = Counter()
        self.replaced: list[Replaced] = []
        self._secrets = clearance.secrets
        self._spans: dict[str, list[Span]] = defaultdict(list)
        for span in clearance.spans:
            self._spans[span.path].append(span)
        for path in self._spans:
            self._spans[path] = _apart(self._spans[path], clearance.secrets)
        texts = {field.path: field.text for field in fields(request)}
        self._make(texts, clearance.secrets)
        self._leave_aliases(texts, clearance.secrets)
        self._found = masker.aliases
        others = [alias for alias in self._found if alias.label != _CODE_NAME]
        self._labels = {
            folded(form): alias.label
            for alias in reversed(others)
            for form in _forms(alias)
            if len(form) >= EVERYWHERE_CHARS
        }
        of_letters = [
            alias.value
            for alias in others
            if alias.reading != "words" and alias.value.isalpha() and len(alias.value) >= EVERYWHERE_CHARS
        ]  # a password may be a word, which others in other case are not
        self._elsewhere = Places(of_letters, self._labels.keys() - set(map(folded, of_letters)))
        self._code = CodePlaces(
            alias.value for alias in self._found if alias.label == _CODE_NAME and len(alias.value) >= EVERYWHERE_CHARS
        )

    def _make(self, texts: dict[str, str], secrets: frozenset[str]) -> None:
        """An alias for each value that was found."""
        found = [
            (span.label, texts[path][span.start : span.end]) for path in texts for span in self._spans.get(path, ())
        ]
        for label, value in sorted(found, key=lambda each: each[0] not in secrets):
            self.masker.alias(label, value)  # what opens something in one place does so in all

    def _leave_aliases(self, texts: dict[str, str], secrets: frozenset[str]) -> None:
        """An alias of a secret that was not turned back, since it went to a tool, looks like a secret in the next turn. It
        is none, and leaves as it is; what was found around it does not.
        """
        opens = (alias.text for alias in self.masker.aliases if alias.label in secrets)
        ours = Places((text for text in opens if len(text) >= EVERYWHERE_CHARS), ())
        known = dict(self._spans)
        for path, spans in known.items():
            self._spans[path] = [part for span in spans for part in _around(span, texts[path], ours)]
        if self._spans != known:
            self.masker.forget()
            self._make(texts, secrets)

    def masked(self, path: str, text: str) -> str:
        """A text as it may leave."""
        out: list[str] = []
        at = 0
        for span in self._spans.get(path, ()):
            out += (self._rest(path, text, at, span.start), self._alias(path, text, span.start, span.end, span.label))
            at = span.end
        return "".join((*out, self._rest(path, text, at, len(text))))

    def _rest(self, path: str, whole: str, first: int, last: int) -> str:
        """A text outside of what was found in it: values that were found elsewhere may stand here too."""
        text = whole[first:last]
        out: list[str] = []
        at = 0
        for start, end, label in self._others(text):
            if start >= at:
                out += (text[at:start], self._alias(path, whole, first + start, first + end, label))
                at = end
        return "".join((*out, text[at:]))

    def _others(self, text: str) -> list[tuple[int, int, str]]:
        """Where values stand, however they are escaped, and what they are; the first first, the longest of those that begin
        together first.
        """
        places = [(start, end, self._label(text, start, end)) for start, end in self._elsewhere.find(text)]
        if code := self._code.find(text):
            places += [(start, end, _CODE_NAME) for start, end in code]
            places.sort(key=lambda place: (place[0], -place[1]))
        if reading := Reading(text):
            places += [
                (*place, self._label(reading.text, start, end))
                for start, end in self._elsewhere.find(reading.text)
                if (place := reading.place(start, end)) is not None
            ]
            places.sort(key=lambda place: (place[0], -place[1]))
        return [(start, end, label) for start, end, label in places if label is not None]

    def _label(self, text: str, start: int, end: int) -> str | None:
        """What a value is that stands in a text; None if a longer word has the letters of a name in its midst."""
        label = self._labels[folded(text[start:end])]
        return None if label in _NAMES and _within_a_word(text, start, end) else label

    def _alias(self, path: str, text: str, start: int, end: int, label: str) -> str:
        alias = self.masker.alias(label, text[start:end])
        self.counts[alias.label] += 1
        self.replaced.append(Replaced(path, start, end, alias))
        return alias.text

    def places(self, path: str, text: str) -> list[Span]:
        """Where in the words of a picture anything stands that has to be masked, however it was read: what was found there,
        and what was found elsewhere. In order, none overlapping another.
        """
        return _apart([*self._spans.get(path, ()), *self.elsewhere(path, text)], self._secrets)

    def elsewhere(self, path: str, text: str) -> list[Span]:
        """Where values stand in words of a picture that were found in other words, or in those of another picture."""
        found = [Span(path, *place) for place in self._others(text)]
        lower = folded(text).translate(_ALIKE)
        for form, label in self._labels.items():
            seen = form.translate(_ALIKE)
            at = lower.find(seen)
            while at >= 0:
                if label not in _NAMES or not _within_a_word(text, at, at + len(form)):
                    found.append(Span(path, at, at + len(form), label))
                at = lower.find(seen, at + 1)
        return found

    def check(self, masked: Request) -> None:
        """The last look, over every text, fixed ones too. Raises Refused."""
        long = [alias for alias in self._found if alias.label != _CODE_NAME and len(alias.value) >= EVERYWHERE_CHARS]
        any_case = [alias.value for alias in long if alias.reading != "words" and not alias.value.isalpha()]
        values = Places((alias.value for alias in long), any_case)
        if any(
            self._code.find(field.text)
            or any(self._label(field.text, start, end) for start, end in values.find(field.text))
            for field in fields(masked)
        ):
            raise Refused("a value that has to be masked stands where nothing can be replaced: the request stays here")

    def can_be_turned_back(self, request: Request, masked: Request) -> bool:
        """Whether the aliases give back each text as it was. An alias that was not turned back, since it went to a tool, may
        stand in it.
        """
        index = Index(self.masker.aliases)
        pairs = zip(fields(without_sights(request)), fields(without_sights(masked)), strict=True)
        return all(old.text == new.text or _back(new.text, index) == _back(old.text, index) for old, new in pairs)


def _forms(alias: Alias) -> tuple[str, ...]:
    """How a value may be written elsewhere."""
    written = (alias.value, Reading(alias.value).text)
    return (*written, alias.value.replace(".", "-")) if alias.label == "IP_ADDRESS" else written


def _within_a_word(text: str, start: int, end: int) -> bool:
    """Whether letters of the same word stand at both sides: `martin` in `smartinput`, but not in `runMartinNow`."""
    return (
        start > 0
        and end < len(text)
        and text[start:end].isalpha()
        and not border(text[start - 1], text[start])
        and not border(text[end - 1], text[end])
    )


def _back(text: str, index: Index) -> str:
    restorer = Restorer(index)
    return restorer.feed(text) + restorer.finish()


def _around(span: Span, text: str, ours: Places) -> list[Span]:
    """What of a find isn't one of these."""
    parts: list[Span] = []
    begin = span.start
    for start, end in ours.apart(text[span.start : span.end]):
        parts.append(Span(span.path, begin, span.start + start, span.label))
        begin = span.start + end
    parts.append(Span(span.path, begin, span.end, span.label))
    return [part for part in parts if any(map(str.isalnum, text[part.start : part.end]))] if len(parts) > 1 else [span]


def _apart(spans: list[Span], secrets: frozenset[str]) -> list[Span]:
    """Spans in order, with those that overlap joined to one: a secret if one of them is, else what the longer one is."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            longer = last.end - last.start >= span.end - span.start
            if (last.label in secrets) != (span.label in secrets):
                longer = last.label in secrets
            label = last.label if longer else span.label
            joined[-1] = Span(last.path, last.start, max(last.end, span.end), label)
        else:
            joined.append(span)
    return joined
