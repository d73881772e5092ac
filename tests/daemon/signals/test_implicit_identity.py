"""The family `implicit`: asked for by a policy, of what users and models said."""

from __future__ import annotations

from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Observation
from daemon.signals.implicit_identity import WhoCouldBeGuessed
from daemon.signals.parts import Parts
from providers.contract import Message, Request, Text
from providers.texts import fields

TOLD = "The only surgeon in Tucson was fired in 2019."


def look(role: str, *reduce: str) -> list[Observation]:
    message = Message(role, (Text(TOLD),))  # type: ignore[arg-type]
    request = Request(id="0" * 16, model="cloud", messages=(message,), protocol="test")
    return WhoCouldBeGuessed(Signals(), Parts(guard=True, reduce=frozenset(reduce))).look(
        Asked(request, fields(request))
    )


def test_nobody_looks_unless_a_policy_asks() -> None:
    """Nor is a system prompt looked at, which speaks of roles."""
    assert look("user") == []
    assert look("user", "code") == []
    assert look("system", "implicit") == []


def test_what_is_seen_is_marked_as_not_validated() -> None:
    """In what users say and in what models said before."""
    for role in ("user", "assistant"):
        (seen,) = look(role, "implicit")
        assert (seen.signal, seen.label, seen.validated) == ("implicit", "IMPLICIT_IDENTITY", False)
        assert TOLD[seen.spans[0].start : seen.spans[0].end] == "The only surgeon in Tucson"
