"""The family `implicit`: who could be guessed by what is told of them, looked for where a policy asks for it."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.implicit.identity import ImplicitIdentity
from daemon.signals.parts import Parts
from daemon.signals.per_text import PerText
from providers.contract import Request
from providers.texts import Field, seen_in


class WhoCouldBeGuessed:
    """One observation with all places, if a policy asks. Of what users and models said: a system prompt speaks of roles."""

    signal = "implicit"
    kind = Kind.PRIVACY
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._wanted = parts.guard and self.signal in parts.reduce
        self._all = PerText(ImplicitIdentity())

    def look(self, asked: Asked) -> list[Observation]:
        """What the rule sees."""
        if not self._wanted:
            return []
        said = tuple(field for field in asked.fields if is_said(asked.request, field))
        return [replace(seen, validated=False) for seen in self._all.look(Asked(asked.request, said, asked.until))]


def is_said(request: Request, field: Field) -> bool:
    """Whether a text is of a message by anybody but the system."""
    if (field.fixed and seen_in(field.path) is None) or not field.path.startswith("messages["):
        return False
    return request.messages[int(field.path[len("messages[") : field.path.index("]")])].role != "system"
