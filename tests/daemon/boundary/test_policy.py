"""What is done with what is found, by preset, by class, and by project."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from daemon import settings
from daemon.boundary.judge import judge
from daemon.boundary.policy import (
    OF_PICTURES,
    Policies,
    Policy,
    Privacy,
    Rules,
    Standing,
    Treatment,
    asks_for_doubts,
    rules_of,
)
from daemon.errors import BadSettings
from daemon.signals import machine_readable
from daemon.signals.base import Kind, Observation, Span

EMAIL = Span("messages[0].parts[0]", 0, 5, "EMAIL_ADDRESS")
PERSON = Span("messages[0].parts[0]", 9, 20, "PERSON")


def policy_of(privacy: Privacy, classes: dict[settings.Kind, settings.Treatment]) -> Policy:
    return Policies(settings.Settings(policy=settings.Policy(privacy, classes))).everybodys


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
    assert policy_of("balanced", classes).treatment(signal, label) == treatment


def test_of_one_request_each_class_has_its_own() -> None:
    """A person may leave while an address keeps the request here, and each is told apart."""
    policy = policy_of("balanced", {"PERSON": "allow", "EMAIL_ADDRESS": "device"})

    assert judge([seen(PERSON)], (), policy, "any").reach == "open"
    both = judge([seen(EMAIL, PERSON)], (), policy, "any")
    assert both.reach == "device"
    assert {(finding.label, finding.treatment) for finding in both.findings} == {
        ("EMAIL_ADDRESS", "stay"),
        ("PERSON", "pass"),
    }
    masked = judge([seen(EMAIL, PERSON)], (), policy_of("balanced", {"PERSON": "allow"}), "any")
    assert (masked.reach, masked.spans) == ("masked", (EMAIL,))


def test_a_project_goes_before_everybody() -> None:
    """A preset of its own stands alone; without one its classes go before the others."""
    everybodys = policy_of("open", {"PERSON": "device", "EMAIL_ADDRESS": "allow"})

    alone = everybodys.within(rules_of(settings.Project("balanced", {"PERSON": "allow"})))
    assert [alone.treatment("pii", label) for label in ("PERSON", "EMAIL_ADDRESS")] == ["pass", "mask"]
    more = everybodys.within(rules_of(settings.Project(None, {"PERSON": "mask"})))
    assert [more.treatment("pii", label) for label in ("PERSON", "EMAIL_ADDRESS", "US_SSN")] == ["mask", "pass", "pass"]


NOTHING = Rules()
STAYS, MASKED, PASSES = (Rules(None, {"PERSON": each}) for each in ("stay", "mask", "pass"))  # type: ignore[dict-item]
STRICT, OPEN = Rules("strict"), Rules("open")


@pytest.mark.parametrize(
    ("client", "provider", "claim", "treatment"),
    [
        (NOTHING, NOTHING, NOTHING, "mask"),
        # one of them goes before everybody's, whichever way
        (STAYS, NOTHING, NOTHING, "stay"),
        (PASSES, NOTHING, NOTHING, "pass"),
        (NOTHING, STAYS, NOTHING, "stay"),
        (NOTHING, PASSES, NOTHING, "pass"),
        (NOTHING, OPEN, NOTHING, "pass"),
        (NOTHING, STRICT, NOTHING, "stay"),
        # of both the tighter counts
        (PASSES, STAYS, NOTHING, "stay"),
        (STAYS, PASSES, NOTHING, "stay"),
        (STRICT, PASSES, NOTHING, "stay"),
        (OPEN, MASKED, NOTHING, "mask"),
        (PASSES, OPEN, NOTHING, "pass"),
        # a claim tightens what is so without it, and loosens nothing
        (NOTHING, NOTHING, STAYS, "stay"),
        (NOTHING, NOTHING, PASSES, "mask"),
        (NOTHING, NOTHING, OPEN, "mask"),
        (PASSES, NOTHING, MASKED, "mask"),
        (NOTHING, PASSES, STAYS, "stay"),
        (NOTHING, PASSES, STRICT, "stay"),
        (NOTHING, STAYS, PASSES, "stay"),
        (PASSES, PASSES, OPEN, "pass"),
    ],
)
def test_who_says_what_of_a_class(client: Rules, provider: Rules, claim: Rules, treatment: Treatment) -> None:
    """Client and provider go before everybody's policy, and of them the tighter one counts; a claim only tightens."""
    standing = Standing(Policy("balanced"), client=client, provider=provider, claim=claim)

    assert standing.treatment("pii", "PERSON") == treatment


@pytest.mark.parametrize(
    ("standing", "treatment"),
    [
        (Standing(Policy("balanced"), client=STRICT, provider=STAYS, client_here=PASSES), "pass"),
        (Standing(Policy("balanced"), client=PASSES, provider=PASSES, client_here=STAYS), "stay"),
        (Standing(Policy("balanced"), claim=STRICT, claim_here=PASSES), "mask"),
        (Standing(Policy("balanced"), provider=PASSES, claim=STRICT, claim_here=PASSES), "pass"),
        (Standing(Policy("balanced"), provider=PASSES, claim_here=STAYS), "stay"),
        (Standing(Policy("balanced"), client=STAYS, client_here=Rules(None, {"US_SSN": "pass"})), "stay"),
    ],
)
def test_what_a_project_says_of_one_provider(standing: Standing, treatment: Treatment) -> None:
    """It goes before what either says alone; a claimed project's is still held to what is so without the claim."""
    assert standing.treatment("pii", "PERSON") == treatment


def test_a_class_by_its_name_goes_before_its_signal_whoever_names_it() -> None:
    """A provider that may see all personal data does not see a class which everybody's policy names."""
    standing = Standing(Policy("balanced", {"US_SSN": "stay"}), provider=Rules(None, {"pii": "pass"}))

    assert standing.treatment("pii", "US_SSN") == "stay"
    assert standing.treatment("pii", "PERSON") == "pass"


