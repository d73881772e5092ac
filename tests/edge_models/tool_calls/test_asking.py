"""What tools mean for a request."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from edge_models.engines.base import BadSchema, Call, Chat, Raw, Sampling, Tool, Turn
from edge_models.messages import messages, tools
from edge_models.tool_calls.asking import arranged, call_schema

LOOK = Tool("look", "Looks things up.", '{"type": "object", "properties": {"what": {"type": "string"}}}')
TURN = Tool("turn", "", '{"type": "object", "properties": {}}')
KNOWS_TOOLS = "{% for tool in tools %}<tool_call>{% endfor %}"
KNOWS_NONE = "{{ messages }}"
ASKED = Chat((Turn("user", "Where is it?"),), (LOOK, TURN))


def test_a_template_with_a_place_for_tools_gets_them() -> None:
    """Nothing is written into the conversation where the model's own template does it."""
    prompt, sampling, calls = arranged(ASKED, Sampling(), "auto", KNOWS_TOOLS)

    assert prompt == ASKED
    assert sampling == Sampling()
    assert calls


def test_a_template_without_one_is_taught() -> None:
    """Tools are described in a system turn, in front or behind the one that is there, and calls are read all the same."""
    prompt, _, calls = arranged(ASKED, Sampling(), "auto", KNOWS_NONE)
    assert isinstance(prompt, Chat)
    assert not prompt.tools
    assert [turn.role for turn in prompt.turns] == ["system", "user"]
    assert '"name":"look"' in prompt.turns[0].text
    assert '"name":"turn"' in prompt.turns[0].text
    assert calls
    assert calls.feed('<tool_call>{"name": "look", "arguments": {}}</tool_call>') == [Call("look", "{}")]

    mine = Chat((Turn("system", "Be brief."), *ASKED.turns), ASKED.tools)
    prompt, _, _ = arranged(mine, Sampling(), "auto", KNOWS_NONE)
    assert isinstance(prompt, Chat)
    assert prompt.turns[0].text.startswith("Be brief.\n\nYou may call functions.")


def test_earlier_calls_become_text_for_such_a_template() -> None:
    """A conversation with calls in it can go on with a model that knows none, with or without tools now."""
    history = Chat((Turn("user", "go"), Turn("assistant", "", (Call("look", '{"what":"it"}'),)), Turn("tool", "here")))

    prompt, _, calls = arranged(history, Sampling(), "auto", KNOWS_NONE)

    assert isinstance(prompt, Chat)
    assert [turn.role for turn in prompt.turns] == ["user", "assistant", "user"]
    assert '{"name": "look", "arguments": {"what":"it"}}' in prompt.turns[1].text
    assert "here" in prompt.turns[2].text
    assert calls is None


@pytest.mark.parametrize(("choice", "names"), [("look", ["look"]), ("required", ["look", "turn"])])
def test_a_call_that_has_to_be_made_is_a_schema(choice: str, names: list[str]) -> None:
    """The answer is held to a call of the tools in question, and read as one."""
    _, sampling, calls = arranged(ASKED, Sampling(), choice, KNOWS_NONE)

    assert sampling.schema
    schema: dict[str, Any] = msgspec.json.decode(sampling.schema)
    forms = schema.get("anyOf", [schema])
    assert [form["properties"]["name"]["const"] for form in forms] == names
    assert calls
    assert calls.feed('{"name": "look", "argu') == []
    assert calls.feed('ments": {"what": "it"}}') == []
    assert calls.finish() == [Call("look", '{"what":"it"}')]


def test_a_tool_that_is_not_there_can_not_be_called() -> None:
    """Who asks for another tool's call is told."""
    with pytest.raises(BadSchema, match="not among the tools"):
        call_schema(ASKED.tools, "fly")
    with pytest.raises(BadSchema, match="no JSON schema"):
        call_schema((Tool("odd", "", "{"),), "odd")


def test_schemas_are_looked_at_before_the_engine_is() -> None:
    """A schema that an engine would break on is refused, the client's own and a tool's parameters alike."""
    with pytest.raises(BadSchema):
        arranged(Raw("x"), Sampling(schema='{"type": "nonsense"}'), "auto", KNOWS_NONE)
    odd = Chat(ASKED.turns, (Tool("odd", "", '{"type": "nonsense"}'),))
    with pytest.raises(BadSchema):
        arranged(odd, Sampling(), "odd", KNOWS_TOOLS)
    arranged(odd, Sampling(), "auto", KNOWS_TOOLS)  # which nobody holds an answer to


def test_dictionaries_for_templates() -> None:
    """Templates get what Hugging Face's are written for: arguments and parameters as objects."""
    chat = Chat((Turn("assistant", "so", (Call("look", '{"a":1}'), Call("odd", "{"))),), (LOOK,))

    assert messages(chat) == [
        {
            "role": "assistant",
            "content": "so",
            "tool_calls": [
                {"type": "function", "function": {"name": "look", "arguments": {"a": 1}}},
                {"type": "function", "function": {"name": "odd", "arguments": "{"}},
            ],
        }
    ]
    (tool,) = tools(chat)
    assert tool["function"]["parameters"]["properties"] == {"what": {"type": "string"}}
