"""The one walk over a request's texts."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.contract import File, Image, Message, Request, Sampling, Sight, Text, Thought, Tool, ToolCall, ToolResult
from providers.texts import Field, carried, fields, rewritten, seen_in, with_carried

WHOLE = Request(
    id="0" * 16,
    model="auto",
    protocol="t",
    messages=(
        Message("system", (Text("w0"),)),
        Message("user", (Text("w1"), Image("https://x.invalid/w2.png"), File("https://x.invalid/w3", "w4.pdf"))),
        Message(
            "assistant",
            (
                Thought("w5"),
                Thought("wk", "sig"),
                ToolCall("c1", "k1", '{"k2": "w6", "k3": [{"k4": "w7"}, "w8", 3, null]}'),
            ),
        ),
        Message("assistant", (ToolCall("c2", "k5", "no json w9"),)),
        Message("tool", (ToolResult("c1", (Text("wa"), Image("https://x.invalid/wb")), failed=True),)),
    ),
    tools=(Tool("k6", "wc", {"k7": {"k8": "wd", "k9": ["we", True]}}),),
    schema={"ka": "wf", "kb": {"kc": 1}},
    extras={"kd": "wg", "ke": ["wh"]},
    sampling=Sampling(stop=("wi", "wj"), max_tokens=5),
)
FREE = {f"w{n}" for n in "0123456789abcdefghijk"}
FIXED = {f"k{n}" for n in "123456789abcde"}


def marks(text: str) -> set[str]:
    return {mark for mark in FREE | FIXED if mark in text}


def test_every_text_is_visited_exactly_once() -> None:
    """No mark is missing and none comes twice; names and keys are fixed, all else is not."""
    free = [mark for field in fields(WHOLE) if not field.fixed for mark in marks(field.text)]
    fixed = [mark for field in fields(WHOLE) if field.fixed for mark in marks(field.text)]

    assert sorted(free) == sorted(FREE)
    assert sorted(fixed) == sorted(FIXED)


def test_no_two_texts_have_the_same_path() -> None:
    """A path names one text, so that a span can be masked where it was found."""
    paths = [field.path for field in fields(WHOLE)]

    assert len(set(paths)) == len(paths)


def test_an_identity_rewrite_gives_an_equal_request() -> None:
    """What nobody changes is not touched, down to the blanks in a tool call's JSON."""
    assert rewritten(WHOLE, lambda path, text: text) == WHOLE


def test_reading_and_rewriting_visit_the_same() -> None:
    """What is looked at and what can be masked is one set."""
    changed: list[Field] = []

    def change(path: str, text: str) -> str:
        changed.append(Field(path, text))
        return text

    rewritten(WHOLE, change)

    assert changed == [field for field in fields(WHOLE) if not field.fixed]


def test_what_is_rewritten_is_gone() -> None:
    """Each free mark can be taken out, and no fixed one is lost."""
    masked = rewritten(WHOLE, lambda path, text: "-")
    left = msgspec.json.encode(masked).decode()

    assert marks(left) == FIXED
    assert {field.text for field in fields(masked) if not field.fixed} == {"-"}
    assert masked.sampling.max_tokens == 5


def test_escaped_values_in_tool_arguments_are_decoded() -> None:
    """A value is seen as it is meant, and is JSON again after the rewrite."""
    call = ToolCall("c1", "send", '{"to": "mara\\u0040nordhof.com\\n\\"x\\"", "n": 1.50}')
    asked = msgspec.structs.replace(WHOLE, messages=(Message("assistant", (call,)),))

    assert 'mara@nordhof.com\n"x"' in [field.text for field in fields(asked)]
    masked = rewritten(asked, lambda path, text: text.replace("mara@nordhof.com", 'A"1'))
    [part] = masked.messages[0].parts
    assert isinstance(part, ToolCall)
    assert json.loads(part.arguments) == {"to": 'A"1\n"x"', "n": 1.5}


def test_data_urls_are_opaque_and_not_texts() -> None:
    """A picture that is carried whole can't be looked at, and its place is told."""
    picture = Image("data:image/png;base64,AAAA")
    asked = msgspec.structs.replace(
        WHOLE, messages=(Message("user", (Text("a"), picture)), Message("tool", (ToolResult("c", (picture,)),)))
    )

    assert tuple(each.path for each in carried(asked)) == ("messages[0].parts[1]", "messages[1].parts[0].0")
    assert not [field for field in fields(asked) if "base64" in field.text]
    assert rewritten(asked, lambda path, text: "-").messages[0].parts[1] == picture


