"""The texts of messages."""

from __future__ import annotations

from typing import Any

from daemon.auditing.content import Said, said, strings


def test_shapes_of_words() -> None:
    """A string, blocks of either vendor, and blocks within blocks."""
    assert said("hello").texts == ("hello",)
    assert said([{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}, "c"]).texts == ("a", "b", "c")
    assert said({"content": [{"type": "text", "text": "d"}]}).texts == ("d",)
    assert said(None) == said(7) == said([]) == Said()


def test_results_of_tools() -> None:
    """They are told apart from what the user said, however they are nested."""
    inner = [{"type": "text", "text": "found"}, {"type": "image", "source": {"type": "base64", "data": "QUJD"}}]

    assert said([{"type": "tool_result", "content": inner}]) == Said(("found",), 1, results=True)


def test_what_holds_no_text() -> None:
    """Pictures and documents are counted and their bytes left alone; a document of plain text is read."""
    content = [
        {"type": "image", "source": {"type": "base64", "data": "QUJD"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
        {"type": "document", "source": {"type": "base64", "data": "QUJD"}},
        {"type": "document", "source": {"type": "text", "data": "plain"}},
    ]

    assert said(content) == Said(("plain",), 3)


def test_what_the_model_made() -> None:
    """Its calls and thoughts are no news to its provider."""
    content = [
        {"type": "tool_use", "input": {"command": "x"}},
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "function_call", "arguments": "{}"},
    ]

    assert said(content) == Said()


def test_blocks_that_nobody_knows() -> None:
    """Every string in them may have gone out."""
    assert said([{"type": "note", "by": "me", "body": {"lines": ["a", "b"]}}]).texts == ("me", "a", "b")
    assert strings({"x": [1, None, "a", {"y": "b"}], "z": ""}) == ("a", "b")


def test_kinds_that_are_no_words() -> None:
    """A block whose kind is of another type is one that nobody knows."""
    assert said(
        [{"type": ["text"], "text": "a"}, {"type": {}, "content": "b"}, {"type": 7, "text": {"x": "c"}}]
    ).texts == (
        "a",
        "b",
        "c",
    )


def test_nesting_has_a_bound() -> None:
    """A thousand blocks within each other end somewhere, and raise nothing."""
    block: Any = {"type": "text", "text": "deep"}
    for _ in range(1000):
        block = {"type": "tool_result", "content": [block]}

    assert said(block).texts == ()
    assert "deep" not in strings([[[block]]])
