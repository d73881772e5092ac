"""Who asks: roles of clients, by their tokens.

Upstream believes identity headers that a proxy has set. There is no proxy here, so a header is nobody's word: a user is the
label of the token that a request came with, and groups are what settings.toml gives that client. Without a token a request
has no role.
"""

from __future__ import annotations

from daemon.recipes.signals import RoleBinding, Signals
from daemon.signals.base import Asked, Kind, Lane, Observation
from daemon.signals.parts import Parts


class Roles:
    """The signal: the names of the bindings that hold for the caller, and the roles that they give."""

    signal = "authz"
    kind = Kind.ROUTE
    lane: Lane = "rules"

    def __init__(self, rules: Signals, parts: Parts) -> None:
        self._rules = rules.role_bindings
        self._parts = parts

    def look(self, asked: Asked) -> list[Observation]:
        """One observation for each name and each role."""
        client = asked.request.client
        if client is None:
            return []
        groups = self._parts.groups(client)
        held = [rule for rule in self._rules if _holds(rule, client, groups)]
        names = dict.fromkeys(name for rule in held for name in (rule.name, rule.role))
        return [Observation(signal=self.signal, kind=self.kind, name=name) for name in names]


def _holds(rule: RoleBinding, client: str, groups: tuple[str, ...]) -> bool:
    return any(
        subject.name == client if subject.kind == "User" else subject.name in groups for subject in rule.subjects
    )
