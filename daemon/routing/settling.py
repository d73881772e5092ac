"""From what a recipe says to who is asked: its models, as far as they are here, able and allowed."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from daemon.boundary.judge import Clearances
from daemon.confidence.judgement import Sought, Threshold
from daemon.confidence.upstream import ASKED, THRESHOLDS
from daemon.confidence.upstream import HERE as METHODS_HERE
from daemon.decision.rules import AUTO, Candidate, Decision, Offer, Policy, Route, Way, auto, runs_here
from daemon.loopers.registry import LOOPERS
from daemon.recipes.algorithms import Algorithm, Confidence
from daemon.recipes.contracts import contract_of
from daemon.recipes.model import ModelRef
from daemon.routing.binding import NOT_HERE, bind, obstacle
from daemon.routing.live import Live, Verdict
from daemon.routing.selection.choosing import STATIC, Asking, Bound, Chooser
from daemon.routing.selection.registry import SELECTORS
from providers.contract import Request, Text

CONFIDENCE = "confidence"
DOUBTFUL = "doubtful"
"""Why a request stays that a decision, which could not be judged, might have kept here."""
COLLAPSED = "collapsed"
"""The note on drafts that are not made after one that turned out otherwise than it began."""
ALGORITHM_NOT_HERE = "algorithm-not-here"
"""The note on a way of asking that this version doesn't have."""


class Scene(Struct, frozen=True):
    """What holds for one request. models: the user's own meaning of models' names in recipes."""

    clearances: Clearances
    offer: Offer
    policy: Policy
    models: Mapping[str, str]
    asking: Asking


async def settle(
    live: Live, verdict: Verdict, scene: Scene, chooser: Chooser, plugins: tuple[str, ...] = ()
) -> Decision:
    """Who answers. There is always somebody: what can't be asked is passed over, and this machine is the last resort.

    plugins: those that were applied.
    """
    route = route_of(live, verdict, plugins)
    rule = f"{live.name}/{route.decision or 'no-match'}"
    if might_stay(live, verdict, scene):
        scene = replace(scene, clearances=scene.clearances.kept_here(DOUBTFUL))
    bound, notes = usable(live, verdict.refs, scene)
    if not bound:
        return _by_itself(rule, replace(route, notes=notes), scene)
    bound, unable = chooser.capable(bound, live, scene.asking)
    route = replace(route, notes=(*notes, *unable))
    if route.algorithm == CONFIDENCE and len(bound) > 1:
        wanted = verdict.decision.algorithm.confidence if verdict.decision and verdict.decision.algorithm else None
        threshold = _threshold(wanted, scene)
        passed_over, bound = _above(bound, scene.offer.collapsed)
        if passed_over:
            route = replace(route, notes=(*route.notes, COLLAPSED))
        chooser.stay(live, route.decision or "", bound[0], scene.asking)
        drafts = [replace(each.candidate, threshold=threshold) for each in bound[:-1]]
        candidates = (*drafts, bound[-1].candidate, *(each.candidate for each in passed_over[:1]))
        route = replace(route, method=CONFIDENCE)
        return Decision(rule, "confidence", candidates, sought=_sought(wanted), route=route)
    algorithm = verdict.decision.algorithm if verdict.decision else None
    if algorithm is not None and algorithm.type in LOOPERS and algorithm.type != CONFIDENCE:
        chooser.stay(live, route.decision or "", bound[0], scene.asking)
        candidates, way = tuple(each.candidate for each in bound), _way(verdict, algorithm, bound, scene.asking.request)
        return Decision(rule, algorithm.type, candidates, route=replace(route, method=algorithm.type), way=way)
    chosen = await chooser.choose(bound, live, route.decision or "", algorithm, scene.asking)
    here = (ALGORITHM_NOT_HERE,) if route.algorithm not in (STATIC, CONFIDENCE, *SELECTORS) else ()
    first = chosen.bound[0]
    route = replace(route, notes=(*route.notes, *chosen.notes, *here), method=chosen.method, model=first.ref.model)
    return Decision(rule, "single", (first.candidate,), route=route)


def _above(bound: list[Bound], collapsed: str | None) -> tuple[list[Bound], list[Bound]]:
    """The first drafts up to the one that collapsed in the turn before, and the rest."""
    places = [place for place, each in enumerate(bound[:-1]) if each.candidate.provider == collapsed]
    begin = places[-1] + 1 if places else 0
    return bound[:begin], bound[begin:]


