"""How far one request may travel to each provider."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon import settings
from daemon.boundary.approvals import Approvals
from daemon.boundary.papers import Papers
from daemon.boundary.policy import Policies
from daemon.recipes.signals import Signals
from daemon.signals.base import Kind, Observation, Span
from daemon.signals.registry import FAMILIES
from providers.contract import Request
from tests.fakes.asking import asking, without_models

SAID = "Write to ada@lovelace.dev"
EMAIL = Span("messages[0].parts[0]", 9, 25, "EMAIL_ADDRESS")
SETTINGS = """
[providers.gateway]
base_url = "https://gateway.example/v1"
classes = { EMAIL_ADDRESS = "allow" }
[providers.cheap]
base_url = "https://cheap.example/v1"
privacy = "strict"
[providers.plain]
base_url = "https://plain.example/v1"
[projects.zed]
harmless = ["Ada@Lovelace.dev"]
[projects.clinic]
privacy = "strict"
"""
FOUND = Observation(signal="pii", kind=Kind.PRIVACY, name="pii", spans=(EMAIL,))


@pytest.fixture
def approvals(tmp_path: Path) -> Approvals:
    return Approvals(tmp_path / "approvals.json")


def papers(
    approvals: Approvals,
    *found: Observation,
    request: Request | None = None,
    written: str = SETTINGS,
    harmless: frozenset[str] = frozenset(),
    local_only: bool = False,
) -> Papers:
    parsed = settings.parse(written)
    asked = request or asking(SAID)
    return Papers(asked, found, Policies(parsed), approvals, tuple(parsed.providers), harmless, local_only)


def reaches(issued: Papers) -> dict[str, str]:
    names = ("gateway", "cheap", "plain", "another")
    return {name: issued.clearances.of(name).reach for name in names}


def test_each_provider_has_its_own(approvals: Approvals) -> None:
    """One sees the address, one an alias, one nothing; who has no rules is held to everybody's."""
    issued = papers(approvals, FOUND)

    assert reaches(issued) == {"gateway": "open", "cheap": "device", "plain": "masked", "another": "masked"}
    assert [finding.treatment for finding in issued.clearances.of("cheap").findings] == ["stay"]
    assert issued.clearances.of("cheap").policy == "strict"
    assert issued.clearances.of("gateway").policy == "balanced"


def test_a_claim_counts_whoever_asks(approvals: Approvals) -> None:
    """A program with a token, too, is held to the stricter policy of the project that it works in."""
    for client in (None, "zed", "other"):
        request = asking(SAID.replace("ada@", "eve@"), client=client, project="clinic")
        assert set(reaches(papers(approvals, FOUND, request=request)).values()) == {"device"}


def test_harmless_values_are_the_clients_own(approvals: Approvals) -> None:
    """What a project calls harmless is so for the client of that label, and not for who claims to be it."""
    known, claimed = asking(SAID, client="zed"), asking(SAID, project="zed")

    assert set(reaches(papers(approvals, FOUND, request=known)).values()) == {"open"}
    assert reaches(papers(approvals, FOUND, request=claimed))["plain"] == "masked"


def test_what_was_let_pass_may_leave_to_all(approvals: Approvals) -> None:
    """`nearloop allow` names no provider, and is over when the request has left."""
    issued = papers(approvals, FOUND)
    issued.remember()
    approvals.allow("0" * 16, "once")

    again = papers(approvals, FOUND)
    assert set(reaches(again).values()) == {"open"}
    again.left()
    assert reaches(papers(approvals, FOUND))["cheap"] == "device"


def test_local_only_is_for_all(approvals: Approvals) -> None:
    """The switch goes before every rule."""
    assert set(reaches(papers(approvals, FOUND, local_only=True)).values()) == {"device"}


WHATEVER = """
[policy]
privacy = "open"
classes = {{ pii = "{word}", secret = "{word}", opaque = "{word}" }}
[providers.gateway]
base_url = "https://gateway.example/v1"
privacy = "{privacy}"
[providers.cheap]
base_url = "https://cheap.example/v1"
classes = {{ pii = "{word}", secret = "{word}" }}
[projects.zed]
privacy = "{privacy}"
classes = {{ pii = "{word}" }}
providers.gateway = {{ privacy = "{privacy}", classes = {{ secret = "{word}" }} }}
"""
PRIVATE = sorted(
    name for name, make in FAMILIES.items() if make(Signals(), without_models(guard=True)).kind is Kind.PRIVACY
)


def test_there_are_signals_of_privacy() -> None:
    """What the next test is about."""
    assert {"pii", "secret"} <= set(PRIVATE)


@pytest.mark.parametrize("signal", PRIVATE)
@pytest.mark.parametrize("privacy", ["strict", "balanced", "open"])
@pytest.mark.parametrize("word", ["device", "mask", "allow"])
def test_a_signal_that_failed_keeps_it_here(approvals: Approvals, signal: str, privacy: str, word: str) -> None:
    """Whatever broke, was late or could not read, and whatever the rules of everybody, client and provider say."""
    written = WHATEVER.format(word=word, privacy=privacy)
    for error in ("ValueError", "late", "unscanned"):
        broken = Observation(signal=signal, kind=Kind.PRIVACY, name=signal, error=error)
        for client in (None, "zed"):
            issued = papers(approvals, FOUND, broken, request=asking(SAID, client=client), written=written)

            assert set(reaches(issued).values()) == {"device"}
            assert "signal-failed" in issued.clearances.of("gateway").why
