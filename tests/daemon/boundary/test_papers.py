"""How far one request may travel to each provider."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon import settings
from daemon.boundary.approvals import Approvals
from daemon.boundary.desk import Desk
from daemon.boundary.holds import Answer, Hold, Holds, State
from daemon.boundary.papers import Papers
from daemon.boundary.policy import Policies
from daemon.boundary.vault import Vault
from daemon.errors import NotPainted, Private
from daemon.recipes.signals import Signals
from daemon.signals.base import Kind, Observation, Span
from daemon.signals.registry import FAMILIES
from providers.contract import File, Image, Line, Message, Request, Sight, Text
from tests.fakes.asking import asking, without_models
from tests.fakes.clock import HeldClock

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
    holds: Holds | None = None,
) -> Papers:
    parsed = settings.parse(written)
    asked = request or asking(SAID)
    holds = holds or Holds(approvals, HeldClock(), 60.0)
    desk = Desk(Policies(parsed), approvals, holds, Vault(b"k" * 32), tuple(parsed.providers))
    desk.harmless = harmless
    return Papers(desk, asked, found, local_only)


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


ASKS = """
[policy]
classes = { EMAIL_ADDRESS = "ask", opaque = "ask" }
[providers.gateway]
base_url = "https://gateway.example/v1"
[providers.other]
base_url = "https://other.example/v1"
[providers.trusted]
base_url = "https://trusted.example/v1"
classes = { EMAIL_ADDRESS = "allow" }
"""


def answering(approvals: Approvals, *answers: Answer, wait_s: float = 60.0) -> tuple[Holds, list[Hold]]:
    """A user who gives one answer after the other as soon as something waits, and what was asked."""
    asked: list[Hold] = []

    def told(hold: Hold, state: State) -> None:
        if state == "waiting":
            asked.append(hold)
            if len(asked) <= len(answers):
                loop = asyncio.get_running_loop()
                task = loop.create_task(holds.answer(hold.id, answers[len(asked) - 1]))
                tasks.add(task)
                task.add_done_callback(tasks.discard)

    tasks: set[asyncio.Task[Hold]] = set()
    holds = Holds(approvals, HeldClock(), wait_s, told)
    return holds, asked


async def test_the_user_is_asked_for_each_provider(approvals: Approvals) -> None:
    """A yes is for the provider that it was asked about, and for this request; who may see it anyway is no question."""
    holds, asked = answering(approvals, "allow", "allow")
    issued = papers(approvals, FOUND, written=ASKS, holds=holds)

    assert (await issued.clearance("trusted", "big")).reach == "open"
    assert asked == []
    for _ in range(2):
        assert (await issued.clearance("gateway", "big")).reach == "open"
    assert [hold.question.provider for hold in asked] == ["gateway"]
    await issued.clearance("other", "small")
    assert [hold.question.provider for hold in asked] == ["gateway", "other"]
    assert [each.outcome for each in issued.asked] == ["allowed", "allowed"]
    assert papers(approvals, FOUND, written=ASKS).clearances.of("gateway").asks == (EMAIL,)


async def test_what_is_asked(approvals: Approvals) -> None:
    """Class, field, the very words, and what would stand there instead."""
    holds, asked = answering(approvals, "allow")
    await papers(approvals, FOUND, written=ASKS, holds=holds).clearance("gateway", "big")

    (find,) = asked[0].question.finds
    assert (find.label, find.count, find.path, find.words) == ("EMAIL_ADDRESS", 1, EMAIL.path, ("ada@lovelace.dev",))
    assert len(find.masked) == 1
    assert "lovelace" not in find.masked[0]


async def test_it_may_leave_masked(approvals: Approvals) -> None:
    """Then what was asked about is masked, as if the policy said so."""
    holds, asked = answering(approvals, "mask")
    clearance = await papers(approvals, FOUND, written=ASKS, holds=holds).clearance("gateway", "big")

    assert (clearance.reach, clearance.spans, clearance.asks) == ("masked", (EMAIL,), ())
    assert asked[0].question.may_mask


async def test_a_no_is_for_all(approvals: Approvals) -> None:
    """Nobody else is asked about the request, and it stays; who may see it anyway still may."""
    holds, asked = answering(approvals, "deny")
    issued = papers(approvals, FOUND, written=ASKS, holds=holds)

    for provider in ("gateway", "other"):
        with pytest.raises(Private, match=f"didn't let it leave .1 EMAIL_ADDRESS.*nearloop allow {'0' * 16} --once"):
            await issued.clearance(provider, "big")
    assert len(asked) == 1
    assert issued.clearances.of("gateway").why == ("denied",)
    assert (await issued.clearance("trusted", "big")).reach == "open"


async def test_nobody_answers(approvals: Approvals) -> None:
    """After its time the request stays."""
    holds, _ = answering(approvals, wait_s=0.01)

    with pytest.raises(Private, match="nobody answered in time"):
        await papers(approvals, FOUND, written=ASKS, holds=holds).clearance("gateway", "big")
    assert holds.waiting == ()


async def test_a_picture_is_asked_about(approvals: Approvals) -> None:
    """What can't be looked at can be let leave, and can't be masked; a yes for good is for that very picture."""
    picture = Message("user", (Text("what is it?"), Image("data:image/png;base64,AAAA")))
    request = asking("x", client="zed", messages=(picture,))
    holds, asked = answering(approvals, "allow")

    clearance = await papers(approvals, request=request, written=ASKS, holds=holds).clearance("gateway", "big")

    assert (clearance.reach, clearance.asks) == ("open", ())
    assert not asked[0].question.may_mask
    assert asked[0].question.finds[0].label == "OPAQUE"
    approvals.keep("zed", None, "provider:gateway", asked[0].question.hashes, "project")
    again = papers(approvals, request=request, written=ASKS)
    assert again.clearances.of("gateway").asks == ()
    assert again.clearances.of("other").asks != ()
    other = asking("x", client="zed", messages=(replace(picture, parts=(Image("data:image/png;base64,BBBB"),)),))
    assert papers(approvals, request=other, written=ASKS).clearances.of("gateway").asks != ()


SEEN = Image(
    "data:image/png;base64,AAAA",
    sight=Sight(
        form="png",
        width=640,
        height=480,
        text="Jane Keller",
        lines=(Line(0, 11, ((0.0, 0.0), (99.0, 0.0), (99.0, 9.0), (0.0, 9.0))),),
        kinds={"photo": 0.9},
    ),
)
PICTURE = Message("user", (Text("what is it?"), SEEN))
PHOTO = Observation(
    signal="picture",
    kind=Kind.PRIVACY,
    name="picture",
    spans=(Span("messages[0].parts[1]", 0, 0, "photo", fixed=True),),
)
NAME = Span("messages[0].parts[1].sight", 0, 11, "PERSON", fixed=True)
NAMED = Observation(signal="pii", kind=Kind.PRIVACY, name="pii", spans=(NAME,))
ASKS_FOR_PHOTOS = ASKS.replace("classes = { EMAIL_ADDRESS", 'classes = { photo = "ask", EMAIL_ADDRESS', 1)


async def test_a_photograph_is_asked_about(approvals: Approvals) -> None:
    """What is told of it is what it looks like and what was found in it, and no word; let as it is, it is not painted."""
    request = asking("x", messages=(PICTURE,))
    holds, asked = answering(approvals, "allow")
    issued = papers(approvals, PHOTO, NAMED, request=request, written=ASKS_FOR_PHOTOS, holds=holds)
    clearance = await issued.clearance("gateway", "big")

    (find,) = asked[0].question.finds
    assert (find.label, find.path, find.masked) == ("photo", "messages[0].parts[1]", ())
    assert find.words == ("png, 640x480, looks like photo (90%); found in it: 1 PERSON",)
    assert (clearance.reach, clearance.spans) == ("masked", (replace(NAME, fixed=False),))


async def test_a_photograph_may_leave_painted(approvals: Approvals) -> None:
    """Masked means that nothing that was found in it can be read, whatever the policy says of its class."""
    request = asking("x", messages=(PICTURE,))
    holds, asked = answering(approvals, "mask")
    written = ASKS_FOR_PHOTOS.replace("[policy]", '[policy]\nprivacy = "open"')
    issued = papers(approvals, PHOTO, NAMED, request=request, written=written, holds=holds)
    clearance = await issued.clearance("gateway", "big")

    assert asked[0].question.may_mask
    assert (clearance.reach, clearance.spans) == ("masked", (replace(NAME, fixed=False),))


async def test_words_in_pictures_are_asked_about(approvals: Approvals) -> None:
    """By the question that there is for words; in their place nothing would stand that can be read."""
    request = asking("x", messages=(PICTURE,))
    holds, asked = answering(approvals, "mask")
    written = ASKS.replace("classes = { EMAIL_ADDRESS", 'classes = { PERSON = "ask", photo = "allow", EMAIL_ADDRESS', 1)
    issued = papers(approvals, PHOTO, NAMED, request=request, written=written, holds=holds)
    clearance = await issued.clearance("gateway", "big")

    (find,) = asked[0].question.finds
    assert (find.label, find.words, find.masked) == ("PERSON", ("Jane Keller",), ("[painted over]",))
    assert clearance.spans == (replace(NAME, fixed=False),)


def test_a_picture_of_which_nothing_is_known_is_opaque(approvals: Approvals) -> None:
    """Where the signal that says what pictures are is silent, or would leave as it is, `opaque` decides."""
    request = asking("x", messages=(PICTURE,))
    assert papers(approvals, request=request).clearances.of("plain").why == ("not-readable",)
    document = File("data:application/pdf;base64,AA==", "a.pdf", Sight(form="pdf", text="words"))
    request = asking("x", messages=(Message("user", (document,)),))
    page = replace(PHOTO, spans=(Span("messages[0].parts[0]", 0, 0, "readable_picture", fixed=True),))
    assert papers(approvals, page, request=request).clearances.of("plain").why == ("not-readable",)


def test_a_picture_is_let_pass_once(approvals: Approvals) -> None:
    """`nearloop allow` lets this very picture pass, and what was found in it."""
    request = asking("x", messages=(PICTURE,))
    issued = papers(approvals, PHOTO, NAMED, request=request)
    assert issued.clearances.of("plain").why == ("private",)
    issued.remember()
    approvals.allow("0" * 16, "once")

    assert papers(approvals, PHOTO, NAMED, request=request).clearances.of("plain").reach == "open"
    other = asking(
        "x", messages=(replace(PICTURE, parts=(Text("and it?"), replace(SEEN, url="data:image/png;base64,BB"))),)
    )
    assert papers(approvals, PHOTO, NAMED, request=other).clearances.of("plain").reach == "device"


def test_what_is_left_in_painted_pictures(approvals: Approvals) -> None:
    """Whatever may not leave; what was let pass or may be seen there is none; a signal that failed is no answer."""
    request = asking("x", messages=(PICTURE,))
    page = replace(PHOTO, spans=(Span("messages[0].parts[1]", 0, 0, "readable_picture", fixed=True),))
    issued = papers(approvals, page, NAMED, request=request)
    opened = papers(approvals, PHOTO, NAMED, request=request, written='policy = { privacy = "open" }')
    wholly = papers(
        approvals, PHOTO, NAMED, request=request, written='policy = { privacy = "open", classes = { photo = "mask" } }'
    )

    for provider in ("plain", "another"):
        assert issued.left_in_pictures(provider, request, (NAMED,)) == {"messages[0].parts[1]": [NAME]}
    assert issued.left_in_pictures("plain", request, (PHOTO,)) == {}
    assert opened.left_in_pictures("another", request, (NAMED,)) == {}
    assert wholly.left_in_pictures("another", request, (NAMED,)) == {"messages[0].parts[1]": [NAME]}
    with pytest.raises(NotPainted):
        opened.left_in_pictures("another", request, (replace(NAMED, spans=(), error="Late"),))


async def test_what_stays_anyway_is_no_question(approvals: Approvals) -> None:
    """Who can't be let leave is not asked about: a failed signal, and the switch."""
    holds, asked = answering(approvals, "allow")
    broken = Observation(signal="secret", kind=Kind.PRIVACY, name="secret", error="ValueError")

    for issued in (
        papers(approvals, FOUND, broken, written=ASKS, holds=holds),
        papers(approvals, FOUND, written=ASKS, holds=holds, local_only=True),
    ):
        with pytest.raises(Private) as caught:
            await issued.clearance("gateway", "big")
        assert "nearloop allow" not in str(caught.value)
    assert asked == []


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
@pytest.mark.parametrize("word", ["device", "ask", "mask", "allow"])
def test_a_signal_that_failed_keeps_it_here(approvals: Approvals, signal: str, privacy: str, word: str) -> None:
    """Whatever broke, was late or could not read, and whatever the rules of everybody, client and provider say."""
    written = WHATEVER.format(word=word, privacy=privacy)
    for error in ("ValueError", "late", "unscanned"):
        broken = Observation(signal=signal, kind=Kind.PRIVACY, name=signal, error=error)
        for client in (None, "zed"):
            issued = papers(approvals, FOUND, broken, request=asking(SAID, client=client), written=written)

            assert set(reaches(issued).values()) == {"device"}
            assert "signal-failed" in issued.clearances.of("gateway").why


