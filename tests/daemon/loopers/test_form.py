"""The form that an answer has to have, and the ways to it."""

from __future__ import annotations

import pytest

from daemon.decision.rules import Candidate, Way
from daemon.loopers.base import Errand
from daemon.loopers.form import concluded, form_of
from daemon.loopers.gathering import Answer
from daemon.recipes.algorithms import Algorithm
from daemon.recipes.contracts import OutputContract, contract_of
from providers.contract import Text, Thought, ToolCall
from tests.fakes.panel import Panel, Say

CHOICE = {"type": "choice", "choice_set": ["A", "B", "C"]}


def answer(text: str, thought: str = "") -> Answer:
    parts = (Thought(thought), Text(text)) if thought else (Text(text),)
    return Answer(Candidate("local", "a"), Errand("s", "synthesis"), parts, "stop")


async def held(
    spec: object, text: str, *others: str, again: Say = "no", said: str = "", thought: str = ""
) -> tuple[str, list[str]]:
    """The answer's words in the form, and what is noted."""
    contract = contract_of(spec)
    form = form_of(Way(Algorithm(type="remom"), contract=contract, said=said))
    assert form
    ask = Panel({"a": again})
    answers = [answer(each) for each in others]
    return (await concluded(form, answer(text, thought), answers, ask)).text, ask.notes


@pytest.mark.parametrize("text", ["B", "b.", "(B)", "**B**", "It has to be so.\nANSWER: B", "B) because it is"])
async def test_a_choice_is_found(text: str) -> None:
    """However it is marked, only the choice is left."""
    assert await held(CHOICE, text) == ("B", [])


async def test_a_choice_is_written_as_wanted() -> None:
    """`render` says how, and a JSON object may hold it."""
    spec = {**CHOICE, "render": "ANSWER: {choice}", "extract": {"mode": "json_object"}}

    assert await held(spec, 'I say {"answer": "c"}.') == ("ANSWER: C", [])


async def test_exactly_as_it_is() -> None:
    """Without normalising, only the very choice is one."""
    assert await held({**CHOICE, "normalize": False}, "b", again="B") == ("B", ["contract-repaired"])


async def test_other_places_to_look() -> None:
    """Reasoning and the answers before are looked at where the contract says so, in its order."""
    spec = {**CHOICE, "extract": {"sources": ["content", "reasoning_content", "candidate_responses"]}}

    assert await held(spec, "Hard to say, really.", "A", thought="It can only be.\nANSWER: C") == ("C", [])
    assert await held(spec, "Hard to say, really.", "A") == ("A", [])


async def test_its_writer_is_asked_once_more() -> None:
    """Then the fall-back holds; without one the answer stays, and is said to have another form."""
    assert await held(CHOICE, "Both are nice.", again="A") == ("A", ["contract-repaired"])
    with_fallback = {**CHOICE, "on_violation": {"repair": False, "fallback": "C"}}
    assert await held(with_fallback, "Both are nice.", again=AssertionError()) == ("C", ["contract-repaired"])
    majority = {**CHOICE, "on_violation": {"fallback": "majority"}}
    assert await held(majority, "Both are nice.", "A", "B", "B") == ("B", ["contract-repaired"])
    assert await held(CHOICE, "Both are nice.") == ("Both are nice.", ["contract-broken"])


async def test_one_object() -> None:
    """Words around an object go; two objects are none."""
    spec = {"type": "structured_json"}

    assert await held(spec, 'Here:\n```json\n{"a": [1, 2]}\n```') == ('{"a":[1,2]}', [])
    assert (await held(spec, '{"a": 1} {"a": 2}'))[1] == ["contract-broken"]


@pytest.mark.parametrize(("id_format", "said"), [("index", "1"), ("reference_number", "2.")])
async def test_a_reference_is_followed(id_format: str, said: str) -> None:
    """The number stands for the answer that it names; one that isn't there is none."""
    spec = {"type": "reference_selection", "reference": {"id_format": id_format}}

    assert await held(spec, said, "first", "second") == ("second", [])
    assert (await held(spec, "7", "first", "second"))[1] == ["contract-broken"]


@pytest.mark.parametrize(
    "said",
    [
        "Which? End with `ANSWER: X`.",
        "Finish with a line ANSWER: <letter>",
        "Format:\nANSWER: [A-D]",
        "... then ANSWER: ...",
    ],
)
async def test_a_line_that_the_user_wants(said: str) -> None:
    """It is kept if it is there, and else written with what most answers before have there."""
    assert await held(None, "So:\nANSWER: B", "ANSWER: C", said=said) == ("So:\nANSWER: B", [])
    text, notes = await held(None, "It is the second.", "x\nANSWER: C", "y\nANSWER: B", "z\nANSWER: B", said=said)
    assert (text, notes) == ("It is the second.\n\nANSWER: B", ["contract-repaired"])


@pytest.mark.parametrize("said", ["What is 2 + 2?\nAnswer:", "NOTE: be brief", "A: one\nB: two\nANSWER:"])
def test_no_line_is_wanted(said: str) -> None:
    """A cue to answer is no form of an answer."""
    assert form_of(Way(Algorithm(type="remom"), said=said)) is None


async def test_a_call_needs_no_form() -> None:
    """A call of a tool is passed on as it is."""
    form = form_of(Way(Algorithm(type="remom"), contract=OutputContract("choice", ("A",))))
    call = Answer(Candidate("local", "a"), Errand("s", "synthesis"), (ToolCall("1", "look", "{}"),), "tool_calls")
    assert form

    assert await concluded(form, call, (), Panel({})) is call
