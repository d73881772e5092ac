"""What pictures show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pytest

from daemon.recipes.signals import PictureKind
from daemon.signals.base import Observation
from daemon.signals.image import Images
from daemon.signals.opening import Unread
from providers.contract import PICTURE_KINDS, File, Image, Message, Request, Text
from tests.fakes.asking import observed, rules, without_models
from tests.fakes.sights import PIXEL, picture, result, shown, sight, unseen
from tests.fakes.signal_parts import with_models


async def seen(recipe: str, request: Request, **parts: object) -> dict[str, Observation]:
    """What each rule of the family says."""
    found = await observed(recipe, messages=request.messages, parts=with_models(**parts))
    return {each.name: each for each in found if each.signal == "image"}


async def held(recipe: str, request: Request, **parts: object) -> bool | str | None:
    """Of a single rule: whether it matched, or its error."""
    (one,) = (await seen(recipe, request, **parts)).values()
    return one.error if one.error is not None else one.matched


def test_the_kinds_are_those_that_are_told_apart() -> None:
    """A recipe can name each, and no other."""
    assert get_args(PictureKind) == PICTURE_KINDS


async def test_a_request_without_pictures_is_not_looked_at() -> None:
    """It has nothing to say about, also not that something isn't there."""
    assert await seen("SIGNAL image any {}", shown("hello")) == {}


@pytest.mark.parametrize(
    ("rule", "matched"),
    [
        ("", True),
        ('kinds: ["identity_document"]', True),
        ('kinds: ["identity_document"] threshold: 0.9', False),
        ('kinds: ["receipt", "document"] threshold: 0.2', False),
        ('kinds: ["identity_document", "receipt"] threshold: 0.8', True),
        ('things: ["person"]', True),
        ('things: ["vehicle"] threshold: 0.3', False),
        ("explicit: 0.2", True),
        ("explicit: 0.3", False),
        ('formats: ["PNG", "webp"]', True),
        ('formats: ["jpeg"]', False),
        ("words: { gte: 2 }", True),
        ("words: { gt: 2 }", False),
        ("pixels: { lte: 307200 }", True),
        ("pixels: { gt: 307200 }", False),
        (f"bytes: {{ gte: {len(PIXEL)} lte: {len(PIXEL)} }}", True),
        (f"bytes: {{ gt: {len(PIXEL)} }}", False),
        ("pages: { gt: 1 }", False),
        ("detail: { gte: 0.4 }", True),
        ("unseen: true", False),
        ("unseen: false", True),
        ("count: { gte: 2 }", False),
        ("count: { lt: 2 }", True),
        ('kinds: ["identity_document"] formats: ["jpeg"]', False),
    ],
)
async def test_what_rules_ask(rule: str, matched: bool) -> None:
    """Each condition by itself, and all of them at once."""
    part = picture("identity_document", 0.8, words="ADA BYRON", things={"person": 0.9}, explicit=0.2, detail=0.4)

    assert await held(f"SIGNAL image r {{ {rule} }}", shown("what is it?", part)) is matched


async def test_what_is_no_photograph_shows_no_things() -> None:
    """Things are told of photographs alone, so their absence is an answer."""
    assert await held('SIGNAL image r { things: ["vehicle"] }', shown("x", picture("document", 0.95))) is False


async def test_the_label_is_what_it_is() -> None:
    """So that a condition can ask for one of a rule's kinds; score and value are how sure that is."""
    one = (await seen('SIGNAL image r { kinds: ["receipt", "chart"] }', shown("x", picture("chart", 0.8))))["r"]

    assert (one.label, one.matched) == ("chart", True)
    assert one.score == one.value == pytest.approx(0.825)


async def test_the_surest_picture_counts() -> None:
    """Whether or not it is enough."""
    request = shown("x", picture("chart", 0.3), picture("chart", 0.7))
    found = await seen(
        'SIGNAL image r { kinds: ["chart"] threshold: 0.5 } SIGNAL image none { kinds: ["chart"] threshold: 0.9 }',
        request,
    )

    assert (found["r"].value, found["none"].value, found["none"].matched) == (0.7, 0.7, False)


@pytest.mark.parametrize(
    ("rule", "came"),
    [
        ('kinds: ["chart"]', "Unseen"),
        ('formats: ["png"]', "Unseen"),
        ("words: { gte: 1 }", "Unseen"),
        ("explicit: 0.5", "Unseen"),
        ('findings: ["secret"]', "Unseen"),
        ("unseen: true", True),
        ("unseen: false", False),
        ("bytes: { gte: 1 }", True),
        ("", True),
    ],
)
async def test_what_nobody_looked_at_is_unknown(rule: str, came: bool | str) -> None:
    """Unless it isn't asked about."""
    assert await held(f"SIGNAL image r {{ {rule} }}", shown("x", unseen())) == came


