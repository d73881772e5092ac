"""The gate says that no tool fits where it has been shown to know, and is silent elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from msgspec.structs import replace

from daemon.signals.shipped import shipped_vectors
from daemon.signals.vectors import Vectors
from daemon.tools.gate import MOST_CHARS, ToolGate, asked_of
from edge_models.engines.base import Unavailable
from providers.contract import Image, Message, Request, Text, Tool, ToolCall, ToolResult
from tests.fakes.asking import asking


def tool(name: str, description: str, *fields: str) -> Tool:
    return Tool(name, description, {"type": "object", "properties": {field: {} for field in fields}})


WEATHER = tool("get_weather", "Get the current weather and the forecast of a city.", "city", "days")
STOCKS = tool("get_stock_price", "Get the current price of a company's stock.", "ticker")
PIZZA = tool("order_pizza", "Order a pizza at a restaurant nearby.", "size", "toppings")
BASH = tool("Bash", "Executes a command.", "command")
FITS = "What will the weather be like in Oslo tomorrow?"
OFF = "Who wrote the novel about the white whale, and when was it printed?"


@pytest.fixture(scope="module")
def gate() -> Iterator[ToolGate]:
    vectors = shipped_vectors()
    yield ToolGate(vectors)
    vectors.close()


@pytest.mark.parametrize("tools", [(WEATHER,), (PIZZA, WEATHER, STOCKS)], ids=["one", "three"])
def test_a_tool_that_fits_is_seen(gate: ToolGate, tools: tuple[Tool, ...]) -> None:
    """Alone and among others."""
    chance = gate.none_fits(asking(FITS, tools=tools))

    assert chance is not None
    assert chance < 0.5
    assert not gate.sure(chance)


def test_none_that_fits_is_seen(gate: ToolGate) -> None:
    """And it is sure enough of that to say so."""
    assert gate.sure(gate.none_fits(asking(OFF, tools=(PIZZA, STOCKS, WEATHER))))


def turns(*messages: Message) -> Request:
    return replace(asking("x", tools=(WEATHER,)), messages=messages)


USER = Message("user", (Text(FITS),))
CALLED = Message("assistant", (ToolCall("1", "get_weather", "{}"),))
CAME = Message("tool", (ToolResult("1", (Text("rain"),)),))


@pytest.mark.parametrize(
    "request_",
    [
        asking(FITS),
        asking(FITS, tools=(WEATHER,), tool_choice="required"),
        asking(FITS, tools=(WEATHER,), tool_choice="none"),
        asking(FITS, tools=(WEATHER, BASH)),
        asking(FITS, tools=(WEATHER, tool("run_python", "Runs code.", "code"))),
        asking("Do it", tools=(WEATHER,)),
        asking("Tell me more. " * MOST_CHARS, tools=(WEATHER,)),
        asking(FITS, "And in Bergen, please?", tools=(WEATHER,)),
        turns(USER, CALLED, CAME),
        turns(USER, CALLED, CAME, Message("user", (Text("And what about the day after?"),))),
        turns(USER, Message("assistant", (Text("Sunny."),)), USER),
        turns(Message("user", (Text(FITS), Image("data:x")))),
        turns(),
    ],
    ids=[
        *("no tools", "has to call", "may not call", "a shell", "runs code", "few words", "long", "second question"),
        *("a result", "behind a result", "follow-up", "a picture", "nothing"),
    ],
)
def test_it_is_silent_where_words_alone_don_t_tell(request_: Request) -> None:
    """Within an agent's work, beside a tool that does anything, and of what it was never tried on."""
    assert asked_of(request_) is None


def test_instructions_before_the_question_are_no_conversation() -> None:
    """A client's system turn changes nothing."""
    assert asked_of(turns(Message("system", (Text("Be brief."),)), USER)) == FITS


def test_another_language_is_left_alone(gate: ToolGate) -> None:
    """It was fitted and tried on English."""
    assert (
        gate.none_fits(asking("Wie wird morgen das Wetter in Oslo, und brauche ich einen Schirm?", tools=(PIZZA,)))
        is None
    )


def test_without_its_files_or_the_users_wish_it_is_silent(tmp_path: Path, gate: ToolGate) -> None:
    """No encoder, no weights, damaged weights, or switched off: every draft is judged as without it."""

    def absent() -> NoReturn:
        raise Unavailable("there is none in this test")

    off = asking(OFF, tools=(PIZZA,))
    vectors = shipped_vectors()
    damaged = tmp_path / "gate.json"
    damaged.write_text("{")
    try:
        assert ToolGate(Vectors(absent)).none_fits(off) is None
        assert ToolGate(vectors, file=tmp_path / "none").none_fits(off) is None
        assert ToolGate(vectors, file=damaged).none_fits(off) is None
        assert ToolGate(vectors, wanted=False).none_fits(off) is None
        assert not gate.sure(None)
    finally:
        vectors.close()


def test_tools_are_read_once(gate: ToolGate) -> None:
    """A second request with twenty tools costs less than a tenth of the first: their vectors are kept."""
    tools = tuple(
        tool(f"tool_{n}", f"Looks up number {n} of the things in the box, by its colour.", "n") for n in range(20)
    )
    before = time.process_time()
    gate.none_fits(asking(FITS, tools=tools))
    first = time.process_time() - before
    before = time.process_time()
    for _ in range(5):
        gate.none_fits(asking(FITS, tools=tools))
    again = (time.process_time() - before) / 5

    assert again < first / 2