def might_stay(live: Live, verdict: Verdict, scene: Scene) -> bool:
    """Whether a decision that could not be judged would have kept the request on this machine,

    Then it stays: nobody knows that it may leave. A recipe that says what unknown counts as (`on_unknown`) has decided that.
    """
    for name in verdict.outcome.doubtful:
        decision = live.decisions[name]
        if decision.rules is not None and decision.rules.on_unknown is None and decision is not verdict.decision:
            named = [bind(ref.model, scene.offer, scene.models) for ref in decision.model_refs]
            there = [each for each in named if each is not None]  # the others would be passed over
            if all(runs_here(each, scene.offer) for each in there) and (there or not named):
                return True
    return False


def route_of(live: Live, verdict: Verdict, plugins: tuple[str, ...]) -> Route:
    """What the recipe said, before anybody is found."""
    decision = verdict.decision
    return Route(
        recipe=live.name,
        decision=decision.name if decision else None,
        algorithm=decision.algorithm.type if decision and decision.algorithm else STATIC,
        confidence=verdict.outcome.confidence,
        plugins=plugins,
    )


def answered_by_recipe(live: Live, verdict: Verdict, plugins: tuple[str, ...], message: str) -> Decision:
    """Nobody is asked."""
    route = route_of(live, verdict, plugins)
    return Decision(f"{live.name}/{route.decision}", "fast_response", (), route=route, message=message)


def usable(live: Live, refs: tuple[ModelRef, ...], scene: Scene) -> tuple[list[Bound], tuple[str, ...]]:
    """Those of a recipe's candidates that can be asked, in its order, and why the others can't."""
    found: list[Bound] = []
    notes: list[str] = []
    for ref in refs:
        if scene.models.get(ref.model, ref.model) == AUTO:
            continue
        candidate = bind(ref.model, scene.offer, scene.models)
        if candidate is None:
            notes.append(NOT_HERE)
        elif why := obstacle(candidate, scene.clearances, scene.offer, scene.policy):
            notes.append(DOUBTFUL if why == "private" and DOUBTFUL in scene.clearances.general.why else why)
        elif all(candidate != each.candidate for each in found):
            found.append(Bound(ref, _thinking(candidate, ref, live)))
    return found, tuple(dict.fromkeys(notes))


def _thinking(candidate: Candidate, ref: ModelRef, live: Live) -> Candidate:
    effort = ref.reasoning_effort or (live.known.effort if ref.use_reasoning else None)
    return replace(candidate, thinks=ref.use_reasoning, effort=effort if ref.use_reasoning is not False else None)


def _by_itself(rule: str, route: Route, scene: Scene) -> Decision:
    """What `auto` does without a recipe."""
    chosen = auto(scene.clearances, scene.offer, scene.policy)
    return replace(chosen, rule=rule, route=replace(route, notes=(*route.notes, chosen.rule), method=AUTO))


def _way(verdict: Verdict, algorithm: Algorithm, bound: list[Bound], request: Request) -> Way:
    decision = verdict.decision
    assert decision
    users = [message for message in request.messages if message.role == "user"]
    parts = users[-1].parts if users else ()
    return Way(
        algorithm=algorithm,
        names=tuple(each.ref.model for each in bound),
        weights=tuple(1.0 if each.ref.weight is None else each.ref.weight for each in bound),
        words=decision.output_contract or "",
        contract=contract_of(decision.output_contract_spec),
        said=" ".join(part.text for part in parts if isinstance(part, Text)),
    )


def _threshold(options: Confidence | None, scene: Scene) -> Threshold:
    """The recipe's, unless it has none or upstream's -1, which would let everything through; upstream's for a method that
    asks.
    """
    wanted = options.threshold if options else None
    if wanted is not None and wanted > 0:
        return wanted
    method = options.confidence_method if options else None
    return THRESHOLDS[method] if method in ASKED else scene.policy.threshold


def _sought(options: Confidence | None) -> Sought:
    """A recipe that names a method and a threshold for it has that score judged; a method that asks has a threshold anyway.

    One that names a threshold alone means Nearloop's own probability.
    """
    if options is not None and options.confidence_method in ASKED:
        return Sought(method=options.confidence_method)
    if options is None or options.confidence_method not in METHODS_HERE or (options.threshold or 0) <= 0:
        return Sought()
    weights = options.hybrid_weights
    shares = (weights.logprob_weight, weights.margin_weight) if weights else (0.5, 0.5)
    return Sought(method=options.confidence_method, weights=shares)