@pytest.mark.parametrize("rule", ['kinds: ["chart"]', 'things: ["food"]', "explicit: 0.5", "detail: { gte: 0.1 }"])
async def test_what_no_head_looked_for_is_unknown(rule: str) -> None:
    """A picture may be read although nobody tells kinds."""
    assert await held(f"SIGNAL image r {{ {rule} }}", shown("x", picture())) == "NoHead"


@pytest.mark.parametrize(
    ("rule", "came"),
    [
        ('kinds: ["chart"]', True),
        ('kinds: ["photo"]', "Unseen"),
        ('kinds: ["photo"] count: { gte: 3 }', False),
        ('kinds: ["chart"] count: { gte: 2 }', "Unseen"),
        ('kinds: ["chart"] count: { lte: 2 }', True),
    ],
)
async def test_one_unseen_picture_among_others(rule: str, came: bool | str) -> None:
    """The rule is unknown only where its answer hangs on it."""
    assert await held(f"SIGNAL image r {{ {rule} }}", shown("x", picture("chart"), unseen())) == came


async def test_remote_pictures_have_no_size() -> None:
    """Nobody knows how large they are."""
    assert (
        await held("SIGNAL image r { bytes: { gte: 1 } }", shown("x", Image("https://pictures.test/a.png"))) == "Unseen"
    )


@pytest.mark.parametrize(
    ("finding", "matched"), [("EMAIL_ADDRESS", True), ("pii", True), ("secret", False), ("IBAN_CODE", False)]
)
async def test_findings_in_a_picture_s_words(finding: str, matched: bool) -> None:
    """By label or by family; what stands in the question is not in the picture."""
    part = picture("document", words="write to ada.byron@analytical-engines.net")
    request = shown("my IBAN is DE89 3704 0044 0532 0130 00", part)

    assert await held(f'SIGNAL image r {{ findings: ["{finding}"] }}', request) is matched


async def test_findings_are_looked_for_picture_by_picture() -> None:
    """All that a rule says must hold of one and the same."""
    rule = 'SIGNAL image r { findings: ["pii"] kinds: ["chart"] }'
    words = "write to ada.byron@analytical-engines.net"

    assert await held(rule, shown("x", picture("chart"), picture("document", words=words))) is False
    assert await held(rule, shown("x", picture("document"), picture("chart", words=words))) is True


@pytest.mark.parametrize(
    ("source", "kinds"), [("all", {"chart", "ui", "photo"}), ("last", {"photo"}), ("tools", set[str]())]
)
async def test_where_pictures_come_from(source: str, kinds: set[str]) -> None:
    """Of the whole conversation, of the user's last message, of tools since."""
    before = (Message("user", (picture("chart"),)), result(picture("ui")), Message("assistant", (Text("ok"),)))
    recipe = " ".join(
        f'SIGNAL image {kind} {{ source: "{source}" kinds: ["{kind}"] }}' for kind in ("chart", "ui", "photo")
    )

    found = await seen(recipe, shown("and this?", picture("photo"), before=before))

    assert {name for name, each in found.items() if each.matched} == kinds


@pytest.mark.parametrize(
    "messages",
    [
        (Message("user", (Text("open the page"),)), result(picture("ui"))),
        (
            Message("user", (Text("open it"),)),
            result(picture("ui")),
            result(Text("done")),
            Message("user", (Text("go on"),)),
        ),
        (Message("user", (Text("open it"),)), result(Text("see below")), Message("user", (picture("ui"),))),
    ],
    ids=["result", "said beside results", "behind a result, without a word"],
)
async def test_screenshots_of_tools(messages: tuple[Message, ...]) -> None:
    """However a client's protocol carries them."""
    request = Request(id="0" * 16, model="auto", protocol="t", messages=messages)

    assert await held('SIGNAL image r { source: "tools" kinds: ["ui"] }', request) is True


async def test_a_screenshot_before_the_question_is_not_of_its_tools() -> None:
    """The user went on to something else."""
    messages = (Message("user", (Text("a"),)), result(picture("ui")), Message("assistant", (Text("b"),)))
    request = shown("and now?", before=messages, after=(result(Text("nothing")),))

    assert await held('SIGNAL image r { source: "tools" kinds: ["ui"] }', request) is False


