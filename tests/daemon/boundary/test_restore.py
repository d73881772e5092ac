"""Aliases in an answer's deltas become values again, in each text by itself."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import pytest
from msgspec.structs import replace

from daemon.boundary.clear import Passage, clear
from daemon.boundary.judge import Clearance
from daemon.boundary.masker import Masker
from daemon.boundary.restore import restored
from daemon.boundary.signed import Signed, SignedCall
from daemon.boundary.vault import Vault
from daemon.signals.base import Span
from providers.cleared import Place
from providers.contract import (
    Delta,
    Finish,
    Message,
    Request,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
    fold,
)

VALUE = 'Ada "the first" Byron'
MASKER = Masker(b"k" * 32, [])
MADE = MASKER.alias("PERSON", VALUE).text
REQUEST = Request(id="0" * 16, model="cloud", messages=(Message("user", (Text("hi"),)),), protocol="test")
CLEARED = clear(REQUEST, Clearance("open"), Place.CLOUD, Vault()).cleared
PASSAGE = Passage(CLEARED, MASKER.aliases)
END = Finish("stop", Usage(1, 1))


def never(*_: object) -> None:
    raise AssertionError("nothing is kept here")


async def replay(*deltas: Delta) -> AsyncGenerator[Delta, None]:
    for delta in deltas:
        yield delta


async def test_texts_thoughts_and_tool_calls_of_each_choice() -> None:
    """Each text has its own thread; in tool-call arguments the value is written as JSON writes it."""
    half = len(MADE) // 2
    arguments = json.dumps({"who": MADE})
    cut = arguments.index(MADE) + 3
    out = [
        delta
        async for delta in restored(
            replay(
                TextDelta(MADE[:half]),
                ThoughtDelta(f"{MADE}?"),
                TextDelta(MADE[:4], choice=1),
                TextDelta(MADE[half:]),
                ToolCallDelta(0, "id", "mail", arguments[:cut]),
                ToolCallDelta(0, arguments=arguments[cut:]),
                END,
                Finish("stop", Usage(1, 1), choice=1),
            ),
            PASSAGE,
            never,
        )
    ]

    texts = {
        choice: "".join(d.text for d in out if isinstance(d, TextDelta) and d.choice == choice) for choice in (0, 1)
    }
    assert texts == {0: VALUE, 1: MADE[:4]}
    assert "".join(delta.text for delta in out if isinstance(delta, ThoughtDelta)) == f"{VALUE}?"
    assert json.loads("".join(d.arguments for d in out if isinstance(d, ToolCallDelta))) == {"who": VALUE}
    assert [delta.choice for delta in out if isinstance(delta, Finish)] == [0, 1]


async def test_a_thought_ends_before_what_follows_it() -> None:
    """What could have become an alias is told before the words that come next, and before a thought without words."""
    held = f"by {MADE[:3]}"
    pieces = (ThoughtDelta(held), TextDelta("so"), ThoughtDelta(held), ThoughtDelta("", "sealed", redacted=True), END)
    out = [delta async for delta in restored(replay(*pieces), PASSAGE, lambda signed: None)]

    said = [delta.text for delta in out if isinstance(delta, TextDelta | ThoughtDelta)]
    assert "".join(said[: said.index("so")]) == held
    assert "".join(said[said.index("so") + 1 :]) == held
    assert [delta.text for delta in out if isinstance(delta, ThoughtDelta) and delta.signature] == [""]


@pytest.mark.parametrize("masked", [True, False])
async def test_what_was_signed_is_told_as_it_was_written_and_as_it_was_shown(masked: bool) -> None:
    """However it is cut, and also at its very end; words before other words are no part of it."""
    words = f"ask {MADE}, not {MADE[:4]}"
    shown = words.replace(MADE, VALUE) if masked else words
    passage = PASSAGE if masked else Passage(CLEARED, ())
    for cut in range(len(words) + 1):
        kept: list[Signed | SignedCall] = []
        pieces = (
            ThoughtDelta("before"),
            TextDelta("x"),
            ThoughtDelta(words[:cut]),
            ThoughtDelta(words[cut:]),
            ThoughtDelta("", "one", note="{}"),
            ThoughtDelta("summary"),
            ThoughtDelta("", "two", redacted=True),
            END,
        )
        out = [delta async for delta in restored(replay(*pieces), passage, kept.append)]

        assert kept == [Signed("one", words, shown, False, "{}"), Signed("two", "", "", True, None)]
        whole = (await fold(replay(*out))).choices[0].parts
        assert whole[2:] == (Thought(shown, "one"), Thought("summary"), Thought("", "two", redacted=True))


@pytest.mark.parametrize("masked", [True, False])
async def test_what_was_signed_beside_a_call_is_kept_under_its_id(masked: bool) -> None:
    """The call itself goes on to the client as ever."""
    kept: list[Signed | SignedCall] = []
    pieces = (ToolCallDelta(0, "c1", "mail", "{}", note='{"signature":"s"}'), ToolCallDelta(1, "c2", "mail", "{}"), END)
    passage = PASSAGE if masked else Passage(CLEARED, ())
    out = [delta async for delta in restored(replay(*pieces), passage, kept.append)]

    assert kept == [SignedCall("c1", "mail", '{"signature":"s"}')]
    assert [delta.id for delta in out if isinstance(delta, ToolCallDelta)] == ["c1", "c2"]


async def test_words_are_told_before_the_signature_behind_them() -> None:
    """Also those of which an alias could have become."""
    held = f"by {MADE[:3]}"
    pieces = (TextDelta(held), ThoughtDelta("", "s", redacted=True), TextDelta("x"), END)
    out = [delta async for delta in restored(replay(*pieces), PASSAGE, lambda signed: None)]

    place = next(n for n, delta in enumerate(out) if isinstance(delta, ThoughtDelta))
    assert "".join(delta.text for delta in out[:place] if isinstance(delta, TextDelta)) == held


async def arguments_of(*pieces: str, masker: Masker) -> str:
    """Arguments of one call that comes in pieces, as the client gets them."""
    deltas = [ToolCallDelta(0, "id", "mail"), *(ToolCallDelta(0, arguments=piece) for piece in pieces), END]
    out = [delta async for delta in restored(replay(*deltas), Passage(CLEARED, masker.aliases), never)]
    return "".join(delta.arguments for delta in out if isinstance(delta, ToolCallDelta))


@pytest.mark.parametrize("value", ["Иван Петров", "김민수", "31/12/1984", "ada@lovelace.dev", "\ud83d lone"])
@pytest.mark.parametrize("ascii_only", [True, False])
async def test_arguments_are_read_as_json_writes_them(value: str, ascii_only: bool) -> None:
    """An alias is known in arguments that are written in ASCII alone, or with escaped slashes, wherever they are cut."""
    label = {"31/12/1984": "DATE_OF_BIRTH", "ada@lovelace.dev": "EMAIL_ADDRESS"}.get(value, "PERSON")
    masker = Masker(b"k" * 32, [])
    alias = masker.alias(label, value).text
    sent = {"to": [{"who": f"«{alias}»"}], "path": "C:\\u0041\\", "quote": '"\n\\'}
    text = json.dumps(sent, ensure_ascii=ascii_only).replace("/", "\\/")
    wanted = json.loads(json.dumps(sent).replace(json.dumps(alias)[1:-1], json.dumps(value)[1:-1]))

    for cut in range(len(text) + 1):
        assert json.loads(await arguments_of(text[:cut], text[cut:], masker=masker)) == wanted
    assert json.loads(await arguments_of(*text, masker=masker)) == wanted


async def test_an_answer_in_json_stays_json() -> None:
    """A value with quotes, in an answer whose form was asked for, is written as JSON writes it; in words it stands as it is."""
    asked = clear(replace(REQUEST, schema={"type": "object"}), Clearance("open"), Place.CLOUD, Vault()).cleared
    text = json.dumps({"who": MADE})
    for cut in range(len(text) + 1):
        for cleared, wanted in ((asked, json.dumps({"who": VALUE})), (CLEARED, text.replace(MADE, VALUE))):
            deltas = replay(TextDelta(text[:cut]), TextDelta(text[cut:]), END)
            out = [delta async for delta in restored(deltas, Passage(cleared, MASKER.aliases), never)]
            assert "".join(delta.text for delta in out if isinstance(delta, TextDelta)) == wanted


KEY = "sk-proj-abcd1234efgh5678ijkl"
FILES = [
    "Write",
    "MultiEdit",
    "str_replace_based_edit_tool",
    "apply_patch",
    "write_to_file",
    "builtin_edit_existing_file",
]
ANYWHERE = [
    "Bash",
    "shell",
    "WebFetch",
    "http_request",
    "mcp__notes__write",
    "send_mail",
    "run_in_terminal",
    "",
    "ReadUrl",
]


async def called(tool: str, cut: int | None = None) -> dict[str, str]:
    """The arguments that a client gets of a call with aliases of a key and of a person."""
    masker = Masker(b"k" * 32, [])
    text = json.dumps({"key": masker.alias("OPENAI_KEY", KEY).text, "who": masker.alias("PERSON", "Ada Byron").text})
    passage = Passage(CLEARED, masker.aliases, frozenset({"OPENAI_KEY"}))
    pieces = [text] if cut is None else [text[:cut], text[cut:]]
    deltas = [ToolCallDelta(0, "id", tool), *(ToolCallDelta(0, arguments=piece) for piece in pieces), END]
    out = [delta async for delta in restored(replay(*deltas), passage, never)]
    return json.loads("".join(delta.arguments for delta in out if isinstance(delta, ToolCallDelta)))


@pytest.mark.parametrize("tool", FILES)
async def test_secrets_go_back_into_files(tool: str) -> None:
    """A tool that is known to read and write the user's files gets what stood there."""
    assert await called(tool) == {"key": KEY, "who": "Ada Byron"}


