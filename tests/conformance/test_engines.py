"""What every engine of the table must do, in this process and behind the worker protocol."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

import fastjsonschema
import msgspec
import pytest
from msgspec import Meta, Struct
from msgspec.structs import replace

from daemon.worker_process import WorkerProcess
from edge_models.catalog import CATALOG, ModelRef
from edge_models.engines.base import (
    BadPrompt,
    BadSchema,
    Chat,
    ContextTooLong,
    Done,
    Engine,
    Prompt,
    Raw,
    Sampling,
    Scorer,
    Token,
    Turn,
    Unavailable,
)
from edge_models.engines.registry import ENGINES, installed, load_engine
from edge_models.grammars.schema_check import check
from edge_models.ipc import End, Started, Text

MODELS = {entry.engine: ModelRef(entry.name, entry.engine) for entry in CATALOG} | {
    "openvino-raw": ModelRef(CATALOG[0].name, "openvino-raw"),
    "llama-cpp": ModelRef(CATALOG[0].name, "llama-cpp"),
    "scripted": ModelRef("play", "scripted"),
}
NEEDS = {"llama-cpp": "llama_cpp"}
"""The module of an optional extra, without which an engine is not tried here."""


def need(name: str) -> None:
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed: .ci/run builds it and tries {name} with it")


LONG = "Tell me a long story about a journey over the sea to an island and back again"
FIVE_WORDS = "Say one two three four"


def chat(text: str) -> Chat:
    return Chat((Turn("user", text),))


def run(engine: Engine, asked: dict[int, tuple[Prompt, Sampling]]) -> dict[int, tuple[list[Token], Done]]:
    """All requests together, to their ends."""
    tokens: dict[int, list[Token]] = {id: [] for id in asked}
    done: dict[int, Done] = {}
    for id, (prompt, sampling) in asked.items():
        assert engine.start(id, prompt, sampling) > 0
    while len(done) < len(asked):
        in_this_step: dict[int, int] = {}
        for id, event in engine.step():
            assert id not in done, "nothing follows a Done"
            if isinstance(event, Done):
                done[id] = event
            else:
                in_this_step[id] = in_this_step.get(id, 0) + 1
                tokens[id].append(event)
        assert all(number == 1 for number in in_this_step.values()), "a step is at most one token for each request"
    return {id: (tokens[id], done[id]) for id in asked}


def text(tokens: list[Token]) -> str:
    return b"".join(token.piece for token in tokens).decode()


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, model_cache: Path) -> Iterator[Engine]:
    name: str = request.param
    need(name)
    engine = load_engine(name).load(MODELS[name], model_cache, lambda stage, fraction: None)
    yield engine
    engine.close()


def test_every_engine_has_a_model_here() -> None:
    """A new line in the table brings a model to test it with."""
    assert set(MODELS) == set(ENGINES)


def test_an_answer_ends(engine: Engine) -> None:
    """An answer is some text and one Done."""
    tokens, done = run(engine, {1: (chat(FIVE_WORDS), Sampling(max_tokens=200, temperature=0))})[1]

    assert text(tokens).strip()
    assert done.reason == "stop"


def test_max_tokens(engine: Engine) -> None:
    """max_tokens is exact, and the reason says so."""
    tokens, done = run(engine, {2: (chat(LONG), Sampling(max_tokens=5, temperature=0))})[2]

    assert len(tokens) == 5
    assert done == Done("length")


def test_as_many_together_as_declared(engine: Engine) -> None:
    """Requests in one batch each get an answer of their own length."""
    count = engine.capabilities.parallel
    asked: dict[int, tuple[Prompt, Sampling]] = {
        100 + place: (chat(LONG), Sampling(max_tokens=1 + place, temperature=0)) for place in range(count)
    }

    answers = run(engine, asked)

    assert [len(answers[100 + place][0]) for place in range(count)] == [1 + place for place in range(count)]


def test_greedy_repeats(engine: Engine) -> None:
    """Alone and at temperature 0, the same question gets the same answer."""
    once = [text(run(engine, {id: (chat(LONG), Sampling(max_tokens=12, temperature=0))})[id][0]) for id in (3, 4, 5)]

    assert once[1] == once[2]  # the first one filled the prefix cache, which may move the last bits of a logit


def test_seed_repeats(engine: Engine) -> None:
    """Alone, the same seed gives the same answer, whatever was asked in between, where the engine says that it has seeds."""
    if not engine.capabilities.seed:
        pytest.skip("the engine declares no seeds")
    wanted = Sampling(max_tokens=24, temperature=1.5, seed=1)
    answers = []
    for id in (6, 7, 8, 9):
        answers.append(text(run(engine, {id: (chat("What is 2 + 2?"), wanted)})[id][0]))
        if id == 7:
            run(engine, {60: (chat("What is 2 + 3?"), Sampling(max_tokens=3))})

    assert len(set(answers[1:])) == 1  # the first one may fill a prefix cache, which may move the last bits of a logit


def test_logprobs_only_when_asked(engine: Engine) -> None:
    """Log-probabilities are there for each token when asked for and declared, and not otherwise."""
    without, _ = run(engine, {9: (chat(LONG), Sampling(max_tokens=4))})[9]
    if engine.capabilities.logprobs != "none":
        asked, _ = run(engine, {10: (chat(LONG), Sampling(max_tokens=4, logprobs=True))})[10]
        assert all(token.logprob is not None and -math.inf < token.logprob <= 0 for token in asked)
    if engine.capabilities.logprobs != "top":
        assert not any(token.top for token in without)


def test_cancel_within_one_token(engine: Engine) -> None:
    """After a cancel nothing more is heard of a request, and the others go on; an unknown id is ignored."""
    engine.start(11, chat(LONG), Sampling(max_tokens=500))
    engine.start(12, chat(LONG), Sampling(max_tokens=6))
    heard: list[int] = []
    while 11 not in heard or 12 not in heard:
        heard += [id for id, _ in engine.step()]

    engine.cancel(11)
    engine.cancel(999)
    rest: list[tuple[int, Token | Done]] = []
    while not any(isinstance(event, Done) for _, event in rest):
        rest += engine.step()

    assert {id for id, _ in rest} == {12}


def test_overflow_is_an_error_with_both_numbers(engine: Engine) -> None:
    """A prompt that fills the window is refused, and the engine goes on."""
    with pytest.raises(ContextTooLong) as caught:
        engine.start(13, chat("word " * (engine.context_tokens + 10)), Sampling())

    assert caught.value.prompt_tokens >= engine.context_tokens
    assert caught.value.context_tokens == engine.context_tokens
    assert run(engine, {14: (chat(FIVE_WORDS), Sampling(max_tokens=2))})[14][0]


def test_what_is_taken_out_before_a_step_leaves_nothing(engine: Engine) -> None:
    """A prompt can be put in for its length alone: the next request is answered as if it had not been there."""
    greedy = Sampling(max_tokens=4, temperature=0)
    before = run(engine, {1: (chat("Name a colour."), greedy)})[1]

    first, again = engine.start(2, chat("Name a colour."), greedy), 0
    engine.cancel(2)
    again = engine.start(3, chat("Name a colour."), greedy)
    engine.cancel(3)

    assert first == again > 0
    assert run(engine, {4: (chat("Name a colour."), greedy)})[4] == before


def test_raw_prompts(engine: Engine) -> None:
    """A prompt can go to the tokenizer as it is."""
    tokens, _ = run(engine, {15: (Raw("The quick brown fox jumps over the lazy"), Sampling(max_tokens=4))})[15]

    assert tokens


@pytest.mark.parametrize("words", ["", " ", "\x00", "😀" * 50, "<|im_end|>", "\u202e\u200b", "مرحبا 你好"])
def test_odd_words(engine: Engine, words: str) -> None:
    """Whatever stands in a prompt, the engine answers or refuses it, and goes on."""
    try:
        run(engine, {16: (chat(words), Sampling(max_tokens=3))})
    except BadPrompt as error:
        assert not words.strip() or words not in str(error)
    assert run(engine, {17: (chat(FIVE_WORDS), Sampling(max_tokens=2))})[17][0]


@pytest.mark.parametrize("name", [name for name in ENGINES if name != "scripted"])
def test_a_pinned_device_that_it_does_not_run_on_is_refused(name: str, model_cache: Path) -> None:
    """No engine serves a model in silence on another device than the settings pin it to."""
    if not installed(name):
        pytest.skip("the engine is not installed")
    pinned = replace(MODELS[name], device="NPU.9")

    with pytest.raises(Unavailable, match=r"NPU\.9"):
        load_engine(name).load(pinned, model_cache, lambda stage, fraction: None)


PERSON = (
    '{"type": "object", "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer",'
    ' "minimum": 1, "maximum": 99}, "sort": {"enum": ["cat", "dog"]}}, "required": ["name", "age", "sort"],'
    ' "additionalProperties": false}'
)


class Person(Struct, frozen=True, forbid_unknown_fields=True):
    """What PERSON allows."""

    name: Annotated[str, Meta(max_length=12)]
    age: Annotated[int, Meta(ge=1, le=99)]
    sort: Literal["cat", "dog"]


def test_a_schema_holds_the_answer(engine: Engine) -> None:
    """Where schemas are declared, answers to a question about something else fit, at any temperature.

    A weak model may lose itself in the blanks that JSON allows between its parts, so not each of them has to end.
    """
    if not engine.capabilities.schema:
        pytest.skip("the engine declares no schemas")
    fitting = 0
    for id, temperature in ((20, 0.0), (21, 0.3), (22, 1.5)):
        wanted = Sampling(max_tokens=120, temperature=temperature, seed=id, schema=PERSON)
        tokens, done = run(engine, {id: (chat(FIVE_WORDS), wanted)})[id]
        assert text(tokens).lstrip().startswith("{")
        if done.reason == "stop":
            assert msgspec.json.decode(text(tokens), type=Person)
            fitting += 1
    assert fitting


@pytest.mark.parametrize(
    "schema", ['{"type": "object"}', "{}", '{"type": ["integer", "null"]}', '{"const": {"a": [1]}}']
)
def test_plain_schemas(engine: Engine, schema: str) -> None:
    """The smallest schemas work too."""
    if not engine.capabilities.schema:
        pytest.skip("the engine declares no schemas")
    check(schema)
    tokens, _ = run(engine, {22: (chat(FIVE_WORDS), Sampling(max_tokens=4, temperature=0, schema=schema))})[22]

    assert text(tokens).strip()


AWKWARD: list[Any] = [
    {"type": "object", "properties": {'a"b\n\t\\ é': {"type": "integer"}}, "required": ['a"b\n\t\\ é']},
    {"type": "object", "properties": {"score": {"type": "number", "minimum": 0, "maximum": 1}}, "required": ["score"]},
    {"type": "object", "properties": {}, "required": ["zzz"]},
    {"type": "string", "pattern": '^a"b\\\\n[0-9]{2}$'},
    {"type": "integer", "enum": ["x", 3]},
    {"enum": ['ä"\n', "\u2028b", "\x1fc"]},
    {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "integer", "minimum": 10, "maximum": 12}}},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 2},
    {"type": "string", "format": "date"},
    {"type": "number", "minimum": 0.5, "maximum": 0.6},
    {"type": "number", "minimum": -1.5, "exclusiveMaximum": -0.5},
]


def test_awkward_schemas_hold_the_answer(engine: Engine) -> None:
    """Quotes, escapes, bounds and references of a schema hold the answer too, and none of them breaks the engine."""
    if not engine.capabilities.schema:
        pytest.skip("the engine declares no schemas")
    finished = 0
    for id, schema in enumerate(AWKWARD, 80):
        wanted = Sampling(max_tokens=80, temperature=0.7, seed=id, schema=json.dumps(schema))
        check(wanted.schema or "")
        tokens, done = run(engine, {id: (chat(FIVE_WORDS), wanted)})[id]
        if done.reason == "stop":
            fastjsonschema.compile(schema)(msgspec.json.decode(text(tokens)))
            finished += 1
    assert finished >= len(AWKWARD) - 4  # a weak model may fill its length with digits or blanks


def test_schemas_that_no_answer_can_be_held_to(engine: Engine) -> None:
    """They are refused when the request begins, and cost nobody else anything."""
    if not engine.capabilities.schema:
        pytest.skip("the engine declares no schemas")
    refused: list[Any] = [
        {"type": "object", "properties": {"a": {}}, "minProperties": 2},
        {"$ref": "#/$defs/n", "$defs": {"n": {"$ref": "#/$defs/n"}}},
        {"$ref": "#/$defs/n", "$defs": {"n": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/n"}]}}},
        {"type": "string", "anyOf": [{"type": "integer"}, {"type": "string"}]},
        {"const": "x", "type": "integer"},
    ]
    for schema in refused:
        with pytest.raises(BadSchema):
            engine.start(79, chat(FIVE_WORDS), Sampling(max_tokens=3, schema=json.dumps(schema)))
    assert run(engine, {78: (chat(FIVE_WORDS), Sampling(max_tokens=2))})[78][0]


def test_a_prompt_far_beyond_the_window_is_refused_at_once(engine: Engine) -> None:
    """Its length alone tells that it can't fit: it is not cut into tokens, which would take seconds from everybody."""
    if engine.context_tokens > 100_000:
        pytest.skip("it plays, and has no window to speak of")
    began = time.process_time()
    with pytest.raises(ContextTooLong) as caught:
        engine.start(77, chat("word " * 6_000_000), Sampling(max_tokens=2))

    assert time.process_time() - began < 1
    assert caught.value.prompt_tokens > caught.value.context_tokens == engine.context_tokens


