"""Which rule a request falls under: by its model name, its clearance, its caller's rights, and the time it would take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from daemon.boundary.judge import Clearances
from daemon.boundary.staying import private
from daemon.confidence.judgement import BY_CALIBRATION, Sought, Threshold
from daemon.errors import Refused, SpendingLimit, UnknownModel
from daemon.recipes.algorithms import Algorithm
from daemon.recipes.contracts import OutputContract
from providers.cleared import Place
from providers.contract import Request
from providers.places import place_of_model

LOCAL: Final = "local"
AUTO: Final = "auto"
CLOUD: Final = "cloud"
AFTER_COLLAPSE: Final = "auto-after-collapse"
_WITH_A_NEXT: Final = frozenset({"single", "confidence"})
"""Loopers that may go on to the candidate behind the last one."""


class Candidate(Struct, frozen=True):
    """Somebody who may answer. provider `local` is this machine. threshold: how sure a draft has to be, by number or by
    what was measured of it; None for whoever is not judged.

    thinks, effort: whether and how hard it shall reason before it answers; None: as the client and its makers have it.
    """

    provider: str
    model: str
    threshold: Threshold | None = None
    thinks: bool | None = None
    effort: str | None = None

    @property
    def name(self) -> str:
        """As clients write it."""
        return f"{self.provider}/{self.model}"


class Route(Struct, frozen=True, kw_only=True):
    """What a recipe said. decision: None if none of its rules holds. confidence: where it was measured.

    algorithm: how the decision wants its candidates asked; method: how the first of them was found. model: that one, in the
    recipe's words; empty if the answers themselves decide. plugins: those that were applied. notes: why candidates of the
    recipe were passed over, as codes.
    """

    recipe: str
    decision: str | None
    algorithm: str = "static"
    method: str = ""
    model: str = ""
    confidence: float | None = None
    plugins: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Way(Struct, frozen=True):
    """How a recipe wants several candidates asked. algorithm: its options. names, weights: what the recipe calls the
    candidates, and what it gives them, in their order.

    words: what it says of the answer's form, for whoever writes it. contract: the same, to be held against. said: the last
    user's words.
    """

    algorithm: Algorithm
    names: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    words: str = ""
    contract: OutputContract | None = None
    said: str = ""


class Keyring(Struct, frozen=True):
    """How calls that may do harm get their second key. here: models of this machine, whose calls need one. seconds: those of
    them that may give it, in order. refuses: whether calls are held where none can be had and nobody else may answer.
    careful: whether a tool is offered that needs more than any answer, so that drafts are held to their end.
    """

    here: tuple[Candidate, ...]
    seconds: tuple[Candidate, ...]
    refuses: bool = False
    careful: bool = False

    def covers(self, candidate: Candidate) -> bool:
        """Whether a candidate's calls need a key."""
        return any(each.name == candidate.name for each in self.here)


class Decision(Struct, frozen=True):
    """Who may answer, in order, and the looper that asks them.

    question: its words, for judging answers by; said: the same as they stand there; sought: what kind of answer that is, and
    how it is judged. whole: whether the client reads nothing before the end, so that an answer that breaks off can still be
    replaced. within_s: how long drafts may take, together, until they are judged; None: as long as they like. route: what a
    recipe said, if one was asked. message: the answer itself, where nobody is asked. left_out: who would have been asked,
    had it been cleared for them, as clients write them. away: who could not be
    asked now, likewise, and why. way: of a recipe's looper. resumes: which work, that waits for a
    tool, the request goes on with. way_back: who answers where a looper of several finds nobody who may be asked. keyring:
    where tools are offered and it was left to Nearloop who answers. over_limit: who would have been asked, did what may be
    spent pay for it. if_spent: who answers if that turns out only when somebody is asked.
    """

    rule: str
    looper: str
    candidates: tuple[Candidate, ...]
    question: frozenset[str] = frozenset()
    said: str = ""
    sought: Sought = Sought()
    whole: bool = False
    within_s: float | None = None
    route: Route | None = None
    message: str = ""
    left_out: tuple[str, ...] = ()
    away: Mapping[str, str] = {}
    way: Way | None = None
    resumes: str | None = None
    way_back: Candidate | None = None
    over_limit: tuple[str, ...] = ()
    if_spent: Candidate | None = None
    keyring: Keyring | None = None


