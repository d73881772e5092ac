"""Tests of who is asked for what a recipe says."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from daemon.decision.rules import Candidate, Decision, Policy
from daemon.routing.settling import Scene, settle
from tests.fakes.asking import asking
from tests.fakes.routing import BIG, MAY, NEAR, OFFER, PRIVATE, chooser, recipe, scene
from tests.fakes.sights import shown, unseen

SMALL, CODER = Candidate("local", "small"), Candidate("local", "coder")
RECIPE: Final = """
SIGNAL keyword code {{ keywords: ["code"] }}
MODEL local {{}}
MODEL local/coder {{}}
MODEL cloud {{}}
MODEL near/other {{}}
MODEL auto {{}}
MODEL "far/away" {{}}
ROUTE code {{ WHEN keyword("code") {body} }}
"""


async def settled(body: str, here: Scene, said: str = "code") -> Decision:
    live = recipe(RECIPE.format(body=body))
    return await settle(live, live.verdict(await live.observe(asking(said))), here, chooser())


async def test_the_first_that_is_here() -> None:
    """Models that nobody set up are passed over, and said to be."""
    decision = await settled('MODEL "far/away", "local/coder", "local"', scene())

    assert (decision.rule, decision.looper, decision.candidates) == ("default/code", "single", (CODER,))
    assert decision.route
    assert decision.route.notes == ("not-set-up",)
    assert (decision.route.decision, decision.route.model) == ("code", "local/coder")


async def test_reasoning_goes_with_its_model() -> None:
    """How hard a model shall think is its candidate's."""
    decision = await settled('MODEL "cloud" (reasoning = true, effort = "high")', scene())

    assert decision.candidates == (replace(BIG, thinks=True, effort="high"),)


async def test_confidence_drafts_all_but_the_last() -> None:
    """Each but the last is judged, by the recipe's threshold if it has one."""
    plain = await settled('MODEL "local", "cloud" ALGORITHM confidence {}', scene())
    strict = await settled('MODEL "local", "cloud" ALGORITHM confidence { threshold: 0.9 }', scene())
    open_to_all = await settled('MODEL "local", "cloud" ALGORITHM confidence { threshold: -1 }', scene())

    assert plain.looper == "confidence"
    assert plain.candidates == (replace(SMALL, threshold=0.5), BIG)
    assert strict.candidates == (replace(SMALL, threshold=0.9), BIG)
    assert open_to_all.candidates == plain.candidates
    assert {each.sought.method for each in (plain, strict, open_to_all)} == {""}


async def test_after_a_collapse_drafts_begin_behind_it() -> None:
    """Who collapsed is the last resort; a collapse of somebody else, or of the last one, changes nothing."""
    body = 'MODEL "local", "near/other", "cloud" ALGORITHM confidence {}'

    def after(collapsed: str) -> Scene:
        return scene(offer=replace(OFFER, collapsed=collapsed))

    local, near, cloud = [await settled(body, after(each)) for each in ("local", "near", "work")]

    draft = replace(NEAR, threshold=0.5)
    assert local.candidates == (draft, BIG, SMALL)
    assert local.route
    assert local.route.notes == ("collapsed",)
    assert near.candidates == (BIG, SMALL)
    assert cloud.candidates == (replace(SMALL, threshold=0.5), draft, BIG)
    assert cloud.route
    assert cloud.route.notes == ()


async def test_a_named_method_is_judged_by_its_own_score() -> None:
    """A threshold beside a method was chosen for it; without a threshold ours is judged, but for methods that ask."""
    margin = await settled(
        'MODEL "local", "cloud" ALGORITHM confidence { confidence_method: "hybrid", threshold: 0.6,'
        " hybrid_weights: { logprob_weight: 0.2, margin_weight: 0.8 } }",
        scene(),
    )
    bare = await settled('MODEL "local", "cloud" ALGORITHM confidence { confidence_method: "margin" }', scene())
    other = await settled(
        'MODEL "local", "cloud" ALGORITHM confidence { confidence_method: "self_verify", threshold: 0.6 }', scene()
    )

    assert (margin.sought.method, margin.sought.weights) == ("hybrid", (0.2, 0.8))
    asks = await settled(
        'MODEL "local", "cloud" ALGORITHM confidence { confidence_method: "automix_entailment" }', scene()
    )
    assert (bare.sought.method, other.sought.method) == ("", "self_verify")
    assert other.candidates == (replace(SMALL, threshold=0.6), BIG)
    assert asks.sought.method == "automix_entailment"
    assert asks.candidates == (replace(SMALL, threshold=0.7), BIG)


