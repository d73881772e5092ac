"""Which rule a request falls under."""

from __future__ import annotations

import pytest

from daemon.decision.rules import Candidate, decide
from daemon.errors import Refused, UnknownModel
from providers.contract import Message, Request, Text

LOCAL = ("mine", "smollm2")


def request(model: str) -> Request:
    return Request(id="0" * 16, model=model, messages=(Message("user", (Text("hi"),)),), protocol="test")


@pytest.mark.parametrize(
    ("name", "rule", "model"),
    [
        ("auto", "model-auto", "mine"),
        ("local", "model-local", "mine"),
        ("local/smollm2", "model-named", "smollm2"),
        ("local/mine", "model-named", "mine"),
    ],
)
def test_local_names(name: str, rule: str, model: str) -> None:
    """`auto` and `local` are the first model of this machine, `local/NAME` is the one named."""
    decision = decide(request(name), LOCAL, may_cloud=False)

    assert (decision.rule, decision.candidates) == (rule, (Candidate("local", model),))


@pytest.mark.parametrize("name", ["gpt-4o", "local/other", "other/big-model", "local/", "/mine", "AUTO"])
def test_unknown_names(name: str) -> None:
    """A name that nobody has is refused with those there are, and without quoting it."""
    with pytest.raises(UnknownModel) as caught:
        decide(request(name), LOCAL, may_cloud=True)

    assert "local/mine" in str(caught.value)
    assert f" {name} " not in str(caught.value)


def test_cloud_needs_a_token() -> None:
    """Who may not have cloud answers is told how to get the right; who may is told that there is no provider."""
    with pytest.raises(Refused, match="client add"):
        decide(request("cloud"), LOCAL, may_cloud=False)
    with pytest.raises(UnknownModel, match="no cloud provider"):
        decide(request("cloud"), LOCAL, may_cloud=True)
