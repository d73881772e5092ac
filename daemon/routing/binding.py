"""From a model's name in a recipe to who that is here, and whether it may be asked now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from daemon.boundary.judge import Clearances
from daemon.decision.rules import CLOUD, LOCAL, Candidate, Offer, Policy, runs_here

Obstacle = Literal["no-token", "private"] | str
"""Or why it can't be asked now: `offline`, `limited`, `down`, `no-credit`, `budget`."""
NOT_HERE: Final = "not-set-up"
"""The note on a name that means nobody here."""


def bind(name: str, offer: Offer, own: Mapping[str, str]) -> Candidate | None:
    """Who a recipe means. own: the user's names for that. None: nobody who is set up.

    A name without a slash may be a local model's bare name, or that of a model which a provider lists first.
    """
    name = own.get(name, name)
    if name == LOCAL:
        return Candidate(LOCAL, offer.local[0])
    if name == CLOUD:
        return offer.cloud[0] if offer.cloud else None
    provider, _, model = name.partition("/")
    if provider == LOCAL and model in offer.local:
        return Candidate(LOCAL, model)
    if model and provider in offer.providers:
        return Candidate(provider, model)
    if name in offer.local:
        return Candidate(LOCAL, name)
    return next((each for each in (*offer.near, *offer.cloud) if each.model == name), None)


def obstacle(candidate: Candidate, clearances: Clearances, offer: Offer, policy: Policy) -> Obstacle | None:
    """What keeps a candidate from being asked. The boundary and the socket ask again, each for itself."""
    if runs_here(candidate, offer):
        return None
    if not policy.may_cloud:
        return "no-token"
    if clearances.of(candidate.provider).reach == "device":
        return "private"
    if away := offer.why_away(candidate) or (None if offer.online else "offline"):
        return away
    return "budget" if offer.over(candidate) else None