def test_what_settings_say_reaches_the_request() -> None:
    """Client, claim and provider are found by their names; the presets that may count are named."""
    written = settings.parse(
        """
[policy]
privacy = "strict"
[providers.gateway]
base_url = "https://gateway.example/v1"
privacy = "open"
[providers.cheap]
base_url = "https://cheap.example/v1"
classes = { PERSON = "device" }
[projects.zed]
privacy = "balanced"
[projects.clinic]
privacy = "strict"
providers.gateway = { privacy = "balanced" }
"""
    )
    policies = Policies(written)

    def treated(client: str | None, claimed: str | None, provider: str | None) -> tuple[str, str]:
        standing = policies.standing(client, claimed, provider)
        return standing.treatment("pii", "PERSON"), standing.name

    assert treated(None, None, None) == ("stay", "strict")
    assert treated(None, None, "gateway") == ("pass", "open")
    assert treated(None, "clinic", "gateway") == ("mask", "open+balanced")
    assert treated("zed", None, "other") == ("mask", "balanced")
    assert treated("zed", None, "gateway") == ("mask", "balanced+open")
    assert treated("zed", None, "cheap") == ("stay", "balanced")
    assert treated("zed", "clinic", "other") == ("stay", "balanced+strict")
    assert treated("zed", "zed", "other") == ("mask", "balanced")


def test_a_rule_for_a_provider_that_is_not_there_is_refused() -> None:
    """A misspelt name would loosen or tighten nothing, and nobody would notice."""
    with pytest.raises(BadSettings, match=r"projects\.clinic\.providers\.werk"):
        settings.parse('[projects.clinic.providers.werk]\nprivacy = "strict"\n')


def test_every_class_of_personal_data_can_be_named() -> None:
    """What the rules and the head call their finds is what settings know, and nothing else."""
    folder = Path(__file__).resolve().parents[3] / "daemon" / "signals"
    sources = (
        *("pii.py", "phones.py", "national_ids.py", "personal.py", "dictionary.py", "hosts.py", "cloud_names.py"),
        *("told_names.py", "companies.py", "mentions.py"),
    )
    found = {
        label for name in sources for label in re.findall(r'"([A-Z]{2,}(?:_[A-Z]+)*)"', (folder / name).read_text())
    }

    found |= {machine_readable.LABEL}  # whose file has other words in capitals
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
        assert (policy_of(privacy, classes).treatment("doubt", "UNKNOWN_WORD") != "pass") is asked
        assert policy_of(privacy, classes).treatment("doubt", "UNKNOWN_WORD") in ("stay", "pass")


@pytest.mark.parametrize("privacy", ["strict", "balanced", "open"])
def test_pictures_by_preset(privacy: Privacy) -> None:
    """In balanced, what can be read may leave painted; nothing does in strict, and everything in open."""
    policy = policy_of(privacy, {})
    kinds = (
        "identity_document",
        "medical_picture",
        "photo",
        "explicit_picture",
        "readable_picture",
        "picture",
        "newer",
    )
    found = {kind: policy.treatment("picture", kind) for kind in kinds}

    usual: Treatment = "pass" if privacy == "open" else "stay"
    assert found == dict.fromkeys(kinds, usual) | ({"readable_picture": "mask"} if privacy == "balanced" else {})


@pytest.mark.parametrize(
    ("classes", "label", "treatment"),
    [
        ({"photo": "allow"}, "photo", "pass"),
        ({"photo": "allow"}, "identity_document", "stay"),
        ({"photo": "ask"}, "photo", "ask"),
        ({"photo": "mask"}, "photo", "mask"),
        ({"photo": "reduce"}, "photo", "mask"),
        ({"picture": "allow"}, "picture", "pass"),
        ({"picture": "allow"}, "identity_document", "stay"),
        ({"picture": "allow"}, "readable_picture", "mask"),
        ({"picture": "device"}, "readable_picture", "stay"),
        ({"picture": "ask"}, "readable_picture", "ask"),
        ({"picture": "device", "readable_picture": "allow"}, "readable_picture", "pass"),
        ({"pii": "allow"}, "photo", "stay"),
        ({"opaque": "allow"}, "photo", "stay"),
    ],
)
def test_pictures_by_class(classes: dict[settings.Kind, settings.Treatment], label: str, treatment: Treatment) -> None:
    """Each by its own name; `picture` is said of those that nobody is sure of, and only tightens what holds for others."""
    assert policy_of("balanced", classes).treatment("picture", label) == treatment


def test_pictures_by_provider() -> None:
    """One provider may see photographs, and stays bound by everything else."""
    written = settings.parse("""
[providers.gateway]
base_url = "https://gateway.example/v1"
classes = { photo = "allow", picture = "allow" }
[providers.cheap]
base_url = "https://cheap.example/v1"
classes = { picture = "device" }
""")
    gateway, cheap = (Policies(written).standing(None, None, name) for name in ("gateway", "cheap"))

    assert [gateway.treatment("picture", label) for label in ("photo", "picture", "medical_picture")] == [
        "pass",
        "pass",
        "stay",
    ]
    assert cheap.treatment("picture", "readable_picture") == "stay"


def test_each_class_of_pictures_has_a_kind() -> None:
    """What the signal says can be named in the settings, and the other way round."""
    source = (Path(__file__).parents[3] / "daemon" / "signals" / "picture_privacy.py").read_text()
    said = set(re.findall(r'^[A-Z]+: Final = "([a-z_]+)"', source, re.MULTILINE))

    assert said == OF_PICTURES
    assert set(get_args(settings.Kind)) >= OF_PICTURES