TOLD = Span("messages[0].parts[0]", 0, 5, "IMPLICIT")
TELLING = Observation(signal="implicit", kind=Kind.PRIVACY, name="implicit", spans=(TOLD,))
WITH_REDUCTION = """
[policy]
classes = { implicit = "reduce" }
[providers.gateway]
base_url = "https://gateway.example/v1"
classes = { implicit = "allow" }
[providers.cheap]
base_url = "https://cheap.example/v1"
classes = { implicit = "device" }
[providers.open]
base_url = "https://open.example/v1"
privacy = "open"
[providers.asking]
base_url = "https://asking.example/v1"
classes = { EMAIL_ADDRESS = "ask" }
[providers.whole]
base_url = "https://whole.example/v1"
classes = { EMAIL_ADDRESS = "ask", implicit = "allow" }
"""


def test_who_gets_the_request_said_with_less(approvals: Approvals) -> None:
    """Only who may have it but for telling of somebody; a preset says nothing of that, and one provider's rule is its own."""
    issued = papers(approvals, TELLING, written=WITH_REDUCTION)
    less = asking("It is about someone.")
    assert issued.identifying
    assert issued.say_with_less(less, ())

    gets = {name: issued.less(name) for name in ("gateway", "cheap", "open", "asking")}
    assert gets == {"gateway": None, "cheap": None, "open": less, "asking": less}
    assert {name: issued.clearances.of(name).reach for name in gets} == {
        "gateway": "open",
        "cheap": "device",
        "open": "open",
        "asking": "open",
    }
    assert [finding.treatment for finding in issued.clearances.of("open").findings] == ["reduce"]


