"""Tool calls are released when they can be run, and not before."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daemon.tool_turns import ToolTurns
from providers.contract import (
    BadAnswer,
    Delta,
    Finish,
    Logprob,
    Message,
    Progress,
    Request,
    Text,
    TextDelta,
    ThoughtDelta,
    Tool,
    ToolCallDelta,
    Unsupported,
    Usage,
)
from tests.fakes.talk import calls_of, toolboxes

LOOK: Final = Tool("look", "", {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]})
FREE: Final = Tool("free", "", {})
ASKED: Final = Request(
    id="0" * 16, model="m", messages=(Message("user", (Text("hi"),)),), protocol="t", tools=(LOOK, FREE)
)
DONE: Final = Finish("tool_calls", Usage(1, 1))


def released(*deltas: Delta, request: Request = ASKED) -> list[Delta]:
    turns = ToolTurns(request)
    return [ready for delta in deltas for ready in turns.ready(delta)]


def call(arguments: str, index: int = 0, name: str | None = "look", choice: int = 0) -> ToolCallDelta:
    return ToolCallDelta(index, f"c{index}" if name else None, name, arguments, choice)


def test_words_go_through_at_once() -> None:
    """Nothing but calls is held, while one is, too."""
    turns = ToolTurns(ASKED)
    assert turns.ready(call('{"at"')) == ()

    for delta in (TextDelta("a"), ThoughtDelta("b"), Progress("loading")):
        assert turns.ready(delta) == (delta,)


def test_a_call_is_released_with_its_last_bracket() -> None:
    """It comes as one, while the answer goes on."""
    turns = ToolTurns(ASKED)

    assert turns.ready(call('{"at"')) == ()
    assert turns.ready(call(": 1", name=None)) == ()
    assert turns.ready(call("}", name=None)) == (call('{"at": 1}'),)
    assert turns.ready(call("\n", name=None)) == ()
    assert turns.ready(DONE) == (DONE,)


def test_brackets_in_strings_close_nothing() -> None:
    """Quotes, escapes and brackets inside a text are text, wherever the pieces are cut."""
    text = json.dumps({"at": 1, "\\": '}"]\\"}', "x": {"y": ["]", "}"]}})
    for cut in range(len(text)):
        assert released(call(text[:cut]), call(text[cut:], name=None)) == [call(text)]


def test_a_call_keeps_its_tokens() -> None:
    """In however many pieces it came."""
    one, other = Logprob(b"{", -0.1), Logprob(b"}", -0.2)

    (whole,) = released(replace(call('{"at":'), logprobs=(one,)), replace(call("1}", name=None), logprobs=(other,)))

    assert whole == ToolCallDelta(0, "c0", "look", '{"at":1}', logprobs=(one, other))


def test_calls_keep_their_order() -> None:
    """Mixed pieces of several calls come out as whole calls one after another; each is held for itself."""
    turns = ToolTurns(ASKED)

    assert turns.ready(call('{"at"', 0)) == ()
    assert turns.ready(call('{"at": 2}', 1)) == ()
    assert turns.ready(call('{"at": 3', 2)) == ()
    assert turns.ready(call(": 1}", 0, name=None)) == (call('{"at": 1}', 0), call('{"at": 2}', 1))
    assert turns.ready(call("}", 2, name=None)) == (call('{"at": 3}', 2),)


def test_choices_are_apart() -> None:
    """Calls of several answers don't wait for one another."""
    other = call('{"at": 1}', choice=1)

    assert released(call('{"at"', choice=0), other) == [other]


@pytest.mark.parametrize("arguments", ["", "  ", "{}", " {} "])
def test_no_arguments_are_an_empty_object(arguments: str) -> None:
    """Some servers send nothing, and some open with an empty object that is no end: it waits for the answer's."""
    turns = ToolTurns(ASKED)

    assert turns.ready(call(arguments, name="free")) == ()
    assert turns.ready(DONE) == (call("{}", name="free"), DONE)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ('{"at"', "look"),
        ("{", "look"),
        ("[1]", "look"),
        ("1", "look"),
        ('"{}"', "look"),
        ('{"at": 1}}', "look"),
        ('{}{"at": 1}', "look"),
        ('{"at": 1', "look"),
        ("{at: 1}", "look"),
        ("{}", "look"),
        ('{"at": "1"}', "look"),
        ('{"at": 1}', "unheard_of"),
        ("}{", "free"),
    ],
)
def test_what_nobody_could_run_fails_the_attempt(arguments: str, name: str) -> None:
    """Half a call, one that isn't JSON, one that its schema rules out, one of a tool that wasn't offered."""
    with pytest.raises(BadAnswer) as caught:
        released(call(arguments, name=name), replace(DONE, reason="stop"))

    assert "ask again" in str(caught.value)
    assert "unheard_of" not in str(caught.value)


