"""The family `secret`: what the rule finds, for the boundary and for a recipe's rules."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.recipes.signals import Signals
from daemon.signals.as_read import InAnyWriting
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.packed import Unpacked
from daemon.signals.parts import Parts
from daemon.signals.per_text import PerText
from daemon.signals.secret import Secrets


class SecretData:
    """One observation for each label under the family's own name, with its places, if somebody guards them; and one for
    each rule and label, without places, since the same ones would count twice.
    """

    signal = "secret"
    kind = Kind.PRIVACY
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._names = tuple(rule.name for rule in rules.secret)
        self._guard = parts.guard
        self._all = PerText(InAnyWriting(Unpacked(Secrets())))

    def look(self, asked: Asked) -> list[Observation]:
        """What the rules see."""
        if not self._guard and not self._names:
            return []
        found = self._all.look(asked)
        named = [replace(seen, name=name, spans=()) for name in self._names for seen in found]
        return [*(found if self._guard else ()), *named]
