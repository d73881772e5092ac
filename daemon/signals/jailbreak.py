"""Attempts to turn a model against its instructions, with three scores of the trained heads that are no one score.

`injection`: an instruction that overrides others, in what the user or a tool says. `persona`: the dress of a jailbreak.
`harm`: a harmful topic, which is no attempt by itself: a rule matches by the first two, and `RULE:harm` by the third. One
score for all three flags harmless role-play and security questions. `contrastive` compares with a rule's own examples as
upstream does; `hybrid` matches if either does.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Final

from msgspec import Struct

from daemon.recipes.signals import Jailbreak, Signals
from daemon.signals.base import UNSCANNED, Asked, Kind, Lane, Observation, unreadable
from daemon.signals.forward import Forward, Reading
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts
from edge_models.heads.manifest import CalibratedBy
from providers.contract import ToolResult
from providers.texts import Field, seen_in

INJECTION, PERSONA, HARM = "injection", "persona", "harm"
HEADS: Final = (INJECTION, PERSONA, HARM)
THEIRS: Final = 0.7
"""Upstream's threshold of the classifier, where neither rule nor module has one (v0.3)."""
MARGIN: Final = 0.10
"""Upstream's threshold of the contrastive form, where a rule has none; a hybrid rule's own is the classifier's."""
_NEGATIVE: Final = frozenset({"benign", "none", "no", "safe", "negative", "not"})


def positive(chances: dict[str, float]) -> float:
    """How sure a head is that there is something: the highest of its labels that say so."""
    return max((score for label, score in chances.items() if label not in _NEGATIVE), default=0.0)


class Scored(Struct, frozen=True):
    """What a head says of a text. over: whether that is enough. needed: from when on it is. reading: in which."""

    over: bool
    score: float
    needed: float
    reading: Reading | None = None

    @property
    def model(self) -> str | None:
        """Who read it; None: the English heads."""
        return self.reading.model if self.reading else None


def needed(heads: Forward, name: str, reading: Reading | None = None) -> float:
    """From when on a head says so. One that nobody validated needs an even chance at least. Raises Unread."""
    head = heads.head(name, reading)
    return head.threshold if head.validated else max(head.threshold, 0.5)


def scores(
    heads: Forward, texts: tuple[Field, ...], asked: Asked, only: tuple[str, ...] = HEADS
) -> tuple[dict[str, Scored], bool]:
    """Each head's highest over all texts, what is enough before others; and whether all were read whole. Raises Unread."""
    there = [name for name in only if heads.has(name)]
    if not there:
        heads.head(INJECTION)
    found = {name: Scored(over=False, score=0.0, needed=needed(heads, name)) for name in there}
    whole = True
    for field in texts:
        try:
            reading = heads.read(field.text, asked.in_time)
        except Unread as why:
            if why.code != UNSCANNED:
                raise
            whole = False
            continue
        whole = whole and reading.whole
        for name in there:
            score, least = positive(reading.of(name)), needed(heads, name, reading)
            said = Scored(score >= least, score, least, reading)
            found[name] = max(found[name], said, key=lambda each: (each.over, each.score))
    return found, whole