def test_what_still_tells_is_said_to_nobody(approvals: Approvals) -> None:
    """The request said with less is judged as any other."""
    issued = papers(approvals, TELLING, written=WITH_REDUCTION)

    assert not issued.say_with_less(asking("My uncle"), (TELLING,))
    assert issued.less("open") is None
    assert issued.clearances.of("open").reach == "device"


async def test_the_user_is_asked_about_what_would_leave(approvals: Approvals) -> None:
    """What is held, and left, is the request said with less."""
    holds = Holds(approvals, HeldClock(), 60.0)
    issued = papers(approvals, TELLING, written=WITH_REDUCTION, holds=holds)
    less = asking(SAID)
    assert issued.say_with_less(less, (FOUND,))
    assert issued.clearances.of("asking").asks == (EMAIL,)

    waiting = asyncio.ensure_future(issued.clearance("asking", "m"))
    while not holds.waiting:
        await asyncio.sleep(0)
    (hold,) = holds.waiting
    await holds.answer(hold.id, "allow")
    assert (await waiting).reach == "open"
    assert [each.outcome for each in issued.asked] == ["allowed"]


BEHIND = asking("", messages=(Message("user", (Text(""), Text("Ask ada@lovelace.dev or eve@lovelace.dev"))),))
ADA, EVE = Span("messages[0].parts[1]", 4, 20, "EMAIL_ADDRESS"), Span("messages[0].parts[1]", 24, 40, "EMAIL_ADDRESS")