@pytest.mark.parametrize("tool", ANYWHERE)
async def test_secrets_stay_masked_where_a_call_leads_anywhere(tool: str) -> None:
    """A shell, the network or an unknown tool gets the alias of a secret, however the stream was cut; names come back."""
    for cut in range(70):
        arguments = await called(tool, cut)
        assert KEY not in arguments["key"]
        assert arguments["who"] == "Ada Byron"


async def test_a_secret_that_was_kept_back_has_the_same_alias_in_the_next_turn() -> None:
    """The call with the alias stands in the conversation now; the bytes before it stay the same, and so does its meaning."""
    vault = Vault()
    first = Request(id="0" * 16, model="c", messages=(Message("user", (Text(f"use {KEY}"),)),), protocol="test")
    clearance = Clearance("masked", (Span("messages[0].parts[0]", 4, 4 + len(KEY), "OPENAI_KEY"),))
    (alias,) = clear(first, clearance, Place.CLOUD, vault).aliases
    call = Message("assistant", (ToolCall("1", "Bash", json.dumps({"command": f"curl -H {alias.text}"})),))
    second = replace(first, messages=(*first.messages, call))

    passage = clear(second, clearance, Place.CLOUD, vault)

    assert passage.aliases == (alias,)
    assert passage.cleared.request.messages[1] == call
