"""Placeholders in answers become values again, however the stream is cut."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from daemon.boundary.restore import Restorer, restored
from daemon.boundary.vault import Vault
from providers.contract import Delta, Finish, TextDelta, ThoughtDelta, ToolCallDelta, Usage

VALUE = 'Ada "the first" <ada@lovelace.dev>\n'
MADE = Vault(b"k" * 32).placeholder("PERSON", VALUE, {})
VALUES = {MADE: VALUE}
END = Finish("stop", Usage(1, 1))


def pieces(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(places)]


@given(
    st.text("ab<>_PERSON0", max_size=20),
    st.text("ab<>_PERSON0", max_size=20),
    st.lists(st.integers(0, 80), max_size=10),
)
def test_any_cut(before: str, after: str, cuts: list[int]) -> None:
    """The joined output is the text with the value in its place, for every way to cut it."""
    restorer = Restorer(VALUES)
    text = before + MADE + after

    out = "".join(restorer.feed(piece) for piece in pieces(text, cuts)) + restorer.finish()

    assert out == before + VALUE + after


def test_every_single_cut_and_every_character() -> None:
    """Also one by one."""
    text = f"Dear {MADE}, see {MADE}."
    for cut in range(len(text)):
        restorer = Restorer(VALUES)
        assert restorer.feed(text[:cut]) + restorer.feed(text[cut:]) + restorer.finish() == text.replace(MADE, VALUE)
    restorer = Restorer(VALUES)
    assert "".join(map(restorer.feed, text)) + restorer.finish() == text.replace(MADE, VALUE)


def test_nothing_is_held_back_without_reason() -> None:
    """Text that can't become a placeholder goes out at once, also after a lone bracket."""
    restorer = Restorer(VALUES)

    assert restorer.feed("if a < b:") == "if a < b:"
    assert restorer.feed("x <") == "x "
    assert restorer.feed("PEN") == "<PEN"


def test_a_strangers_placeholder_is_left_alone() -> None:
    """What only looks like one of ours is text."""
    assert Restorer(VALUES).feed("<PERSON_000000> ") == "<PERSON_000000> "


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
            VALUES,
        )
    ]

    texts = {
        choice: "".join(d.text for d in out if isinstance(d, TextDelta) and d.choice == choice) for choice in (0, 1)
    }
    assert texts == {0: VALUE, 1: MADE[:4]}
    assert "".join(delta.text for delta in out if isinstance(delta, ThoughtDelta)) == f"{VALUE}?"
    assert json.loads("".join(d.arguments for d in out if isinstance(d, ToolCallDelta))) == {"who": VALUE}
    assert [delta.choice for delta in out if isinstance(delta, Finish)] == [0, 1]
