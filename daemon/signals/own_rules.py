"""The rules of the user's settings, in a recipe's form: one set of families serves both."""

from __future__ import annotations

from daemon.recipes.signals import Context, Keyword, Signals
from daemon.settings import Signals as Settings


def rules_of(settings: Settings) -> Signals:
    """What settings.toml says under [signals]."""
    return Signals(
        keywords=tuple(
            Keyword(name=name, keywords=rule.keywords, operator=rule.operator, case_sensitive=rule.case_sensitive)
            for name, rule in settings.keywords.items()
        ),
        context=tuple(
            Context(name=name, min_tokens=band.min_tokens, max_tokens=band.max_tokens)
            for name, band in settings.context.items()
        ),
    )
