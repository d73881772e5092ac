"""Which rule a request falls under: by its model name, its clearance, its caller's rights, and the time it would take."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from daemon.boundary.judge import Clearance
from daemon.errors import Private, Refused, UnknownModel
from providers.contract import Request

LOCAL: Final = "local"
AUTO: Final = "auto"
CLOUD: Final = "cloud"


class Candidate(Struct, frozen=True):
    """Somebody who may answer. provider `local` is this machine. threshold: None for whoever is not judged."""

    provider: str
    model: str
    threshold: float | None = None

    @property
    def name(self) -> str:
        """As clients write it."""
        return f"{self.provider}/{self.model}"


class Decision(Struct, frozen=True):
    """Who may answer, in order, and the looper that asks them.

    question: its words, for judging answers by. whole: whether the client reads nothing before the end, so that an answer
    that breaks off can still be replaced.
    """

    rule: str
    looper: str
    candidates: tuple[Candidate, ...]
    question: frozenset[str] = frozenset()
    whole: bool = False


class Offer(Struct, frozen=True):
    """Who is there. local: this machine's models, the default first. cloud: candidates by provider, in the user's order.

    slow_local: whether a local attempt is predicted to take longer than the user's patience. online: whether any network is.
    """

    local: tuple[str, ...]
    cloud: tuple[Candidate, ...] = ()
    providers: tuple[str, ...] = ()
    slow_local: bool = False
    online: bool = True


class Policy(Struct, frozen=True):
    """What the user decided. may_cloud: whether the caller may spend in the cloud."""

    may_cloud: bool
    escalate_below: float


def decide(request: Request, clearance: Clearance, offer: Offer, policy: Policy) -> Decision:
    """Choose for a request.

    Raises UnknownModel with the names there are, Refused if the caller may not have what it asks for, Private if what it
    asks for is in the cloud and the request has to stay here.
    """
    name = request.model
    provider, slash, model = name.partition("/")
    if name == LOCAL:
        return Decision("model-local", "single", (Candidate(LOCAL, offer.local[0]),))
    if provider == LOCAL and model in offer.local:
        return Decision("model-named", "single", (Candidate(LOCAL, model),))
    if name == AUTO:
        return _auto(clearance, offer, policy)
    if name == CLOUD or provider in offer.providers:
        return _cloud(name, provider, model, clearance, offer, policy)
    known = ", ".join((AUTO, LOCAL, *(f"{LOCAL}/{model}" for model in offer.local), *(c.name for c in offer.cloud)))
    if slash and provider != LOCAL:
        raise UnknownModel(f"no provider of this name is set up: `nearloop provider add` does. Models here: {known}")
    raise UnknownModel(f"no model has this name. Models here: {known}")


def _auto(clearance: Clearance, offer: Offer, policy: Policy) -> Decision:
    local = Candidate(LOCAL, offer.local[0])
    if not offer.cloud:
        return Decision("auto-no-cloud", "single", (local,))
    if not policy.may_cloud:
        return Decision("auto-no-token", "single", (local,))
    if clearance.reach == "device":
        return Decision("auto-private", "single", (local,))
    if not offer.online:
        return Decision("auto-offline", "single", (local,))
    if offer.slow_local:
        return Decision("auto-skip-local", "single", (offer.cloud[0],))
    judged = Candidate(LOCAL, offer.local[0], policy.escalate_below)
    return Decision("auto-confidence", "confidence", (judged, offer.cloud[0]))


def _cloud(name: str, provider: str, model: str, clearance: Clearance, offer: Offer, policy: Policy) -> Decision:
    if not policy.may_cloud:
        raise Refused(
            "a client without a token is answered on this machine only: make one with `nearloop client add NAME` and "
            "use it as the API key, or ask for the model `local`"
        )
    if name == CLOUD and offer.providers and not offer.cloud:
        raise UnknownModel(
            "`cloud` is the first model that a provider names in settings.toml, and none is named: add `models` to "
            f"{', '.join(offer.providers)}, or ask for PROVIDER/MODEL"
        )
    if not offer.providers:
        raise UnknownModel("no cloud provider is set up: `nearloop provider add NAME --url URL` adds one")
    if clearance.reach == "device":
        raise Private(_why_private(clearance))
    candidate = offer.cloud[0] if name == CLOUD else Candidate(provider, model)
    return Decision("model-cloud" if name == CLOUD else "model-named", "single", (candidate,))


_WHY: Final = {
    "asked": "the client asked for that",
    "private": "it holds private values",
    "not-maskable": "a private value stands where nothing can be replaced",
    "not-readable": "a part of it can't be looked at",
    "signal-failed": "a privacy check failed",
}


def _why_private(clearance: Clearance) -> str:
    """What keeps a request here, in words without any of it."""
    reasons = "; ".join(_WHY[code] for code in clearance.why)
    found = ", ".join(f"{finding.count} {finding.label} in {finding.path}" for finding in clearance.findings)
    return (
        f"this request stays on this machine: {reasons}{f' ({found})' if found else ''}. Ask for `local`, or let it pass "
        "with `nearloop allow ID --once`, where ID is the header x-nearloop-record"
    )