def test_alternatives(engine: Engine) -> None:
    """Where top-k is declared, each token has its alternatives, the most likely one first, and itself among greedy ones."""
    if engine.capabilities.logprobs != "top":
        pytest.skip("the engine gives the chosen token's log-probability only")
    wanted = Sampling(max_tokens=4, temperature=0, logprobs=True, top_logprobs=5)
    tokens, _ = run(engine, {23: (chat(LONG), wanted)})[23]

    for token in tokens:
        assert len(token.top) == 5
        assert [logprob for _, logprob in token.top] == sorted((logprob for _, logprob in token.top), reverse=True)
        assert token.logprob == pytest.approx(token.top[0][1], abs=1e-4)


def test_scores(engine: Engine) -> None:
    """A scorer tells a likely continuation from an unlikely one, in flight and after the end, and disturbs nothing."""
    assert engine.capabilities.score == isinstance(engine, Scorer)
    if not isinstance(engine, Scorer):
        pytest.skip("the engine declares no scores")
    wanted = Sampling(max_tokens=12, temperature=0, keep=True)
    prompt = Raw("One, two, three, four, five,")
    undisturbed = text(run(engine, {24: (prompt, wanted)})[24][0])
    engine.cancel(24)
    engine.start(25, prompt, wanted)
    tokens: list[Token] = []
    done = False
    while not done:
        for _, event in engine.step():
            if isinstance(event, Token):
                tokens.append(event)
                likely, unlikely = (
                    engine.score(25, (text(tokens), " purple")) if len(tokens) == 1 else ((0.0,), (-1.0,))
                )
                assert sum(unlikely) < 0
                assert all(logprob <= 0 for logprob in likely)
            done = isinstance(event, Done)

    assert text(tokens) == undisturbed
    once, twice = engine.score(25, (" the", " the"))
    assert once == pytest.approx(twice, abs=1e-3)
    engine.cancel(25)
    engine.start(26, Raw("The capital of France is"), Sampling(max_tokens=1, temperature=0, keep=True))
    engine.cancel(26)


@pytest.mark.parametrize("name", ENGINES)
async def test_behind_the_protocol(name: str, model_cache: Path) -> None:
    """In its worker the engine declares itself, answers with whole characters, and stops before a stop string."""
    import asyncio

    need(name)
    worker = await WorkerProcess.spawn(MODELS[name], model_cache)
    try:
        ready = await worker.load(lambda loading: None)
        assert ready.context_tokens > 0
        assert worker.hello
        assert worker.hello.engine == name
        serving = asyncio.ensure_future(worker.serve())
        for stop, expected in (((), "four"), (("three",), "")):
            sampling = Sampling(max_tokens=60, temperature=0, stop=stop)
            prompt = Chat((Turn("user", "Repeat: one two three four"),))
            events = [event async for event in worker.generate(prompt, sampling)]
            words = "".join(event.text for event in events if isinstance(event, Text))
            assert isinstance(events[0], Started)
            assert isinstance(events[-1], End)
            assert events[-1].completion_tokens > 0
            assert expected in words
            assert "three" not in words or not stop
        serving.cancel()
    finally:
        await worker.stop()