def told(*spans: Span) -> tuple[Observation, ...]:
    return (Observation(signal="pii", kind=Kind.PRIVACY, name="pii", spans=spans),)


def test_words_of_others_are_judged_for_each_provider(approvals: Approvals) -> None:
    """One sees an address in them, one an alias, one nothing, whatever was in the request itself."""
    issued = papers(approvals)

    words = {name: issued.behind(name, BEHIND, told(ADA), "") for name in ("gateway", "cheap", "plain")}
    assert {name: each.reach for name, each in words.items()} == {
        "gateway": "open",
        "cheap": "device",
        "plain": "masked",
    }
    assert words["plain"].spans == (ADA,)
    broken = Observation(signal="secret", kind=Kind.PRIVACY, name="secret", error="late")
    assert issued.behind("gateway", BEHIND, (broken,), "").reach == "device"


async def test_what_was_let_pass_passes_in_answers_too(approvals: Approvals) -> None:
    """The same value, to the same provider, without a second question; another value stays, and nobody is asked about it."""
    holds, asked = answering(approvals, "allow")
    issued = papers(approvals, FOUND, written=ASKS, holds=holds)
    assert issued.behind("gateway", BEHIND, told(ADA), "").reach == "device"
    await issued.clearance("gateway", "big")

    let = issued.behind("gateway", BEHIND, told(ADA), "")
    assert (let.reach, let.asks) == ("open", ())
    for provider, spans in (("gateway", (ADA, EVE)), ("other", (ADA,))):
        stays = issued.behind(provider, BEHIND, told(*spans), "")
        assert (stays.reach, stays.why, stays.asks) == ("device", ("private",), ())
    assert len(asked) == 1


