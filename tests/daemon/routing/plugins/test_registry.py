"""Tests of all plugins of a decision together."""

from __future__ import annotations

import pytest

from daemon.recipes.availability import PLUGINS as SAID
from daemon.recipes.plugins import FastResponse, HeaderMutation, Plugin, RequestParams, SystemPrompt, Tools
from daemon.routing.plugins.registry import PLUGINS, apply, is_on
from providers.contract import Message, Text
from tests.fakes.asking import asking

REQUEST = asking("hello")
PROMPT = Plugin(type="system_prompt", configuration=SystemPrompt(system_prompt="Be brief."))


def test_what_check_says_is_here_is_here() -> None:
    """`nearloop recipe check` warns of exactly the others. Replay is the record, which needs no plugin."""
    assert set(PLUGINS) == SAID - {"router_replay"}


def test_order() -> None:
    """They work in the table's order, whatever the recipe's; names tell which did."""
    limit = Plugin(type="request_params", configuration=RequestParams(max_tokens_limit=5))

    changed, done = apply(REQUEST, (PROMPT, limit))
    other, _ = apply(REQUEST, (limit, PROMPT))

    assert done == ("request_params", "system_prompt")
    assert changed == other
    assert changed.request.sampling.max_tokens == 5
    assert changed.request.messages[0] == Message("system", (Text("Be brief."),))


def test_a_fixed_answer_ends_it() -> None:
    """What comes behind has nobody to prepare the request for."""
    fixed = Plugin(type="fast_response", configuration=FastResponse(message="No."))

    changed, done = apply(REQUEST, (PROMPT, fixed))

    assert (changed.message, changed.request, done) == ("No.", REQUEST, ("fast_response",))


@pytest.mark.parametrize("enabled", [None, True, False])
def test_switched_off(enabled: bool | None) -> None:
    """Only what says so is off; without a configuration there is nothing to do."""
    assert is_on(Plugin(type="tools", configuration=Tools(enabled=enabled, mode="none"))) is (enabled is not False)
    assert not is_on(Plugin(type="tools"))
    assert is_on(Plugin(type="header_mutation", configuration=HeaderMutation()))


def test_without_plugins_it_is_the_same_request() -> None:
    """Nothing is looked at twice for nothing."""
    changed, done = apply(REQUEST, ())

    assert changed.request is REQUEST
    assert done == ()
