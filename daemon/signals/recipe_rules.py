"""The signals that a recipe defines, as far as they are here: a table for the Observer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daemon.recipes.model import Routing
from daemon.recipes.signals import Pii as PiiRule
from daemon.recipes.signals import Signals as RecipeSignals
from daemon.recipes.values import tokens
from daemon.settings import ContextBand, Keywords, Signals
from daemon.signals.base import Kind, Observation, Signal
from daemon.signals.context import ContextLength
from daemon.signals.keyword import KeywordRules
from daemon.signals.per_text import PerText
from daemon.signals.pii import Pii
from daemon.signals.secret import Secrets
from providers.contract import Request
from providers.texts import Field

LOOKED: Final = frozenset({"keyword", "context", "pii", "secret"})
"""Families that look; nothing is known of the others' rules."""


def recipe_signals(routing: Routing) -> dict[str, Callable[[Signals], Signal]]:
    """By family. The settings that each is called with are the user's own, and play no part here."""
    rules = routing.signals
    own = Signals(keywords=_keywords(rules), context=_bands(rules))
    return {
        "keyword": lambda _: KeywordRules(own),
        "context": lambda _: _Bands(own),
        "pii": lambda _: _Personal(rules.pii),
        "secret": lambda _: _Secret(tuple(rule.name for rule in rules.secret)),
    }


def _keywords(rules: RecipeSignals) -> dict[str, Keywords]:
    """Whatever the method, whole words are looked for; `availability` warns of others."""
    return {
        rule.name: Keywords(keywords=rule.keywords, operator=rule.operator or "OR", case_sensitive=rule.case_sensitive)
        for rule in rules.keywords
    }


def _bands(rules: RecipeSignals) -> dict[str, ContextBand]:
    return {
        rule.name: ContextBand(
            min_tokens=tokens(rule.min_tokens or 0) or 0,
            max_tokens=None if rule.max_tokens is None else tokens(rule.max_tokens),
        )
        for rule in rules.context
    }


class _Bands:
    """Bands of lengths, without the length itself, which is no rule."""

    signal = "context"
    kind = Kind.ROUTE

    def __init__(self, own: Signals) -> None:
        self._length = ContextLength(own)

    def look(self, request: Request, fields: tuple[Field, ...]) -> list[Observation]:
        """One observation for each band that the request falls into."""
        return self._length.look(request, fields)[1:]


class _Personal:
    """Personal data, rule by rule."""

    signal = "pii"
    kind = Kind.PRIVACY

    def __init__(self, rules: tuple[PiiRule, ...]) -> None:
        self._rules = rules
        self._all = PerText(Pii())

    def look(self, request: Request, fields: tuple[Field, ...]) -> list[Observation]:
        """One observation for each rule and each type that it doesn't allow."""
        if not self._rules:
            return []
        found = self._all.look(request, fields)
        return [
            _renamed(seen, rule.name)
            for rule in self._rules
            for seen in found
            if seen.label not in rule.pii_types_allowed and seen.score >= (rule.threshold or 0.0)
        ]


class _Secret:
    """Keys and passwords, for each rule's name."""

    signal = "secret"
    kind = Kind.PRIVACY

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._all = PerText(Secrets())

    def look(self, request: Request, fields: tuple[Field, ...]) -> list[Observation]:
        """One observation for each rule and label."""
        found = self._all.look(request, fields) if self._names else []
        return [_renamed(seen, name) for name in self._names for seen in found]


def _renamed(seen: Observation, name: str) -> Observation:
    return Observation(
        signal=seen.signal,
        kind=seen.kind,
        name=name,
        label=seen.label,
        score=seen.score,
        value=seen.value,
        spans=seen.spans,
        took_ms=seen.took_ms,
        scanned=seen.scanned,
    )