def test_nobody_calls_where_no_tool_is() -> None:
    """A call that was not asked for is no answer, for protocols that could drop it as well as for those that can't."""
    with pytest.raises(BadAnswer, match="not offered"):
        released(call('{"at": 1}'), request=replace(ASKED, tools=()))


def test_a_call_that_goes_on_behind_its_end_fails() -> None:
    """What was released can't be taken back."""
    with pytest.raises(BadAnswer, match="behind its end"):
        released(call('{"at": 1}'), call("{", name=None))


def test_a_limit_in_the_middle_of_a_call_is_told_as_one() -> None:
    """The client's own limit is what has to change, so the error names it; whole calls and words before were passed on."""
    turns = ToolTurns(ASKED)
    assert turns.ready(call('{"at": 1}')) != ()
    assert turns.ready(call('{"at"', 1)) == ()

    with pytest.raises(Unsupported) as caught:
        turns.ready(replace(DONE, reason="length"))
    assert caught.value.parameter == "max_tokens"


def test_a_limit_behind_a_call_changes_nothing() -> None:
    """Calls that are whole are released, and the reason stays."""
    cut = replace(DONE, reason="length")

    assert released(call('{"at": 1}'), cut) == [call('{"at": 1}'), cut]


def test_the_reason_says_whether_there_are_calls() -> None:
    """Clients look at it to know whether they have to run something."""
    stop = replace(DONE, reason="stop")

    assert released(call('{"at": 1}'), stop)[-1] == DONE
    assert released(TextDelta("a"), DONE)[-1] == stop


def test_one_call_where_one_was_asked_for() -> None:
    """Who takes one call at a time gets the first, whatever becomes of the others."""
    request = replace(ASKED, parallel_calls=False)

    assert released(call('{"at": 1}'), call("{", 1), DONE, request=request) == [call('{"at": 1}'), DONE]


def test_a_strict_tool_is_held_to_its_schema() -> None:
    """Names that it doesn't know fail the attempt if the client said strict, and don't if it didn't."""
    closed = Tool("look", "", {**LOOK.parameters, "additionalProperties": False})
    said = call('{"at": 1, "more": 2}')

    assert released(said, request=replace(ASKED, tools=(closed,))) == [said]
    with pytest.raises(BadAnswer, match="additionalProperties"):
        released(said, request=replace(ASKED, tools=(replace(closed, strict=True),)))


@given(data=st.data())
def test_however_calls_are_cut_they_are_the_same(data: st.DataObject) -> None:
    """Calls that fit arrive whole, in order and once, in whatever pieces and whatever mixture they came."""
    tools = data.draw(toolboxes())
    made = data.draw(calls_of(tools))
    queues: list[list[ToolCallDelta]] = []
    for index, each in enumerate(made):
        text = json.dumps(each.arguments, ensure_ascii=data.draw(st.booleans()))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        queues.append([call(piece, index, each.name if n == 0 else None) for n, piece in enumerate(pieces)])
    deltas: list[Delta] = [queue.pop(0) for queue in queues]
    while rest := [queue for queue in queues if queue]:
        deltas.append(data.draw(st.sampled_from(rest)).pop(0))
    offered = tuple(Tool(tool.name, tool.description, tool.parameters) for tool in tools)

    found: list[Any] = released(*deltas, DONE, request=replace(ASKED, tools=offered))

    assert found[-1] == DONE
    assert [(each.index, each.name, json.loads(each.arguments)) for each in found[:-1]] == [
        (index, each.name, each.arguments) for index, each in enumerate(made)
    ]
