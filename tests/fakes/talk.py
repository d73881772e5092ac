"""Conversations, tools and answers of every kind in no protocol's shape, for property tests."""

from __future__ import annotations

import base64
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from msgspec import Struct

from providers.contract import FinishReason

PNG: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Call(Struct, frozen=True):
    """A tool call. arguments: the object that its JSON means."""

    name: str
    arguments: dict[str, Any]


class Tool(Struct, frozen=True):
    name: str
    description: str
    parameters: dict[str, Any]


class User(Struct, frozen=True):
    text: str
    images: tuple[bytes, ...] = ()


class Assistant(Struct, frozen=True):
    text: str = ""
    thought: str = ""
    calls: tuple[Call, ...] = ()


class Results(Struct, frozen=True):
    """What the calls of the turn before gave back, in their order."""

    texts: tuple[str, ...]


Turn = User | Assistant | Results


class Talk(Struct, frozen=True):
    """What is asked."""

    turns: tuple[Turn, ...]
    system: str = ""
    tools: tuple[Tool, ...] = ()
    schema: dict[str, Any] | None = None


class Answer(Struct, frozen=True):
    """What comes back. cached, reasoning: of the tokens before them."""

    text: str = ""
    thought: str = ""
    calls: tuple[Call, ...] = ()
    reason: FinishReason = "stop"
    prompt_tokens: int = 7
    completion_tokens: int = 2
    cached: int = 0
    reasoning: int = 0


# ---- texts and values -----------------------------------------------------------------------------------------------

words: Final = st.text(min_size=1, max_size=30) | st.text("a \n\r\x0b\x0c\x1c\x85\u2028\u2029", min_size=1, max_size=9)
"""Also those that are full of what somebody may take for the end of a line."""
names: Final = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,20}", fullmatch=True)
_leaves: Final = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
)
json_values: Final = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def _closed(inner: SearchStrategy[dict[str, Any]]) -> SearchStrategy[dict[str, Any]]:
    lists = inner.map(lambda items: {"type": "array", "items": items})
    choices = st.lists(inner, min_size=1, max_size=2).map(lambda each: {"anyOf": each})
    return lists | choices | _objects(inner)


@st.composite
def _objects(draw: DrawFn, inner: SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    properties = draw(st.dictionaries(st.text(max_size=8), inner, max_size=3))
    made: dict[str, Any] = {"type": "object", "properties": properties}
    if needed := [name for name in properties if draw(st.booleans())]:
        made["required"] = needed
    if draw(st.booleans()):
        made["additionalProperties"] = False
    return made


_plain: Final = st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(lambda kind: {"type": kind})
_enums: Final = st.lists(st.text(max_size=6), min_size=1, max_size=3, unique=True).map(lambda each: {"enum": each})
schemas: Final = st.recursive(_plain | _enums | st.just({}), _closed, max_leaves=5)
object_schemas: Final = _objects(schemas)


def values(schema: dict[str, Any]) -> SearchStrategy[Any]:
    """What fits a schema of this module."""
    match schema:
        case {"type": "object", "properties": properties}:
            needed = {name: values(inner) for name, inner in properties.items() if name in schema.get("required", ())}
            others = {name: values(inner) for name, inner in properties.items() if name not in needed}
            return st.fixed_dictionaries(needed, optional=others)
        case {"type": "array", "items": items}:
            return st.lists(values(items), max_size=3)
        case {"anyOf": choices}:
            return st.one_of([values(each) for each in choices])
        case {"enum": listed}:
            return st.sampled_from(listed)
        case {"type": kind}:
            return _OF_TYPE[kind]
        case _:
            return json_values


_OF_TYPE: Final[dict[str, SearchStrategy[Any]]] = {
    "string": st.text(max_size=20),
    "integer": st.integers(-(2**70), 2**70),
    "number": st.integers(-1000, 1000) | st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "null": st.none(),
}

# ---- conversations --------------------------------------------------------------------------------------------------


@st.composite
def toolboxes(draw: DrawFn) -> tuple[Tool, ...]:
    found = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    return tuple(Tool(name, draw(st.text(max_size=20)), draw(object_schemas)) for name in found)


@st.composite
def calls_of(draw: DrawFn, tools: tuple[Tool, ...], least: int = 1, most: int = 3) -> tuple[Call, ...]:
    """Calls that fit their tools."""
    chosen = draw(st.lists(st.sampled_from(tools), min_size=least, max_size=most))
    return tuple(Call(tool.name, draw(values(tool.parameters))) for tool in chosen)


@st.composite
def usages(draw: DrawFn) -> dict[str, int]:
    prompt, completion = draw(st.integers(1, 10**6)), draw(st.integers(1, 10**6))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "cached": draw(st.integers(0, prompt)),
        "reasoning": draw(st.integers(0, completion)),
    }


@st.composite
def talks(
    draw: DrawFn,
    tools: int = 0,
    parallel: bool = False,
    images: bool = False,
    thoughts: bool = False,
    schema: bool = False,
) -> Talk:
    """A conversation that ends with what is to be answered. tools: whether there are any; parallel: whether several are called
    in one turn.
    """
    offered = draw(toolboxes()) if tools else ()
    turns: list[Turn] = []
    for _ in range(draw(st.integers(0, 2))):
        turns.append(User(draw(words)))
        thought = draw(words) if thoughts else ""
        if offered and draw(st.booleans()):
            made = draw(calls_of(offered, *((2, 3) if parallel else (1, 1))))
            turns.append(Assistant(draw(st.just("") | words), thought, made))
            turns.append(Results(tuple(draw(words) for _ in made)))
        turns.append(Assistant(draw(words), thought))
    pictures = tuple(PNG + draw(st.binary(max_size=8)) for _ in range(draw(st.integers(1, 2)))) if images else ()
    turns.append(User(draw(words), pictures))
    if offered and draw(st.booleans()):
        made = draw(calls_of(offered, *((2, 3) if parallel else (1, 1))))
        turns += [
            Assistant(draw(st.just("") | words), draw(words) if thoughts else "", made),
            Results(tuple(draw(words) for _ in made)),
        ]
    return Talk(tuple(turns), draw(st.just("") | words), offered, draw(object_schemas) if schema else None)


@st.composite
def answers(draw: DrawFn, talk: Talk, parallel: bool = False, thoughts: bool = False) -> Answer:
    """What is said to it."""
    calls = draw(calls_of(talk.tools, *((2, 3) if parallel else (1, 1)))) if talk.tools else ()
    text = draw(st.just("") | words) if calls else draw(words)
    reason: FinishReason = "tool_calls" if calls else draw(st.sampled_from(["stop", "length", "content_filter"]))
    return Answer(text, draw(words) if thoughts else "", calls, reason, **draw(usages()))
