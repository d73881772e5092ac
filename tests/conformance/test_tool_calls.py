"""What every family of tool calls must do: read its own form, however it is cut, and leave everything else as text.

The samples are written after the families' own chat templates and prompt-format pages.
"""

from __future__ import annotations

from typing import Final

import pytest

from edge_models.engines.base import Call
from edge_models.tool_calls.base import CallReader, Family, Piece
from edge_models.tool_calls.registry import FAMILIES, VISIBLE, family_of

WEATHER: Final = Call("get_weather", '{"city":"Graz","days":2}')
TIME: Final = Call("time.now", "{}")

SAMPLES: Final[dict[str, tuple[tuple[str, tuple[Piece, ...]], ...]]] = {
    "hermes": (
        (
            'I look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Graz", "days": 2}}\n</tool_call>',
            ("I look.\n", WEATHER),
        ),
        (
            '<tool_call>{"name": "get_weather", "arguments": {"city": "Graz", "days": 2}}</tool_call>\n'
            '<tool_call>{"name": "time.now", "arguments": {}}</tool_call>',
            (WEATHER, "\n", TIME),
        ),
        ('<tool_call>{"name": "time.now", "arguments": "{}"}', (TIME,)),
        (
            "<tool_call>\n<function=get_weather>\n<parameter=city>\nGraz\n</parameter>\n<parameter=days>\n2\n</parameter>\n"
            "</function>\n</tool_call>",
            (WEATHER,),
        ),
        ("<tool_call>later, maybe</tool_call>.", ("<tool_call>later, maybe</tool_call>.",)),
        ("a < b and <tool", ("a < b and <tool",)),
    ),
    "llama": (
        ('{"name": "get_weather", "parameters": {"city": "Graz", "days": 2}}', (WEATHER,)),
        (
            '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Graz", "days": 2}}; '
            '{"name": "time.now", "parameters": {}}',
            (WEATHER, TIME),
        ),
        ('[get_weather(city="Graz", days=2), time.now()]', (WEATHER, TIME)),
        ('[get_weather(city=open("x"))]', ('[get_weather(city=open("x"))]',)),
        ('{"answer": 4}', ('{"answer": 4}',)),
        ("[1] is a reference", ("[1] is a reference",)),
        ('It is {"name": "get_weather"}', ('It is {"name": "get_weather"}',)),
    ),
    "mistral": (
        ('[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Graz", "days": 2}}]</s>', (WEATHER,)),
        (
            'Well[TOOL_CALLS]get_weather[ARGS]{"city": "Graz", "days": 2}[TOOL_CALLS]time.now[ARGS]{}',
            ("Well", WEATHER, TIME),
        ),
        ("[TOOL_CALLS]what?", ("[TOOL_CALLS]what?",)),
    ),
    "tagged-list": (
        (
            '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Graz", "days": 2}}]<|/tool_call|>',
            (WEATHER,),
        ),
        ('functools[{"name": "time.now", "arguments": {}}]', (TIME,)),
        ("Python's functools is nice", ("Python's functools is nice",)),
    ),
    "deepseek": (
        (
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
            '{"city": "Graz", "days": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
            (WEATHER,),
        ),
        (
            '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Graz", "days": 2}<｜tool▁call▁end｜>'
            "<｜tool▁call▁begin｜>time.now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            (WEATHER, TIME),
        ),
        ("<｜tool▁calls▁begin｜>nothing", ("<｜tool▁calls▁begin｜>nothing",)),
    ),
}

CASES: Final = [(family, text, pieces) for family in FAMILIES for text, pieces in SAMPLES[family.name]]


def read(family: Family, parts: list[str]) -> tuple[Piece, ...]:
    """Everything, with neighbouring texts joined."""
    reader = CallReader(family)
    joined: list[Piece] = []
    for piece in [piece for part in parts for piece in reader.feed(part)] + reader.finish():
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return tuple(joined)


def test_every_family_has_samples() -> None:
    """A new line in the table brings samples, of calls and of what only looks like them."""
    assert {family.name for family in FAMILIES} == set(SAMPLES)
    for family in FAMILIES:
        kinds = [any(isinstance(piece, Call) for piece in pieces) for _, pieces in SAMPLES[family.name]]
        assert set(kinds) == {True, False}


@pytest.mark.parametrize(("family", "text", "pieces"), CASES)
def test_samples(family: Family, text: str, pieces: tuple[Piece, ...]) -> None:
    """Each sample is read as what it is, whole, letter by letter, and cut in two at every place."""
    assert read(family, [text]) == pieces
    assert read(family, list(text)) == pieces
    for place in range(len(text)):
        assert read(family, [text[:place], text[place:]]) == pieces


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("text", ["Hello, world.", "  \n", "Ünïcödé 😀", "", "a [b] {c} <d> (e); f"])
def test_words_pass_unchanged(family: Family, text: str) -> None:
    """An answer without calls is the same as without the reader."""
    assert "".join(str(piece) for piece in read(family, list(text))) == text


@pytest.mark.parametrize("family", FAMILIES)
def test_words_are_not_held(family: Family) -> None:
    """Words that begin no call go through at once, so that a streamed answer streams."""
    reader = CallReader(family)

    assert reader.feed("Hello, ") == ["Hello, "]
    assert reader.feed("world") == ["world"]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_template_tells_its_family(family: Family) -> None:
    """Each mark leads to its family; a template without any is taught Hermes's way."""
    for mark in family.marks:
        assert family_of(f"{{% if tools %}}{mark}{{% endif %}}") is family
    assert family_of("{{ messages }}").name == "hermes"


def test_ends_of_turns_stay_hidden() -> None:
    """What an engine shows for the sake of calls does not put end-of-turn tokens into answers."""
    assert b"<tool_call>" in VISIBLE
    assert b"[TOOL_CALLS]" in VISIBLE
    assert not VISIBLE & {b"</s>", b"<|im_end|>", b"<|eot_id|>", b"<|end|>", b"<|endoftext|>", b"<|end_of_text|>"}
