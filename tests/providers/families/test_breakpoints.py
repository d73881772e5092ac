"""Where a prompt is marked for Anthropic's cache."""

from __future__ import annotations

from typing import Any

from providers.families.breakpoints import LEAST_CHARS, MARK, MOST, place, within_limit

LONG = "x" * LEAST_CHARS


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def turn(role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def tool(words: str) -> dict[str, Any]:
    return {"name": "look", "description": words, "input_schema": {"type": "object"}}


def marks(*groups: list[dict[str, Any]]) -> list[str]:
    """The words of the blocks that are marked."""
    blocks = [block for group in groups for each in group for block in each.get("content", [each])]
    return [block.get("text") or block.get("description") for block in blocks if "cache_control" in block]


def test_the_ends_of_what_stays() -> None:
    """The tools, the system's words and the last two turns of the user: four in all."""
    tools, system = [tool("a"), tool(LONG)], [text("s"), text("t")]
    turns = [turn("user", text("1")), turn("assistant", text("2")), turn("user", text("3"), text("4"))]
    turns += [turn("assistant", text("5")), turn("user", text("6"))]

    place(tools, system, turns)

    assert marks(tools, system, turns) == [LONG, "t", "4", "6"]
    assert len(marks(tools, system, turns)) == MOST


def test_nothing_is_marked_before_it_is_long_enough() -> None:
    """What is too short to be kept costs nothing, and gets no mark."""
    turns = [turn("user", text("1")), turn("assistant", text(LONG)), turn("user", text("2"))]
    system = [text("s")]

    place([tool("a")], system, turns)

    assert marks(system, turns) == ["2"]
    place([], [], short := [turn("user", text("x" * (LEAST_CHARS - 1)))])
    assert marks(short) == []
    place([], [], enough := [turn("user", text(LONG))])
    assert marks(enough) == [LONG]


def test_what_counts_beside_words() -> None:
    """Pictures, results and schemas are read, too."""
    for block in (
        {"type": "image", "source": {}},
        {"type": "tool_result", "content": LONG},
        {"type": "tool_result", "content": [text(LONG)]},
    ):
        place([], [], turns := [turn("user", block, text("end"))])
        assert marks(turns) == ["end"]
    place(tools := [{"name": "l", "description": "d", "input_schema": {"a": LONG}}], [], [])
    assert marks(tools) == ["d"]


def test_more_than_four_lose_the_first() -> None:
    """What the client marked too often keeps its last marks; one beside the conversation takes a place."""
    marked = [text(f"{n}", cache_control=MARK) for n in range(3)]
    inner = {"type": "tool_result", "content": [text("4", cache_control=MARK)], "cache_control": MARK}
    turns = [turn("user", inner, text("5", cache_control=MARK))]

    within_limit([], marked, turns, taken=1)

    assert marks(marked) == []
    assert "cache_control" in inner
    assert "cache_control" in inner["content"][0]  # type: ignore[index]
    assert marks(turns)[-1] == "5"