MISMATCH = """
SIGNAL domain biology {}
SIGNAL domain figures { mmlu_categories: ["math"] }
SIGNAL image r { mismatch: { domains: ["figures"] kinds: ["chart", "document"] things: ["device"] } }
ROUTE r { WHEN image("r") }
"""


@pytest.mark.parametrize(
    ("said", "parts", "came"),
    [
        ("theorem theorem", (picture("receipt"),), True),
        ("theorem theorem", (picture("chart"),), False),
        ("cell cell", (picture("receipt"),), False),
        ("", (picture("receipt"),), False),
        ("theorem theorem", (picture("receipt", 0.3),), False),
        ("theorem theorem", (picture("other"),), False),
        ("theorem theorem", (picture("photo", things={"vehicle": 0.9, "device": 0.1}),), True),
        ("theorem theorem", (picture("photo", things={"vehicle": 0.1, "device": 0.9}),), False),
        ("theorem theorem", (picture("photo", things={"vehicle": 0.35, "device": 0.3}),), False),
        ("theorem theorem", (picture("photo", things={"object": 0.9}),), False),
        ("theorem theorem", (picture("photo"),), "NoHead"),
        ("theorem theorem", (picture("receipt"), picture("chart")), False),
        ("theorem theorem", (unseen(),), "Unseen"),
        ("cell cell", (unseen(),), False),
        ("theorem theorem", (picture("receipt", words="cell cell cell cell"),), True),
    ],
)
async def test_a_mismatch(said: str, parts: tuple[Image, ...], came: bool | str) -> None:
    """The words are of a field, and every picture is surely of something else; words in pictures are none of the user's."""
    assert await held(MISMATCH, shown(said, *parts)) == came


async def test_a_mismatch_is_of_the_last_turn() -> None:
    """An earlier picture was asked about earlier."""
    before = (Message("user", (picture("receipt"),)), Message("assistant", (Text("ok"),)))

    assert await held(MISMATCH, shown("theorem theorem", before=before)) is False
    assert await held(MISMATCH, shown("theorem theorem", picture("chart"), before=before)) is False


async def test_a_mismatch_without_the_head_says_so() -> None:
    """It is unknown, and never a guess."""
    found = await observed(MISMATCH, messages=shown("theorem", picture("receipt")).messages, parts=without_models())

    assert [(each.error, each.only) for each in found if each.signal == "image"] == [("NoModel", True)]


class Likenesses:
    """A vision-text model that knows one picture."""

    def likeness(self, picture: bytes, texts: Sequence[str]) -> Sequence[float]:
        if not picture:
            raise Unread("Broken")
        if picture == b"unseen":
            raise Unread("Unseen")
        assert picture == PIXEL
        return [0.3 if "cat" in text else -0.1 for text in texts]


LIKENESS = 'SIGNAL image r { similar_to: { candidates: ["a dog", "a cat"] threshold: 0.25 } }'


async def test_likeness_by_the_user_s_model() -> None:
    """The nearest candidate counts; without a model, and of what isn't in the request, nobody knows."""
    one = (await seen(LIKENESS, shown("x", unseen()), pictures=Likenesses()))["r"]

    assert (one.matched, one.score) == (True, 0.3)
    assert await held(LIKENESS, shown("x", unseen())) == "NoModel"
    assert await held(LIKENESS, shown("x", Image("https://pictures.test/a.png")), pictures=Likenesses()) == "Unseen"
    assert await held(LIKENESS, shown("x", Image("data:image/png;base64,")), pictures=Likenesses()) == "Broken"
    unseeable = Image("data:image/png;base64,dW5zZWVu")
    assert await held(LIKENESS, shown("x", unseeable), pictures=Likenesses()) == "Unseen"
    assert await held(LIKENESS, shown("x", unseeable, unseen()), pictures=Likenesses()) is True
    far = LIKENESS.replace("0.25", "0.35")
    assert await held(far, shown("x", unseen()), pictures=Likenesses()) is False


async def test_documents_are_pictures_too() -> None:
    """A file that was read has words and pages."""
    part = File("data:application/pdf;base64,", sight=sight("document", form="pdf", pages=12))

    assert (
        await held('SIGNAL image r { formats: ["pdf"] pages: { gt: 10 } kinds: ["document"] }', shown("x", part))
        is True
    )


def test_models_are_asked_only_where_a_rule_needs_them() -> None:
    """Kinds are there already."""
    lanes = [
        Images(rules(f"SIGNAL image r {{ {rule} }}"), without_models()).lane
        for rule in ('kinds: ["ui"]', 'findings: ["pii"]', 'mismatch: { domains: ["law"] kinds: ["ui"] }')
    ]

    assert lanes == ["rules", "models", "models"]