def _pays(_: Candidate) -> SpendingLimit | None:
    """Nothing limits what may be spent."""
    return None


class Offer(Struct, frozen=True):
    """Who is there. local: this machine's models, the default first. cloud: candidates by provider, in the user's order.

    near: models of other servers on this machine, in the user's order; device: the names of those servers. demonstration:
    whether the default model only shows that things work. slow_local: whether a local attempt is predicted to take longer
    than the user's patience; late_local: for a client that reads along, to be judged later than the cloud may be kept
    waiting; fits_local: whether the prompt may fit the model's window. blind_local: whether there are pictures, of which
    this machine's own models only read the words, so that they answer where nobody else may. online: whether any network
    is. collapsed: the provider whose answer to the turn before turned out otherwise than it began; None: that went well, or
    it is the first one. away: who can't be asked now, providers by name and models as clients write them, and why:
    `limited`, `down`, `no-credit`, `offline`. over: the limit that keeps somebody beyond this machine from being paid for;
    capped: whether there is any.
    """

    local: tuple[str, ...]
    cloud: tuple[Candidate, ...] = ()
    near: tuple[Candidate, ...] = ()
    providers: tuple[str, ...] = ()
    device: tuple[str, ...] = ()
    demonstration: bool = False
    slow_local: bool = False
    late_local: bool = False
    fits_local: bool = True
    blind_local: bool = False
    online: bool = True
    collapsed: str | None = None
    away: Mapping[str, str] = {}
    over: Callable[[Candidate], SpendingLimit | None] = _pays
    capped: bool = False

    def why_away(self, candidate: Candidate) -> str | None:
        """Why it can't be asked now; None: it can."""
        return self.away.get(candidate.provider) or self.away.get(candidate.name)


class Policy(Struct, frozen=True):
    """What the user decided. may_cloud: whether the caller may spend in the cloud. escalate_below: None: by calibration."""

    may_cloud: bool
    escalate_below: float | None

    @property
    def threshold(self) -> Threshold:
        """What drafts are held against."""
        return BY_CALIBRATION if self.escalate_below is None else self.escalate_below


def decide(request: Request, clearances: Clearances, offer: Offer, policy: Policy) -> Decision:
    """Choose for a request.

    Raises UnknownModel with the names there are, Refused if the caller may not have what it asks for, Private if what it
    asks for is in the cloud and the request has to stay here, SpendingLimit if nothing pays for it and nobody here can
    answer.
    """
    name = request.model
    provider, slash, model = name.partition("/")
    if name == LOCAL:
        return Decision("model-local", "single", (Candidate(LOCAL, offer.local[0]),))
    if provider == LOCAL and model in offer.local:
        return Decision("model-named", "single", (Candidate(LOCAL, model),))
    if name == AUTO:
        return auto(clearances, offer, policy)
    if name == CLOUD or provider in offer.providers:
        return _cloud(request, clearances, offer, policy)
    known = ", ".join(
        (AUTO, LOCAL, *(f"{LOCAL}/{model}" for model in offer.local), *(c.name for c in offer.near + offer.cloud))
    )
    if slash and provider != LOCAL:
        raise UnknownModel(f"no provider of this name is set up: `nearloop provider add` does. Models here: {known}")
    raise UnknownModel(
        f"no model has this name. Models here: {known}. What a program's own names are served as, such as `claude-*`, says "
        "`names` under [routing] in settings.toml"
    )


def auto(clearances: Clearances, offer: Offer, policy: Policy) -> Decision:
    """This machine first, and what may be asked beyond it if that is not sure. Raises SpendingLimit if nobody here can."""
    over = tuple(each.name for each in cleared(clearances, offer) if offer.over(each)) if offer.capped else ()
    decision = _auto(clearances, offer, policy)
    return replace(decision, over_limit=over) if over and policy.may_cloud else decision


