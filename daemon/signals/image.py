"""What a request's pictures show: what kind they are, what is in them, whether they fit what is asked.

All that a rule says must hold of one picture, and so many pictures must pass as it counts. A picture that nobody could look
at makes a rule unknown where its answer hangs on that picture. A mismatch is of all pictures of the last turn: it is told
only if each of them surely shows something else than the words are about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Final, NamedTuple, Protocol

from daemon.recipes.signals import Image as Rule
from daemon.recipes.signals import Likened, Mismatch, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, unreadable
from daemon.signals.domain import HEAD, chosen
from daemon.signals.opening import NO_MODEL, Unread
from daemon.signals.parts import Parts
from daemon.signals.personal import PersonalData
from daemon.signals.secrets import SecretData
from daemon.signals.shown import UNSEEN, Shown, Told, belongs, content, together, told
from providers.contract import Message, Text, ToolResult
from providers.texts import carried, seen_in

SURELY: Final = 0.4
"""How sure it must be what a picture shows, where a rule says no threshold; it has to be the likeliest as well. Over nine
kinds and sixteen groups of things a photograph's probabilities are spread widely."""


class Passing(NamedTuple):
    """Of some pictures: how many pass, of how many nobody knows, and who passes most surely."""

    sure: int
    unsure: int
    best: Told


class Images:
    """The signal. Its label is what the surest picture is; its value how sure that is, or of how many pictures a rule holds
    that asks for nothing which is measured.
    """

    signal = "image"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.images
        self._parts = parts
        self._domains = {rule.name: rule.mmlu_categories or (rule.name,) for rule in rules.domains}
        asks = any(rule.findings or rule.mismatch or rule.similar_to for rule in self._rules)
        self.lane: Lane = "models" if asks else "rules"
        self._finders = _finders(parts) if any(rule.findings for rule in self._rules) else ()

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule; none for a request without pictures."""
        if not self._rules or not carried(asked.request):
            return []
        findings = self._findings(asked)
        everything = [Shown(path, part, findings(path)) for path, part in carried(asked.request)]
        return [self._look(rule, everything, asked) for rule in self._rules]

    def _look(self, rule: Rule, everything: Sequence[Shown], asked: Asked) -> Observation:
        began = perf_counter()
        pictures = _of(rule, everything, asked)
        try:
            away = _NOT_ASKED if rule.mismatch is None else self._away(rule.mismatch, asked)
            each = [together((told(rule, shown), away, *self._measured(rule, shown))) for shown in pictures]
        except Unread as why:
            return unreadable(self, rule.name, why.code)
        passing = _counted(each)
        matched = _holds(rule, passing, len(pictures))
        if matched is None:
            return unreadable(self, rule.name, next((one.why for one in each if one.why), UNSEEN))
        measures = bool(rule.kinds or rule.things or rule.explicit or rule.similar_to or rule.mismatch)
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            label=passing.best.label,
            score=passing.best.score if pictures else 0.0,
            value=(passing.best.score if pictures else 0.0) if measures else float(passing.sure),
            matched=matched,
            took_ms=(perf_counter() - began) * 1000,
            scanned=sum(len(shown.sight.text) for shown in pictures if shown.sight),
        )

    def _measured(self, rule: Rule, shown: Shown) -> Iterable[Told]:
        if rule.mismatch is not None:
            yield belongs(rule.mismatch, shown.sight, SURELY if rule.threshold is None else rule.threshold)
        if rule.similar_to is not None:
            yield self._likeness(rule.similar_to, shown)

    def _away(self, mismatch: Mismatch, asked: Asked) -> Told:
        """Whether the words are about one of the fields that a mismatch names. What pictures say doesn't count. Raises
        Unread.
        """
        typed = "\n".join(field.text for field in asked.said if seen_in(field.path) is None)
        if not typed.strip():
            return Told(False, 0.0)
        field, sure = chosen(self._parts.heads.whole(HEAD, typed, asked.in_time))
        fields = {category for name in mismatch.domains for category in self._domains.get(name, (name,))}
        return Told(field in fields, sure if field in fields else 0.0)

    def _likeness(self, wanted: Likened, shown: Shown) -> Told:
        """Raises Unread."""
        pictures = self._parts.pictures
        if pictures is None:
            raise Unread(NO_MODEL)
        data = content(shown.part)
        if data is None:
            return Told(None, why=UNSEEN)
        try:
            score = max(pictures.likeness(data, wanted.candidates))
        except Unread as why:
            if why.code != UNSEEN:
                raise
            return Told(None, why=UNSEEN)  # this one; others may tell
        return Told(score >= wanted.threshold, min(1.0, max(0.0, score)))

    def _findings(self, asked: Asked) -> Findings:
        """Labels and families of what is in a picture's words, by its path."""
        fields = tuple(field for field in asked.fields if seen_in(field.path) is not None)
        found: dict[str, set[str]] = {}
        whole = True
        for finder in self._finders:
            for seen in finder.look(Asked(asked.request, fields, asked.until)):
                whole = whole and seen.error is None
                for span in seen.spans:
                    found.setdefault(seen_in(span.path) or span.path, set()).update((span.label, seen.signal))

        def of(path: str) -> frozenset[str] | None:
            labels = frozenset(found.get(path, ()))
            return labels if whole or labels else None

        return of


