"""What a recorded answer cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.errors import BadRequest
from daemon.replaying.prices import Price, call_cost, read_prices
from daemon.replaying.recordings import Item, Recorded


def test_a_call_s_cost() -> None:
    """Four characters are a token; without recorded words the question's alone are counted."""
    answers = {"a": Recorded("12345678", True), "b": Recorded("the right one", True, worded=False)}
    item = Item("1234", answers)
    prices = {"a": Price(10, 30), "b": Price(10, 30)}

    assert call_cost(prices, item, "a") == 10 + 2 * 30
    assert call_cost(prices, item, "b") == 10


def test_prices_of_a_file_and_of_the_command_line(tmp_path: Path) -> None:
    """What is said at the command line goes first; other models of the file fall out."""
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({model: {"size": "7B", "input_price": 1, "output_price": 2} for model in "abc"}))

    assert read_prices(file, ["b=3", "x=y=4/5"], ["a", "b", "x=y"]) == {
        "a": Price(1, 2),
        "b": Price(3, 3),
        "x=y": Price(4, 5),
    }


@pytest.mark.parametrize("told", ["a", "a=", "a=x", "=1", "a=1/y", "a=-1", "a=inf", "a=nan"])
def test_no_price(told: str) -> None:
    """It is refused with the form that it should have."""
    with pytest.raises(BadRequest, match="MODEL=IN"):
        read_prices(None, [told], ["a"])


def test_a_missing_price(tmp_path: Path) -> None:
    """It is named; and a file that has none is refused."""
    with pytest.raises(BadRequest, match="no price is known of b: say --price b="):
        read_prices(None, ["a=1"], ["a", "b"])
    file = tmp_path / "prices.json"
    file.write_text('{"a": {"input_price": -1, "output_price": 1}}')
    with pytest.raises(BadRequest, match=r"prices\.json has no prices"):
        read_prices(file, [], ["a"])