def _auto(clearances: Clearances, offer: Offer, policy: Policy) -> Decision:
    local = Candidate(LOCAL, offer.local[0])
    if rule := why_here(clearances, offer, policy):
        if rule == "auto-budget":
            _require_somebody_here(cleared(clearances, offer)[0], offer)
        return _here(rule, local, offer, policy)
    drafts = _drafts(local, offer)
    cloud = paid_for(clearances, offer)
    left_out = _left_out(clearances, offer)
    if any(each.provider == offer.collapsed for each in drafts):
        higher = _above(offer.collapsed, drafts)
        candidates = (*(_draft(each, policy) for each in higher), cloud[0], local)
        return Decision(AFTER_COLLAPSE, "confidence", candidates, left_out=left_out)
    if offer.blind_local:
        candidates = (*(_draft(each, policy) for each in drafts), cloud[0], local)
        return Decision("auto-pictures", "confidence", candidates, left_out=left_out)
    if not drafts and (offer.slow_local or not offer.fits_local):
        return Decision("auto-skip-local", "single", (cloud[0],), left_out=left_out)
    if not drafts:  # late, but better than nothing
        return Decision("auto-skip-local", "confidence", (cloud[0], local), left_out=left_out)
    candidates = (*(_draft(each, policy) for each in drafts), cloud[0])
    return Decision("auto-confidence", "confidence", candidates, left_out=left_out)


def _drafts(local: Candidate, offer: Offer) -> tuple[Candidate, ...]:
    """Who on this machine is tried before the cloud. A demonstration is, only where there is no server beside it."""
    if offer.slow_local or offer.late_local or offer.blind_local or not offer.fits_local:
        return offer.near[:1]
    return offer.near[:1] or (local,) if offer.demonstration else (local, *offer.near[:1])


def cleared(clearances: Clearances, offer: Offer) -> tuple[Candidate, ...]:
    """Those beyond this machine that may see the request and can be asked now, in the user's order."""
    return tuple(each for each in _permitted(clearances, offer) if offer.why_away(each) is None)


def _permitted(clearances: Clearances, offer: Offer) -> tuple[Candidate, ...]:
    return tuple(each for each in offer.cloud if clearances.of(each.provider).reach != "device")


def _left_out(clearances: Clearances, offer: Offer) -> tuple[str, ...]:
    """Those that may not see it, as clients write them."""
    permitted = _permitted(clearances, offer)
    return tuple(each.name for each in offer.cloud if each not in permitted)


def away_from(decision: Decision, clearances: Clearances, offer: Offer) -> Decision:
    """The same, with who might have been asked and can't be now."""
    if not offer.away:
        return decision
    asked = {each.name for each in decision.candidates}
    others = (each for each in _permitted(clearances, offer) if each.name not in asked)
    away = {each.name: why for each in others if (why := offer.why_away(each)) is not None}
    return replace(decision, away=away) if away else decision


def paid_for(clearances: Clearances, offer: Offer) -> tuple[Candidate, ...]:
    """Those of them that what may be spent pays for."""
    return tuple(each for each in cleared(clearances, offer) if not offer.over(each))


def _require_somebody_here(candidate: Candidate, offer: Offer) -> None:
    """Raises SpendingLimit where no model on this machine can stand in: a demonstration's word is none."""
    if not offer.near and (offer.demonstration or not offer.fits_local):
        problem = offer.over(candidate)
        assert problem is not None
        raise problem


def why_here(clearances: Clearances, offer: Offer, policy: Policy) -> str | None:
    """The rule that keeps an answer on this machine, None if the cloud may be asked."""
    if not offer.cloud:
        return "auto-no-cloud"
    if not policy.may_cloud:
        return "auto-no-token"
    permitted = _permitted(clearances, offer)
    if not permitted:
        return "auto-private"
    if not offer.online or all(offer.why_away(each) == "offline" for each in permitted):
        return "auto-offline"
    if not cleared(clearances, offer):
        return "auto-away"
    return None if paid_for(clearances, offer) else "auto-budget"