class Jailbreaks:
    """The signal. Its value is the classifier's higher score of the two, or the contrastive margin."""

    signal = "jailbreak"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.jailbreak
        self._parts = parts
        self.lane: Lane = "models" if rules.jailbreak else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """For each rule one observation for each score that it has."""
        return [seen for rule in self._rules for seen in self._look(rule, asked)]

    def _look(self, rule: Jailbreak, asked: Asked) -> Iterator[Observation]:
        method = rule.method or "classifier"
        failures: list[str] = []
        matched = False
        for wanted, way in (("classifier", self._classified), ("contrastive", self._contrasted)):
            if method not in (wanted, "hybrid"):
                continue
            try:
                for seen in way(rule, asked):
                    matched = matched or (seen.matched and seen.name == rule.name)
                    yield seen
            except Unread as why:
                failures.append(why.code)
        if failures and not matched:
            yield unreadable(self, rule.name, failures[0])

    def _classified(self, rule: Jailbreak, asked: Asked) -> Iterator[Observation]:
        began = perf_counter()
        said = _said(rule, asked)
        found, whole = scores(self._parts.heads, (*said, *_results(asked)), asked, (INJECTION,))
        also, read = scores(self._parts.heads, said, asked, (PERSONA, HARM)) if self._has_more() else ({}, True)
        found |= also
        scanned = sum(len(field.text) for field in (*said, *_results(asked)))
        took_ms = (perf_counter() - began) * 1000
        sure = False
        value = max((said.score for name, said in found.items() if name != HARM), default=0.0)
        for name, said_so in found.items():
            ours = said_so.needed
            bar = self._parts.scales.bar(rule.threshold, THEIRS, ours) if rule.threshold else ours
            matched = said_so.score >= bar
            sure = sure or (matched and name != HARM)
            yield Observation(
                signal=self.signal,
                kind=self.kind,
                name=rule.name,
                label=name,
                score=said_so.score,
                value=value,
                matched=matched and name != HARM,
                took_ms=took_ms,
                scanned=scanned,
                validated=said_so.model is None and self._parts.heads.validated(name),
                model=said_so.model,
                calibrated_by=_calibrated_by(self._parts.heads, name, said_so),
            )
            if name == HARM and matched:
                yield Observation(
                    signal=self.signal,
                    kind=self.kind,
                    name=f"{rule.name}:{HARM}",
                    score=said_so.score,
                    scanned=scanned,
                    validated=said_so.model is None and self._parts.heads.validated(HARM),
                    model=said_so.model,
                    calibrated_by=_calibrated_by(self._parts.heads, HARM, said_so),
                )
        if not sure and not (whole and read):
            raise Unread(UNSCANNED)

    def _has_more(self) -> bool:
        return any(self._parts.heads.has(name) for name in (PERSONA, HARM))

    def _contrasted(self, rule: Jailbreak, asked: Asked) -> Iterator[Observation]:
        if not rule.jailbreak_patterns:
            return
        began = perf_counter()
        vectors = self._parts.vectors
        bad = vectors.bank(rule.jailbreak_patterns)
        good = vectors.bank(rule.benign_patterns) if rule.benign_patterns else None
        texts = _said(rule, asked)
        margins: list[float] = []
        whole = True
        for field in texts:
            margins += [
                bad.best(vector) - (good.best(vector) if good else 0.0)
                for vector in vectors.pieces(field.text, asked.in_time)
            ]
            whole = whole and asked.in_time()
        if not margins:
            return
        margin = max(margins)
        threshold = rule.threshold if rule.method == "contrastive" and rule.threshold else MARGIN
        if margin < threshold and not whole:
            raise Unread(UNSCANNED)
        yield Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            label="contrastive",
            score=min(1.0, max(0.0, margin)),
            value=margin if rule.method == "contrastive" else None,
            matched=margin >= threshold,
            took_ms=(perf_counter() - began) * 1000,
            scanned=sum(len(field.text) for field in texts),
        )


def _calibrated_by(heads: Forward, name: str, said: Scored) -> CalibratedBy | None:
    return heads.calibrated_by(name, said.reading.model, said.reading.language) if said.reading else None


def _said(rule: Jailbreak, asked: Asked) -> tuple[Field, ...]:
    """What the user said last, or all messages' texts."""
    if not rule.include_history:
        return tuple(field for field in asked.said if field.text.strip())
    return tuple(
        field
        for field in asked.fields
        if field.path.startswith("messages[")
        and (not field.fixed or seen_in(field.path) is not None)
        and field.text.strip()
    )


def _results(asked: Asked) -> tuple[Field, ...]:
    """What tools gave back since the user spoke last: instructions hide in it."""
    last = max((place for place, message in enumerate(asked.request.messages) if message.role == "user"), default=-1)
    prefixes = tuple(
        f"messages[{place}].parts[{n}]"
        for place, message in enumerate(asked.request.messages)
        if place >= last
        for n, part in enumerate(message.parts)
        if isinstance(part, ToolResult)
    )
    return tuple(field for field in asked.fields if prefixes and field.path.startswith(prefixes) and field.text.strip())
