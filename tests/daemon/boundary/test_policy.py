"""What is done with what is found, by preset, by class, and by project."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from daemon import settings
from daemon.boundary.judge import judge
from daemon.boundary.policy import Policy, Treatment, asks_for_doubts, policy_of, strictest
from daemon.errors import BadSettings
from daemon.signals.base import Kind, Observation, Span

EMAIL = Span("messages[0].parts[0]", 0, 5, "EMAIL_ADDRESS")
PERSON = Span("messages[0].parts[0]", 9, 20, "PERSON")


def seen(*spans: Span) -> Observation:
    return Observation(signal="pii", kind=Kind.PRIVACY, name="pii", spans=spans)


@pytest.mark.parametrize(
    ("classes", "signal", "label", "treatment"),
    [
        ({}, "pii", "PERSON", "mask"),
        ({"PERSON": "allow"}, "pii", "PERSON", "pass"),
        ({"PERSON": "allow"}, "pii", "EMAIL_ADDRESS", "mask"),
        ({"pii": "device"}, "pii", "PERSON", "stay"),
        ({"pii": "device", "PERSON": "mask"}, "pii", "PERSON", "mask"),
        ({"secret": "device"}, "secret", "GITHUB_TOKEN", "stay"),
        ({"opaque": "allow"}, "opaque", "opaque", "pass"),
        ({"opaque": "mask"}, "opaque", "opaque", "stay"),
        ({"opaque": "reduce"}, "opaque", "opaque", "stay"),
        ({}, "code", "CODE_NAME", "pass"),
        ({"code": "reduce"}, "code", "CODE_NAME", "mask"),
        ({"code": "device"}, "code", "CODE_NAME", "stay"),
        ({"implicit": "reduce"}, "implicit", "IMPLICIT_IDENTITY", "reduce"),
        ({"implicit": "mask"}, "implicit", "IMPLICIT_IDENTITY", "reduce"),
        ({"implicit": "device"}, "implicit", "IMPLICIT_IDENTITY", "stay"),
        ({"pii": "allow"}, "somebody's new signal", "X", "stay"),
    ],
)
def test_a_class_goes_before_its_signal_and_both_before_the_preset(
    classes: dict[settings.Kind, settings.Treatment], signal: str, label: str, treatment: Treatment
) -> None:
    """What settings say of one kind is done; what nobody knows stays."""
    assert policy_of(settings.Policy("balanced", classes)).treatment(signal, label) == treatment


def test_of_one_request_each_class_has_its_own() -> None:
    """A person may leave while an address keeps the request here, and each is told apart."""
    policy = policy_of(settings.Policy("balanced", {"PERSON": "allow", "EMAIL_ADDRESS": "device"}))

    assert judge([seen(PERSON)], (), (policy,), "any").reach == "open"
    both = judge([seen(EMAIL, PERSON)], (), (policy,), "any")
    assert both.reach == "device"
    assert {(finding.label, finding.treatment) for finding in both.findings} == {
        ("EMAIL_ADDRESS", "stay"),
        ("PERSON", "pass"),
    }
    masked = judge([seen(EMAIL, PERSON)], (), (policy_of(settings.Policy("balanced", {"PERSON": "allow"})),), "any")
    assert (masked.reach, masked.spans) == ("masked", (EMAIL,))


def test_a_project_goes_before_everybody() -> None:
    """A preset of its own stands alone; without one its classes go before the others."""
    everybodys = policy_of(settings.Policy("open", {"PERSON": "device", "EMAIL_ADDRESS": "allow"}))

    alone = everybodys.within(settings.Project("balanced", {"PERSON": "allow"}))
    assert [alone.treatment("pii", label) for label in ("PERSON", "EMAIL_ADDRESS")] == ["pass", "mask"]
    more = everybodys.within(settings.Project(None, {"PERSON": "mask"}))
    assert [more.treatment("pii", label) for label in ("PERSON", "EMAIL_ADDRESS", "US_SSN")] == ["mask", "pass", "pass"]


def test_a_claim_only_tightens() -> None:
    """Of two policies the one counts that lets less out, class by class."""
    policies = Policy("strict", {"PERSON": "pass"}), Policy("balanced", {"EMAIL_ADDRESS": "pass", "PERSON": "mask"})

    assert strictest(policies, "pii", "PERSON") == "mask"
    assert strictest(policies, "pii", "EMAIL_ADDRESS") == "stay"
    assert judge([seen(PERSON)], (), policies, "any").reach == "masked"


def test_every_class_of_personal_data_can_be_named() -> None:
    """What the rules and the head call their finds is what settings know, and nothing else."""
    folder = Path(__file__).resolve().parents[3] / "daemon" / "signals"
    sources = ("pii.py", "phones.py", "national_ids.py", "personal.py", "dictionary.py")
    found = {
        label for name in sources for label in re.findall(r'"([A-Z]{2,}(?:_[A-Z]+)*)"', (folder / name).read_text())
    }

    named = {kind for kind in get_args(settings.Kind) if kind.isupper()}
    assert named <= found
    assert {label for label in found if len(label) > 3} - named == {"ADDRESS"}  # the head's own word for a street's


def test_a_kind_that_nobody_finds_is_refused() -> None:
    """A slip must not let something out: it is told with its place."""
    with pytest.raises(BadSettings, match=r"policy\.classes.*EMIAL"):
        settings.parse('[policy.classes]\nEMIAL = "device"\n')
    with pytest.raises(BadSettings, match=r"policy\.classes.*hide"):
        settings.parse('[policy.classes]\nPERSON = "hide"\n')


@pytest.mark.parametrize(
    ("privacy", "classes", "asked"),
    [
        ("strict", {}, True),
        ("balanced", {}, False),
        (None, {}, False),
        ("strict", {"doubt": "allow"}, False),
        ("open", {"doubt": "device"}, True),
        ("balanced", {"doubt": "mask"}, True),
    ],
)
def test_doubts_are_looked_for_where_they_keep_anything(privacy: Any, classes: Any, asked: bool) -> None:
    """By the preset, or by a class that says otherwise; what nobody knows can't be masked, so it stays."""
    written = settings.Project(privacy=privacy, classes=classes)

    assert asks_for_doubts(written) is asked
    if privacy is not None:
        assert (policy_of(settings.Policy(privacy, classes)).treatment("doubt", "UNKNOWN_WORD") != "pass") is asked
        assert policy_of(settings.Policy(privacy, classes)).treatment("doubt", "UNKNOWN_WORD") in ("stay", "pass")
