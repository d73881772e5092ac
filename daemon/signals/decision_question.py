"""Questions that a recipe asks about a request, in plain words."""

from __future__ import annotations

from time import perf_counter

from daemon.recipes.signals import DecisionQuestion, Question, Signals
from daemon.recipes.values import Bounds
from daemon.signals import questions
from daemon.signals.base import Asked, Kind, Lane, Observation, unreadable
from daemon.signals.opening import Unread
from daemon.signals.parts import Parts
from daemon.signals.questions import Answer
from daemon.signals.vectors import Vectors

HALF = Bounds(gte=0.5)


class DecisionQuestions:
    """The signal: `RULE` and, of a choice or set, `RULE:KEY`, with upstream's values."""

    signal = "decision"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.decision
        self._vectors = parts.vectors
        self.lane: Lane = "models" if rules.decision else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule, and one for each of its options."""
        if not asked.words.strip():
            return []
        return [seen for rule in self._rules for seen in self._look(rule, asked)]

    def _look(self, rule: DecisionQuestion, asked: Asked) -> list[Observation]:
        began = perf_counter()
        try:
            answer = answered(self._vectors, rule.question, asked.words)
        except Unread as why:
            return [unreadable(self, rule.name, why.code)]
        took_ms = (perf_counter() - began) * 1000

        def seen(name: str, score: float, value: float, matched: bool) -> Observation:
            return Observation(
                signal=self.signal,
                kind=self.kind,
                name=name,
                score=min(1.0, max(0.0, score)),
                value=value,
                matched=matched,
                took_ms=took_ms,
                scanned=len(asked.words),
                validated=False,
            )

        test = rule.predicate or HALF
        match rule.question.type:
            case "choice":
                held = rule.predicate is None or rule.predicate.hold(answer.value)
                options = [
                    seen(f"{rule.name}:{key}", chance, chance, held and key == answer.chosen)
                    for key, chance in answer.chances.items()
                ]
                return [seen(rule.name, answer.value, answer.value, held), *options]
            case "set":
                least = rule.question.threshold
                chosen = Bounds(gte=least) if least is not None and rule.predicate is None else test
                options = [
                    seen(f"{rule.name}:{key}", chance, chance, chosen.hold(chance))
                    for key, chance in answer.chances.items()
                ]
                return [seen(rule.name, answer.value, answer.value, any(each.matched for each in options)), *options]
            case _:
                sure = answer.value if rule.question.type == "noul" else answer.confidence
                return [seen(rule.name, sure, answer.value, test.hold(answer.value))]


def answered(vectors: Vectors, question: Question, text: str) -> Answer:
    """The answer to one question. Raises Unread."""
    match question.type:
        case "choice" if question.choices:
            options = {choice.key: choice.description for choice in question.choices}
            return questions.choose(vectors, text, question.instructions, options)
        case "noul":
            return questions.affirm(vectors, text, question.instructions)
        case "score" if question.levels:
            return questions.rate(vectors, text, question.instructions, question.levels)
        case "set" if question.labels:
            labels = {label.key: label.description for label in question.labels}
            return questions.which(vectors, text, question.instructions, labels)
        case _:
            raise questions.not_here()
