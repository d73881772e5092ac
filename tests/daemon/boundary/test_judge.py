"""How far a request may travel."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.boundary.judge import Clearance, Reach, judge, narrower
from daemon.boundary.policy import Policy, Privacy
from daemon.signals.base import Kind, Observation, Span

EMAIL = Span("messages[0].parts[0]", 0, 5, "EMAIL_ADDRESS")
TOKEN = Span("messages[0].parts[0]", 9, 20, "GITHUB_TOKEN")
PICTURE = Span("messages[0].parts[1]", 0, 0, "OPAQUE", fixed=True)
FIXED = Span("tools[0].name", 0, 5, "EMAIL_ADDRESS", fixed=True)


def seen(signal: str, *spans: Span, error: str | None = None) -> Observation:
    return Observation(signal=signal, kind=Kind.PRIVACY, name=signal, spans=spans, error=error)


@pytest.mark.parametrize(
    ("privacy", "observations", "reach"),
    [
        ("strict", (), "open"),
        ("balanced", (), "open"),
        ("open", (), "open"),
        ("strict", (seen("pii", EMAIL),), "device"),
        ("balanced", (seen("pii", EMAIL),), "masked"),
        ("open", (seen("pii", EMAIL),), "open"),
        ("strict", (seen("secret", TOKEN),), "device"),
        ("balanced", (seen("secret", TOKEN),), "masked"),
        ("open", (seen("secret", TOKEN),), "masked"),
        ("balanced", (seen("pii", EMAIL), seen("secret", TOKEN)), "masked"),
        ("balanced", (seen("pii", FIXED),), "device"),
        ("open", (seen("pii", FIXED),), "open"),
        ("open", (seen("secret", FIXED),), "device"),
        ("open", (seen("somebody's new signal", EMAIL),), "device"),
        ("open", (seen("pii", error="ValueError"),), "device"),
    ],
)
def test_presets(privacy: Privacy, observations: tuple[Observation, ...], reach: Reach) -> None:
    """Each preset keeps, masks or passes what is found; what broke, or can't be masked, or isn't known, stays."""
    assert judge(observations, (), Policy(privacy), "any").reach == reach


@pytest.mark.parametrize(("privacy", "reach"), [("strict", "device"), ("balanced", "device"), ("open", "open")])
def test_what_cannot_be_looked_at(privacy: Privacy, reach: Reach) -> None:
    """Pictures and files stay, unless the user opened the door."""
    clearance = judge((), (PICTURE,), Policy(privacy), "any")

    assert clearance.reach == reach
    assert ("not-readable" in clearance.why) == (reach == "device")


def test_the_client_can_keep_it_here() -> None:
    """`x-nearloop-reach: device` narrows the widest policy."""
    assert judge((), (), Policy("open"), "device").reach == "device"


def test_a_look_that_took_too_long_is_told_as_that() -> None:
    """The user can give it more time; one that broke is another thing."""
    for error, why in (("Late", "signal-late"), ("ValueError", "signal-failed")):
        assert judge((seen("pii", error=error),), (), Policy("open"), "any").why == (why,)


def test_a_routing_signal_narrows_nothing() -> None:
    """What a keyword rule saw is no private value, and its failure is none either."""
    route = Observation(signal="keyword", kind=Kind.ROUTE, name="mine", spans=(EMAIL,))
    broken = Observation(signal="keyword", kind=Kind.ROUTE, name="mine", error="ValueError")

    assert judge((route, broken), (), Policy("strict"), "any").reach == "open"


def test_what_the_user_let_pass() -> None:
    """Allowed spans are no findings; the others still are."""
    observations = (seen("pii", EMAIL), seen("secret", TOKEN))

    assert judge(observations, (), Policy("strict"), "any", frozenset({EMAIL, TOKEN})).reach == "open"
    left = judge(observations, (), Policy("strict"), "any", frozenset({EMAIL}))
    assert left.reach == "device"
    assert [finding.label for finding in left.findings] == ["GITHUB_TOKEN"]


def test_findings_are_counted_by_class_and_field() -> None:
    """What is told of a find is its class, how often and where, and what was done."""
    twice = Span(EMAIL.path, 7, 9, EMAIL.label)

    findings = judge((seen("pii", EMAIL, twice, FIXED),), (), Policy("balanced"), "any").findings

    assert [(f.label, f.count, f.path, f.treatment) for f in findings] == [
        ("EMAIL_ADDRESS", 2, "messages[0].parts[0]", "mask"),
        ("EMAIL_ADDRESS", 1, "tools[0].name", "stay"),
    ]


def test_where_something_was_found_is_told_without_words() -> None:
    """Keys of a JSON value are the client's own, and may be what was found: a finding names the value's place alone."""
    key = Span("tools[0].parameters/properties/ada@lovelace.dev#", 0, 16, "EMAIL_ADDRESS", fixed=True)
    other = Span("tools[0].parameters/properties/b", 0, 5, "EMAIL_ADDRESS", fixed=True)

    (finding,) = judge([seen("pii", key, other)], (), Policy("balanced"), "any").findings

    assert (finding.path, finding.count) == ("tools[0].parameters/…", 2)


def test_a_local_only_machine_keeps_everything() -> None:
    """Whatever was found or let pass, and it says why."""
    clearance = judge([seen("pii", EMAIL)], (), Policy("open"), "any", frozenset({EMAIL}), local_only=True)

    assert clearance.reach == "device"
    assert clearance.why == ("local-only",)


def test_what_opens_something_is_told_apart() -> None:
    """The classes of secrets are known to who turns aliases back."""
    clearance = judge([seen("pii", EMAIL), seen("secret", TOKEN)], (), Policy("balanced"), "any")

    assert clearance.secrets == {"GITHUB_TOKEN"}


def test_what_the_user_is_asked_about() -> None:
    """It is no reason to stay by itself; what else was found is masked as ever, and what stays anyway is no question."""
    asks = Policy("balanced", {"EMAIL_ADDRESS": "ask", "opaque": "ask"})

    clearance = judge([seen("pii", EMAIL, FIXED), seen("secret", TOKEN)], (PICTURE,), asks, "any")
    assert (clearance.reach, clearance.spans, clearance.asks) == ("masked", (TOKEN,), (EMAIL, FIXED, PICTURE))
    assert {finding.treatment for finding in clearance.findings} == {"ask", "mask"}
    let = judge([seen("pii", EMAIL)], (PICTURE,), asks, "any", frozenset({EMAIL, PICTURE}))
    assert (let.reach, let.asks) == ("open", ())
    for stays in (
        judge([seen("pii", EMAIL)], (), asks, "device"),
        judge([seen("pii", EMAIL), seen("secret", error="late")], (), asks, "any"),
        judge([seen("pii", EMAIL)], (), asks, "any", local_only=True),
    ):
        assert (stays.reach, stays.asks) == ("device", ())


def test_both_have_to_let_it_go() -> None:
    """Of two clearances the narrower reach holds, and what either wants masked is masked."""
    one = Clearance("masked", (Span("messages[0].parts[0]", 0, 3, "PERSON"),), why=(), secrets=frozenset({"API_KEY"}))
    other = Clearance("open", (Span("messages[0].parts[1]", 0, 3, "TERM"),))
    here = Clearance("device", why=("private",))

    assert narrower(one, other) == Clearance("masked", (*one.spans, *other.spans), (), (), frozenset({"API_KEY"}))
    for each in (one, other):
        assert narrower(each, here).reach == narrower(here, each).reach == "device"
    assert narrower(other, here).why == ("private",)


PHOTO = Span("messages[0].parts[1]", 0, 0, "photo", fixed=True)
PAGE = Span("messages[0].parts[1]", 0, 0, "readable_picture", fixed=True)
SEEN_EMAIL = Span("messages[0].parts[1].sight", 0, 5, "EMAIL_ADDRESS")
SEEN_TOKEN = Span("messages[0].parts[1].sight", 9, 20, "GITHUB_TOKEN")


@pytest.mark.parametrize(
    ("privacy", "observations", "reach", "painted"),
    [
        ("balanced", (seen("picture", PHOTO),), "device", ()),
        ("balanced", (seen("picture", PAGE),), "open", ()),
        ("balanced", (seen("picture", PAGE), seen("pii", SEEN_EMAIL)), "masked", (SEEN_EMAIL,)),
        ("balanced", (seen("picture", PAGE, PHOTO), seen("pii", SEEN_EMAIL)), "device", (SEEN_EMAIL,)),
        ("strict", (seen("picture", PAGE),), "device", ()),
        ("open", (seen("picture", PHOTO), seen("pii", SEEN_EMAIL)), "open", ()),
        ("open", (seen("picture", PHOTO), seen("secret", SEEN_TOKEN)), "masked", (SEEN_TOKEN,)),
        ("open", (seen("picture", PAGE), seen("pii", replace(SEEN_EMAIL, fixed=True))), "open", ()),
        ("balanced", (seen("picture", PAGE), seen("pii", replace(SEEN_EMAIL, fixed=True))), "device", ()),
        ("open", (seen("picture", error="ValueError"),), "device", ()),
    ],
)
def test_pictures(
    privacy: Privacy, observations: tuple[Observation, ...], reach: Reach, painted: tuple[Span, ...]
) -> None:
    """What they are decides whether they may leave, and what was read in them what is painted over."""
    clearance = judge(observations, (), Policy(privacy), "any")

    assert (clearance.reach, clearance.spans) == (reach, painted)


def test_a_masked_picture_shows_no_value() -> None:
    """A picture that is to leave masked has classes painted over that else may leave; texts around it keep them."""
    policy = Policy("open", {"photo": "mask"})
    clearance = judge((seen("picture", PHOTO), seen("pii", SEEN_EMAIL, EMAIL)), (), policy, "any")

    assert (clearance.reach, clearance.spans) == ("masked", (SEEN_EMAIL,))
    assert [(each.path, each.treatment) for each in clearance.findings] == [
        ("messages[0].parts[1].sight", "mask"),
        ("messages[0].parts[0]", "pass"),
    ]
