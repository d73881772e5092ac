"""What holds for any recipe: nothing leaves that may not, and previews and answers are the same decision."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.boundary.judge import Clearance, Clearances
from daemon.decision.engine import Outcome
from daemon.decision.rules import Offer, Policy, runs_here
from daemon.errors import NoCandidate
from daemon.recipes.algorithms import Algorithm
from daemon.recipes.conditions import Branch, Leaf
from daemon.recipes.model import Decision as Rule
from daemon.recipes.model import ModelRef
from daemon.recipes.plugins import Plugin, SystemPrompt
from daemon.routing.edition import edition_of
from daemon.routing.live import Verdict
from daemon.routing.plugins.registry import apply
from daemon.routing.settling import might_stay, settle
from daemon.routing.sources import source
from providers.texts import fields
from tests.fakes.asking import asking
from tests.fakes.recipes import of, struct
from tests.fakes.routing import HOUSE, OFFER, PRIVATE, chooser, recipe, scene

NAMES = st.sampled_from(
    ["local", "cloud", "auto", "work/big", "near/other", "local/coder", "nobody", "far/away", "coder"]
)
REFS = st.lists(st.builds(ModelRef, model=NAMES, use_reasoning=st.sampled_from([None, True, False])), max_size=4).map(
    tuple
)
REACHES = st.sampled_from(["open", "masked", "device"]).map(Clearance)
CLEARANCES = st.builds(Clearances, REACHES, st.dictionaries(st.sampled_from(["work", "near", "other"]), REACHES))
POLICIES = st.builds(Policy, may_cloud=st.booleans(), escalate_below=st.just(0.5))
OFFERS = st.builds(
    lambda near, cloud, online, slow, demo: replace(
        OFFER,
        near=OFFER.near if near else (),
        cloud=OFFER.cloud if cloud else (),
        online=online,
        slow_local=slow,
        demonstration=demo,
    ),
    *[st.booleans()] * 5,
)


LIVE = recipe("MODEL local {}\nROUTE rest { MODEL local }")
ALGORITHMS = struct(Algorithm)
PLUGINS = st.lists(of(Plugin), max_size=4).map(tuple)


@st.composite
def verdicts(draw: st.DrawFn) -> tuple[Verdict, dict[str, Rule]]:
    """A decision that was taken, and others that might have been, each with candidates that may be anybody."""
    condition = Branch(operator="AND", conditions=(Leaf(type="domain", name="law"),))
    rules = {name: Rule(name=name, model_refs=draw(REFS), rules=condition) for name in ("taken", "doubted", "open")}
    rules["taken"] = replace(rules["taken"], algorithm=draw(st.none() | ALGORITHMS))
    doubtful = tuple(draw(st.lists(st.sampled_from(["doubted", "open"]), unique=True)))
    outcome = Outcome(decision="taken", reason="only", ranked=("taken",), doubtful=doubtful)
    return Verdict(rules["taken"], rules["taken"].model_refs, outcome), rules


@given(verdicts(), CLEARANCES, POLICIES, OFFERS)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_nobody_is_asked_who_may_not_be(
    drawn: tuple[Verdict, dict[str, Rule]], clearances: Clearances, policy: Policy, offer: Offer
) -> None:
    """Whatever a recipe says: beyond this machine only for who may, with what may leave, and there is always somebody."""
    verdict, LIVE.decisions = drawn
    here = scene(clearances, offer, policy)
    try:
        decision = asyncio.run(settle(LIVE, verdict, here, chooser()))
        again = asyncio.run(settle(LIVE, verdict, here, chooser()))
    except NoCandidate:
        assert verdict.decision
        assert verdict.decision.algorithm
        assert verdict.decision.algorithm.type == "multi_factor"
        return

    stays = might_stay(LIVE, verdict, here)
    assert decision.candidates
    assert decision == again
    for candidate in decision.candidates:
        if not runs_here(candidate, offer):
            assert policy.may_cloud
            assert clearances.of(candidate.provider).reach != "device"
            assert offer.online
            assert not stays


@given(PLUGINS, st.text(max_size=50))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_plugins_add_only_what_the_recipe_says(plugins: tuple[Plugin, ...], said: str) -> None:
    """Each text of a rewritten request is the client's or the recipe's, and no plugin breaks on any configuration."""
    request = asking(said)
    changed, _ = apply(request, plugins)

    prompts = [each.configuration.system_prompt for each in plugins if isinstance(each.configuration, SystemPrompt)]
    known = {field.text for field in fields(request)} | set(prompts) | {f"{prompt}\n\n" for prompt in prompts}
    assert {field.text for field in fields(changed.request)} <= known


@pytest.mark.parametrize("name", ["accuracy", "balance", "feedback", "privacy"])
async def test_upstreams_recipes_route_on_a_bare_laptop(name: str) -> None:
    """None of their models is set up, none of their signals' models is here: this machine answers, and it is said why."""
    folder = Path(__file__).resolve().parents[2] / "recorded" / "vsr" / "config" / "recipes" / name
    live = edition_of(source("config.yaml", folder), HOUSE).lives["default"]

    verdict = live.verdict(await live.observe(asking("what is the capital of Peru?")))
    decision = await settle(live, verdict, scene(PRIVATE), chooser())

    assert decision.candidates
    assert all(runs_here(each, OFFER) for each in decision.candidates)
    live.retire()
