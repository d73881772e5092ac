"""The family `code`: asked for by a policy, over all texts of a conversation."""

from __future__ import annotations

from daemon.boundary.clear import clear
from daemon.boundary.judge import judge
from daemon.boundary.policy import Policy
from daemon.boundary.vault import Vault
from daemon.recipes.signals import Signals
from daemon.signals.base import Asked, Observation
from daemon.signals.code_names import NamesInCode
from daemon.signals.parts import Parts
from providers.cleared import Place
from providers.contract import Message, Request, Text, Tool, ToolCall, ToolResult
from providers.texts import fields

CODE = "```python\ndef total_of(cust_ref):\n    return Falcon(cust_ref)\n\nclass Falcon: ...\n```"


def asked(*messages: Message, tools: tuple[Tool, ...] = ()) -> Request:
    return Request(id="0" * 16, model="cloud", messages=messages, tools=tools, protocol="test")


def look(request: Request, *reduce: str) -> list[Observation]:
    family = NamesInCode(Signals(), Parts(guard=True, reduce=frozenset(reduce)))
    return family.look(Asked(request, fields(request)))


def test_nobody_looks_unless_a_policy_asks() -> None:
    """Without it nothing is found, and nothing is read."""
    request = asked(Message("user", (Text(CODE),)))

    assert look(request) == []
    assert look(request, "implicit") == []
    assert [seen.label for seen in look(request, "code")] == ["CODE_NAME"]


def test_a_name_found_in_one_text_is_one_in_all() -> None:
    """A plain word that code makes a name of is masked in what is said of it too, in its own case."""
    request = asked(
        Message("user", (Text(CODE),)), Message("user", (Text("Is Falcon slow? A falcon is not. Falconry?"),))
    )
    (seen,) = look(request, "code")
    clearance = judge([seen], (), Policy("balanced", {"code": "reduce"}), "any")
    passage = clear(request, clearance, Place.CLOUD, Vault())
    first, second = (message.parts[0] for message in passage.cleared.request.messages)
    assert isinstance(first, Text)
    assert isinstance(second, Text)

    assert clearance.reach == "masked"
    assert "Falcon" not in first.text
    assert "total_of" not in first.text
    assert "Falcon slow" not in second.text
    assert "A falcon is not. Falconry?" in second.text


def test_names_that_cannot_be_masked_are_left_alone() -> None:
    """A tool's name and its arguments' keys can't be replaced, so the same words elsewhere aren't found: the request can go."""
    tool = Tool("read_ledger", "Reads.", {"type": "object", "properties": {"acct_ref": {"type": "string"}}})
    request = asked(
        Message("user", (Text("Call `read_ledger` with `acct_ref`, for `night_run`."),)),
        Message("assistant", (ToolCall("c1", "read_ledger", '{"acct_ref": "night_run"}'),)),
        Message("tool", (ToolResult("c1", (Text("def night_run(): pass"),)),)),
        tools=(tool,),
    )
    (seen,) = look(request, "code")
    texts = {field.path: field.text for field in fields(request)}

    assert {texts[span.path][span.start : span.end] for span in seen.spans} == {"night_run"}
    assert {span.path for span in seen.spans} == {
        "messages[0].parts[0]",
        "messages[1].parts[0].arguments/acct_ref",
        "messages[2].parts[0].0",
    }
    assert not any(span.fixed for span in seen.spans)