class Findings(Protocol):
    """From a picture's path to the labels and families of what is found in its words; None: they were not read whole."""

    def __call__(self, path: str, /) -> frozenset[str] | None: ...


_NOT_ASKED: Final = Told(True)


def _finders(parts: Parts) -> tuple[PersonalData | SecretData, ...]:
    """The privacy families by themselves, since families don't wait for each other. What they find isn't guarded by it."""
    guarding = Parts(parts.heads, parts.vectors, guard=True, votes=parts.votes, dictionary=parts.dictionary)
    return PersonalData(Signals(), guarding), SecretData(Signals(), guarding)


def _of(rule: Rule, everything: Sequence[Shown], asked: Asked) -> list[Shown]:
    """The pictures that a rule is about."""
    source = rule.source or ("last" if rule.mismatch else "all")
    if source == "all":
        return list(everything)
    messages = asked.request.messages
    last = max((place for place, message in enumerate(messages) if message.role == "user"), default=-1)
    if source == "last":
        return [shown for shown in everything if shown.path.startswith(f"messages[{last}].")]
    since = _results_since(messages, last)
    return [shown for shown in everything if shown.path.startswith(since)] if since else []


def _results_since(messages: Sequence[Message], last: int) -> tuple[str, ...]:
    """What paths begin with of tools' results since the user's last message, and of those right before it if the request
    ends with it: some programs say something beside the results. Programs whose tools can't give pictures back send them
    behind the result as the user, without a word.
    """
    beside = last
    if last == len(messages) - 1:
        while beside > 0 and any(isinstance(part, ToolResult) for part in messages[beside - 1].parts):
            beside -= 1
    wordless = beside < last and not any(isinstance(part, Text) for part in messages[last].parts)
    return tuple(
        f"messages[{place}].parts[{n}]" + ("." if isinstance(part, ToolResult) else "")
        for place in range(max(beside, 0), len(messages))
        for n, part in enumerate(messages[place].parts)
        if isinstance(part, ToolResult) or (place == last and wordless)
    )


def _counted(each: Sequence[Told]) -> Passing:
    sure = [one for one in each if one.holds]
    best = max(sure or [one for one in each if one.holds is False], key=lambda one: one.score, default=Told(False, 0.0))
    return Passing(len(sure), sum(one.holds is None for one in each), best)


def _holds(rule: Rule, passing: Passing, pictures: int) -> bool | None:
    """Whether so many pass as a rule wants, whatever those turn out to be of which nobody knows; None: it hangs on them."""

    def enough(count: int) -> bool:
        if rule.count is not None:
            return rule.count.hold(count)
        return count >= max(1, pictures if rule.mismatch else 1)

    outcomes = {enough(count) for count in range(passing.sure, passing.sure + passing.unsure + 1)}
    return outcomes.pop() if len(outcomes) == 1 else None