def test_what_was_taken_out_does_not_come_behind(approvals: Approvals) -> None:
    """Who gets the request said with less gets no word of a fact in answers of those who saw it all; others may."""
    whole = asking("My neighbor, a retired judge from Burlington, was diagnosed with leukemia. How can I help?")
    issued = papers(approvals, TELLING, request=whole, written=WITH_REDUCTION)
    assert issued.say_with_less(asking("It is about someone I know. How can I help?"), ())

    for words, reach in (("Leukemia takes months.", "device"), ("Listen to them.", "open")):
        behind = asking("", messages=(Message("user", (Text(words),)),))
        assert issued.behind("open", behind, (), words).reach == reach
        assert issued.behind("gateway", behind, (), words).reach == "open"
    assert issued.behind("open", behind, (TELLING,), words).reach == "device"


def test_once_is_over_for_answers_as_well(approvals: Approvals) -> None:
    """A value that was let pass once and left in an answer is asked about again the next time."""
    papers(approvals, FOUND).remember()
    approvals.allow("0" * 16, "once")
    issued = papers(approvals)
    assert issued.behind("plain", BEHIND, told(ADA), "").reach == "open"

    issued.left()
    assert issued.behind("plain", BEHIND, told(ADA), "").reach == "masked"


@pytest.mark.parametrize(("first", "second"), [("asking", "whole"), ("whole", "asking")])
async def test_a_no_is_for_both(approvals: Approvals, first: str, second: str) -> None:
    """For the request as it is and for the one that says less: nobody is asked about the other."""
    holds = Holds(approvals, HeldClock(), 60.0)
    issued = papers(approvals, TELLING, FOUND, written=WITH_REDUCTION, holds=holds)
    assert issued.say_with_less(asking(SAID), (FOUND,))

    waiting = asyncio.ensure_future(issued.clearance(first, "m"))
    while not holds.waiting:
        await asyncio.sleep(0)
    (hold,) = holds.waiting
    await holds.answer(hold.id, "deny")
    with pytest.raises(Private):
        await waiting
    with pytest.raises(Private):
        await issued.clearance(second, "m")
    assert [each.outcome for each in issued.asked] == ["denied"]