def test_words_seen_in_pictures_are_texts_that_can_not_be_changed() -> None:
    """They are looked at, wherever the picture is; no change of theirs would change a pixel."""
    picture = Image("data:image/png;base64,AAAA", sight=Sight(form="png", text="w1"))
    paper = File("data:application/pdf;base64,AAAA", sight=Sight(form="pdf", text="w2"))
    result = ToolResult("c", (Text("b"), picture))
    asked = msgspec.structs.replace(WHOLE, messages=(Message("user", (picture, paper)), Message("tool", (result,))))

    seen = {field.path: field for field in fields(asked) if seen_in(field.path)}
    assert {path: (field.text, field.fixed) for path, field in seen.items()} == {
        "messages[0].parts[0].sight": ("w1", True),
        "messages[0].parts[1].sight": ("w2", True),
        "messages[1].parts[0].1.sight": ("w1", True),
    }
    assert [seen_in(path) for path in seen] == [path for path, _ in carried(asked)]
    assert rewritten(asked, lambda path, text: "-").messages[0].parts == (picture, paper)


def test_a_key_of_the_clients_is_no_sight() -> None:
    """Only a picture's own place counts."""
    call = ToolCall("c1", "send", '{"a.sight": "x"}')
    asked = msgspec.structs.replace(WHOLE, messages=(Message("assistant", (call,)),))

    assert not [field.path for field in fields(asked) if seen_in(field.path)]


def test_pictures_can_take_the_place_of_others() -> None:
    """By their path, also within what a tool gave back; all else stays."""
    old, new = Image("data:old"), Image("data:new")
    result = ToolResult("c", (Text("b"), old))
    asked = msgspec.structs.replace(WHOLE, messages=(Message("user", (Text("a"), old)), Message("tool", (result, old))))

    changed = with_carried(asked, {"messages[0].parts[1]": new, "messages[1].parts[0].1": new})

    assert changed.messages[0].parts == (Text("a"), new)
    assert changed.messages[1].parts == (ToolResult("c", (Text("b"), new)), old)
    assert with_carried(asked, {}) is asked


def test_deep_arguments_are_one_text() -> None:
    """JSON that is nested too deeply to be read is still looked at."""
    call = ToolCall("c1", "send", "[" * 100_000 + '"canary"' + "]" * 100_000)
    asked = msgspec.structs.replace(WHOLE, messages=(Message("assistant", (call,)),))

    assert [field.path for field in fields(asked) if "canary" in field.text] == ["messages[0].parts[0].arguments"]


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner),
    max_leaves=8,
)


@given(values)
def test_any_json_is_walked(value: Any) -> None:
    """A mark that stands in every value of tool arguments is gone after the rewrite, and the form is the same."""
    call = ToolCall("c1", "send", json.dumps(value))
    asked = msgspec.structs.replace(WHOLE, messages=(Message("assistant", (call,)),))
    count = len(fields(asked))

    masked = rewritten(asked, lambda path, text: text + "!")
    [part] = masked.messages[0].parts
    assert isinstance(part, ToolCall)

    def marked(value: Any) -> Any:
        match value:
            case str():
                return value + "!"
            case list():
                return [marked(inner) for inner in value]
            case dict():
                return {key: marked(inner) for key, inner in value.items()}
            case _:
                return value

    assert json.loads(part.arguments) == marked(value)
    assert len(fields(asked)) == count


def test_arguments_that_are_no_text_are_looked_at_as_they_are() -> None:
    """A lone surrogate, which no JSON decoder takes, is one text and no error."""
    call = ToolCall("c", "look", "\ud800")
    request = Request(id="r", model="m", messages=(Message("assistant", (call,)),), protocol="t")

    assert "\ud800" in [field.text for field in fields(request)]


def test_ids_of_calls_are_texts() -> None:
    """An id is looked at and rewritten, and the result still belongs to its call."""
    call, result = ToolCall("ada", "look", "{}"), ToolResult("ada", (Text("ok"),))
    turns = (Message("assistant", (call,)), Message("tool", (result,)))
    request = Request(id="r", model="m", messages=turns, protocol="t")

    changed = rewritten(request, lambda path, text: text.replace("ada", "eve"))

    assert [field.text for field in fields(request)].count("ada") == 2
    assert changed.messages[0].parts[0] == ToolCall("eve", "look", "{}")
    assert changed.messages[1].parts[0] == ToolResult("eve", (Text("ok"),))


@pytest.mark.parametrize("arguments", ['{"a": "ada", "a": "ok"}', '{"a": ["ada"], "\\u0061": 1}'])
def test_a_name_that_stands_twice_hides_nothing(arguments: str) -> None:
    """What a decoder would leave out of arguments is looked at and rewritten as well."""
    call = Message("assistant", (ToolCall("c", "look", arguments),))
    request = Request(id="r", model="m", messages=(call,), protocol="t")

    changed = rewritten(request, lambda path, text: text.replace("ada", "eve"))

    assert any("ada" in field.text for field in fields(request))
    [part] = changed.messages[0].parts
    assert isinstance(part, ToolCall)
    assert part.arguments == arguments.replace("ada", "eve")