async def test_without_a_number_what_was_measured_decides() -> None:
    """Neither the recipe nor the user names a threshold: drafts are held against their calibration."""
    undecided = scene(policy=Policy(may_cloud=True, escalate_below=None))

    decision = await settled('MODEL "local", "cloud" ALGORITHM confidence {}', undecided)

    assert decision.candidates == (replace(SMALL, threshold="calibrated"), BIG)


@pytest.mark.parametrize(
    ("here", "note"),
    [
        (scene(PRIVATE), "private"),
        (scene(policy=Policy(may_cloud=False, escalate_below=0.5)), "no-token"),
        (scene(offer=replace(OFFER, online=False)), "offline"),
    ],
)
async def test_the_cloud_is_left_out_where_it_may_not_be_asked(here: Scene, note: str) -> None:
    """What stands beside it answers then, and this machine if nothing does."""
    beside = await settled('MODEL "cloud", "near/other"', here)
    alone = await settled('MODEL "cloud"', here)
    drafted = await settled('MODEL "local", "cloud" ALGORITHM confidence {}', here)

    assert beside.candidates == (NEAR,)
    assert beside.route
    assert note in beside.route.notes
    assert all(each.provider in ("local", "near") for each in alone.candidates)
    assert (drafted.looper, drafted.candidates) == ("single", (SMALL,))


async def test_auto_in_a_recipe() -> None:
    """`auto` is what it is without a recipe: this machine first, and the cloud if that is not sure."""
    decision = await settled('MODEL "auto"', scene(offer=replace(OFFER, near=())))

    assert decision.rule == "default/code"
    assert decision.looper == "confidence"
    assert decision.candidates == (replace(SMALL, threshold=0.5), BIG)
    assert decision.route
    assert decision.route.notes == ("auto-confidence",)


async def test_no_decision_holds() -> None:
    """Then it is as without a recipe, and the record says so."""
    decision = await settled('MODEL "local/coder"', scene(PRIVATE), said="hello")

    assert decision.rule == "default/no-match"
    assert decision.route
    assert decision.route.decision is None
    assert all(each.provider in ("local", "near") for each in decision.candidates)


async def test_an_algorithm_that_is_not_here() -> None:
    """The first candidate answers, as `check` warned."""
    decision = await settled('MODEL "local/coder", "local" ALGORITHM automix {}', scene())

    assert (decision.looper, decision.candidates) == ("single", (CODER,))


async def test_the_users_own_names() -> None:
    """Settings say who a name in a recipe is; `auto` can be one of them."""
    coder = await settled('MODEL "far/away"', scene(policy=MAY, **{"far/away": "local/coder"}))
    left = await settled('MODEL "far/away"', scene(**{"far/away": "auto"}))

    assert coder.candidates == (CODER,)
    assert left.route
    assert left.route.notes == ("auto-confidence",)


DOUBT: Final = """
SIGNAL domain law {}
MODEL local {}
MODEL cloud {}
ROUTE law (%s) { PRIORITY 9 WHEN domain("law") MODEL %s }
ROUTE rest { MODEL "cloud" }
"""


@pytest.mark.parametrize(
    ("options", "models", "candidates"),
    [
        ('description = "x"', '"local"', (SMALL,)),
        ('description = "x"', '"cloud"', (BIG,)),
        ('description = "x"', '"local", "cloud"', (BIG,)),
        ('on_unknown = "no_match"', '"local"', (BIG,)),
    ],
)
async def test_what_might_have_stayed_stays(options: str, models: str, candidates: tuple[Candidate, ...]) -> None:
    """A decision that no model could judge, and that would have kept a request here, keeps it, unless the recipe said."""
    live = recipe(DOUBT % (options, models))
    verdict = live.verdict(await live.observe(asking("hello")))
    decision = await settle(live, verdict, scene(offer=replace(OFFER, near=())), chooser())

    assert decision.rule == "default/rest"
    assert decision.candidates == candidates


@pytest.mark.parametrize(
    ("body", "stays"),
    [
        ('MODEL "far/away", "local"', True),
        ('MODEL "local"', True),
        ('MODEL "far/away"', False),
        ('MODEL "far/away", "cloud"', False),
        ('MODEL "far/away", "near/other"', True),
    ],
)
async def test_in_doubt_those_count_who_would_have_been_asked(body: str, stays: bool) -> None:
    """A decision that can't be judged keeps a request here if all of its models that are set up run here, and there is one."""
    live = recipe(
        f'SIGNAL image code {{ kinds: ["ui"] }} MODEL local {{}} MODEL cloud {{}} MODEL near/other {{}} MODEL "far/away" {{}}'
        f'ROUTE doubtful {{ PRIORITY 2 WHEN image("code") {body} }} ROUTE rest {{ MODEL "cloud" }}'
    )
    request = shown("x", unseen())

    decision = await settle(live, live.verdict(await live.observe(request)), scene(request=request), chooser())

    assert (BIG in decision.candidates) is not stays
