"""Upstream's own cases of plugins and of model selection, as far as this version has the parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from daemon.routing.live import Live
from daemon.routing.plugins.registry import PLUGINS, apply
from daemon.routing.settling import settle
from daemon.signals.base import Kind, Observation
from providers.contract import Text
from tests.fakes.asking import asking
from tests.fakes.routing import OFFER, chooser, recipe, scene

CASES = Path(__file__).resolve().parents[2] / "recorded" / "vsr" / "e2e"
BLOCKED = """
SIGNAL pii any {}
ROUTE blocked { PRIORITY 9 WHEN pii("any") PLUGIN fast_response { message: "Blocked." } }
ROUTE rest { MODEL "local" PLUGIN system_prompt { system_prompt: "You are an expert." } }
MODEL local {}
"""
UNSEEN = {
    "Contact me at john.doe@example.com": "this domain is reserved for examples, and nobody's",
    "Process payment with card 4532-1234-5678-9012": "its check digit is wrong: this is no card's number",
    "Connect to 2001:0db8:85a3:0000:0000:8a2e:0370:7334 for the service": "this network is reserved for documentation",
}
"""What is not found, and why."""


def cases(name: str) -> list[Any]:
    found = json.loads((CASES / f"{name}.json").read_text())
    return list(found["test_cases"] if isinstance(found, dict) else found)


async def test_plugin_chains() -> None:
    """20 of 23 by rules alone: personal data ends the chain with a fixed answer, all else gets the prompt."""
    live = recipe(BLOCKED)
    missed = set()

    for case in cases("plugin_chain_cases"):
        request = asking(case["query"])
        verdict = live.verdict(await live.observe(request))
        assert verdict.decision
        changed, done = apply(request, verdict.decision.plugins)
        if (changed.message is not None) != case["expect_pii_block"]:
            missed.add(case["query"])
        elif not case["expect_pii_block"]:
            assert done == ("system_prompt",)
            assert changed.request.messages[0].parts == (Text("You are an expert."),)
    assert missed == UNSEEN.keys()
    assert len(cases("plugin_chain_cases")) == 23


def by_domain(names: set[str], body: str) -> Live:
    """A recipe with a decision for each domain, and a catch-all."""
    routes = "".join(
        f'SIGNAL domain "{name}" {{}} ROUTE {name} {{ PRIORITY 10 WHEN domain("{name}") {body} }}\n'
        for name in sorted(names)
    )
    return recipe(f"MODEL local {{}}\nMODEL coder {{}}\n{routes} ROUTE other_decision {{ {body} }}")


async def verdict(live: Live, domain: str, said: str) -> Any:
    """With the domain that a case names in place of a classifier's word."""
    seen = [each for each in await live.observe(asking(said)) if each.signal != "domain"]
    found = Observation(signal="domain", kind=Kind.ROUTE, name=domain, score=0.7)
    return live.verdict((*seen, *((found,) if domain != "other_decision" else ())))


async def test_plugin_configurations() -> None:
    """10 of 18: each decision's own system prompt is what is sent. The other 8 are of response_cache, which isn't here."""
    asked = [case for case in cases("plugin_config_cases") if case["plugin_type"] in PLUGINS]
    live = by_domain(
        {case["expected_decision"] for case in asked},
        'MODEL "local" PLUGIN system_prompt { system_prompt: "As an expert." }',
    )

    for case in asked:
        found = await verdict(live, case["expected_decision"], case["query"])
        assert found.decision.name == case["expected_decision"]
        changed, _ = apply(asking(case["query"]), found.decision.plugins)
        assert changed.request.messages[0].parts == (Text("As an expert."),)
    assert (len(asked), len(cases("plugin_config_cases"))) == (10, 18)
    assert {case["plugin_type"] for case in cases("plugin_config_cases")} - PLUGINS.keys() == {"response_cache"}


async def test_model_selection() -> None:
    """20 of 20, by the fall-back that `check` warns of: trained selectors aren't here, and the first candidate answers.

    It is one of those that a case expects, so this shows the fall-back, and not that the choice is a good one.
    """
    for case in cases("model_selection_cases"):
        names = case["expected_models"]
        listed = ", ".join(f'"{name}"' for name in names)
        live = by_domain({case["decision"]}, f"MODEL {listed} ALGORITHM {case['algorithm']} {{}}")
        here = scene(offer=replace(OFFER, local=tuple(names)))

        decision = await settle(live, await verdict(live, case["decision"], case["query"]), here, chooser())

        assert decision.route
        assert (decision.route.decision, decision.route.algorithm) == (case["decision"], case["algorithm"])
        assert decision.route.model == names[0]
        assert "algorithm-not-here" in decision.route.notes
