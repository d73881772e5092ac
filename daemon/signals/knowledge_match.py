"""Likeness to the labels and groups of a knowledge base, with its metrics for projections."""

from __future__ import annotations

from time import perf_counter

from daemon.recipes.projections import KB_METRIC
from daemon.recipes.signals import KnowledgeBase as Rule
from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation, unreadable
from daemon.signals.knowledge import KnowledgeBase
from daemon.signals.parts import Parts
from daemon.signals.scales import Scored


class KnowledgeMatch:
    """The signal. `best`, also if it isn't said: the target is the nearest of all. `threshold`: it is near enough."""

    signal = "kb"
    kind = Kind.ROUTE

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.kb
        self._parts = parts
        self.lane: Lane = "models" if rules.kb else "rules"

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each rule, and one for each metric."""
        if not self._rules or not asked.words.strip():
            return []
        seen: list[Observation] = []
        for name in dict.fromkeys(rule.kb for rule in self._rules):
            rules = [rule for rule in self._rules if rule.kb == name]
            base = self._parts.bases.get(name)
            if base is None:
                seen += [unreadable(self, rule.name, "NoKnowledgeBase") for rule in rules]
                continue
            began = perf_counter()
            found = self._scores(base, asked.words)
            labels = {label: scored.score for label, scored in found.items()}
            groups = {
                group: max((labels.get(label, 0.0) for label in members), default=0.0)
                for group, members in base.groups.items()
            }
            took_ms = (perf_counter() - began) * 1000
            seen += [self._rule(rule, base, found, groups, took_ms, len(asked.words)) for rule in rules]
            seen += self._metrics(base, labels, groups)
        return seen

    def _scores(self, base: KnowledgeBase, text: str) -> dict[str, Scored]:
        scales = self._parts.scales
        return {name: scales.scored(text, label.exemplars, base.scoring) for name, label in base.labels.items()}

    def _rule(
        self,
        rule: Rule,
        base: KnowledgeBase,
        found: dict[str, Scored],
        groups: dict[str, float],
        took_ms: float,
        scanned: int,
    ) -> Observation:
        labels = {label: scored.score for label, scored in found.items()}
        scores = labels if rule.target.kind == "label" else groups
        target = rule.target.value
        score = scores.get(target, 0.0)
        members = (target,) if rule.target.kind == "label" else base.groups.get(target, ())
        nearest = max((label for label in members if label in found), key=lambda label: labels[label], default=None)
        if rule.match == "threshold":
            matched = any(labels.get(label, -1.0) >= base.needed(label) for label in members)
        else:
            matched = target in scores and score >= max(scores.values())
        return Observation(
            signal=self.signal,
            kind=self.kind,
            name=rule.name,
            score=min(1.0, max(0.0, score)),
            value=score,
            matched=matched,
            took_ms=took_ms,
            scanned=scanned,
            held=None if nearest is None else found[nearest].held(base.needed(nearest)),
        )

    def _metrics(self, base: KnowledgeBase, labels: dict[str, float], groups: dict[str, float]) -> list[Observation]:
        near = [score for label, score in labels.items() if score >= base.needed(label)]
        values = {"best_score": max(labels.values(), default=0.0), "best_matched_score": max(near, default=0.0)}
        for metric in base.metrics:
            values[metric.name] = groups.get(metric.positive_group, 0.0) - groups.get(metric.negative_group, 0.0)
        return [
            Observation(
                signal=KB_METRIC, kind=self.kind, name=f"{base.name}:{name}", score=0.0, value=value, matched=False
            )
            for name, value in values.items()
        ]