def _here(rule: str, local: Candidate, offer: Offer, policy: Policy) -> Decision:
    """Without the cloud. A demonstration, and a model that takes too long or can't see a picture, stand in only for a server
    that fails.
    """
    if not offer.near:
        return Decision(rule, "single", (local,))
    if offer.demonstration or offer.slow_local or offer.blind_local or offer.collapsed == LOCAL:
        return Decision(rule, "confidence", (offer.near[0], local))
    return Decision(rule, "confidence", (_draft(local, policy), offer.near[0]))


def _above(collapsed: str | None, drafts: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Drafts of a higher tier than the one that collapsed."""
    places = [place for place, each in enumerate(drafts) if each.provider == collapsed]
    return drafts[places[-1] + 1 :]


def _draft(candidate: Candidate, policy: Policy) -> Candidate:
    return Candidate(candidate.provider, candidate.model, policy.threshold)


def _cloud(request: Request, clearances: Clearances, offer: Offer, policy: Policy) -> Decision:
    name = request.model
    provider, _, model = name.partition("/")
    if not policy.may_cloud:
        raise Refused(
            "a client without a token is answered on this machine only: make one with `nearloop client add NAME` and "
            "use it as the API key, or ask for the model `local`"
        )
    if name == CLOUD and offer.providers and not offer.cloud:
        raise UnknownModel(
            "`cloud` is the first model beyond this machine that a provider names in settings.toml, and none is named: "
            f"add `models` to {', '.join(offer.providers)}, or ask for PROVIDER/MODEL"
        )
    if not offer.providers:
        raise UnknownModel("no cloud provider is set up: `nearloop provider add NAME --url URL` adds one")
    if name != CLOUD and not model:
        raise UnknownModel("this is a provider's name, and it has many models: ask for one of them as PROVIDER/MODEL")
    candidate = offer.cloud[0] if name == CLOUD else Candidate(provider, model)
    clearance = clearances.of(candidate.provider)
    if clearance.reach == "device" and not runs_here(candidate, offer):
        raise private(clearance, request.id)
    if not runs_here(candidate, offer) and offer.over(candidate):
        _require_somebody_here(candidate, offer)
        local = Candidate(LOCAL, offer.local[0])
        return replace(_here("model-budget", local, offer, policy), over_limit=(candidate.name,))
    return Decision("model-cloud" if name == CLOUD else "model-named", "single", (candidate,))


def runs_here(candidate: Candidate, offer: Offer) -> bool:
    """Whether asking it stays on this machine."""
    if candidate.provider == LOCAL:
        return True
    return candidate.provider in offer.device and place_of_model(Place.DEVICE, candidate.model) is Place.DEVICE


def here_if_spent(decision: Decision, offer: Offer) -> Decision:
    """The same, but that a model here answers if others spend meanwhile what was left for whoever is asked beyond it."""
    if not offer.capped or all(runs_here(each, offer) for each in decision.candidates):
        return decision
    if offer.demonstration or not offer.fits_local:
        return replace(decision, if_spent=offer.near[0] if offer.near else None)
    return replace(decision, if_spent=Candidate(LOCAL, offer.local[0]))


def with_way_back(decision: Decision, clearances: Clearances, offer: Offer) -> Decision:
    """The same, but that this machine answers if the user, who has to be asked first, lets it leave to nobody, and if what
    several models write may not leave to those who should read it.
    """
    beyond = [each for each in decision.candidates if not runs_here(each, offer)]
    here = Candidate(LOCAL, offer.local[0])
    if decision.looper not in _WITH_A_NEXT:  # what several write may have to stay, whatever the request itself may
        return replace(decision, way_back=here) if beyond else decision
    if len(beyond) < len(decision.candidates):
        return decision
    if not any(clearances.of(each.provider).asks for each in beyond):
        return decision
    asked = decision.candidates[:1] if decision.looper == "single" else decision.candidates
    return replace(decision, looper="confidence", candidates=(*asked, here))


def of_several_answers(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Who is asked for several answers at once, which nobody drafts: what is known of how sure drafts are is of one answer.

    So whoever stands behind drafts comes first, and this machine's models, which give one, only where there is nobody else.
    """
    able = [each for each in candidates if each.provider != LOCAL] or list(candidates)
    return tuple(replace(each, threshold=None) for each in sorted(able, key=lambda each: each.threshold is not None))
