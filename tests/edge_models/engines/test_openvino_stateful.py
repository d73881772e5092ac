"""The pipeline that an NPU runs, over the CPU: OpenVINO GenAI's own stateful pipeline with the packaged model."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from edge_models.catalog import CATALOG, ModelRef
from edge_models.engines import openvino_genai
from edge_models.engines.base import (
    BadPrompt,
    Broken,
    Chat,
    ContextTooLong,
    Done,
    Prompt,
    Raw,
    Sampling,
    Token,
    Turn,
    Unavailable,
)
from edge_models.engines.openvino_stateful import OpenVinoStateful, opened

WAIT_S = 20.0
_ids = count(1)


@pytest.fixture(scope="module")
def directory(model_cache: Path) -> Path:
    """The packaged model made ready, by an earlier test or here."""
    if not any(path.is_dir() for path in model_cache.iterdir()):
        openvino_genai.load(ModelRef(CATALOG[0].name, CATALOG[0].engine), model_cache, lambda stage, done: None).close()
    return next(path for path in model_cache.iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def engine(directory: Path) -> Iterator[OpenVinoStateful]:
    engine = opened(directory, 8192, CATALOG[0], "CPU", {})
    yield engine
    engine.close()


def chat(text: str) -> Chat:
    return Chat((Turn("user", text),))


def run(engine: OpenVinoStateful, *requests: tuple[Prompt, Sampling]) -> list[tuple[list[Token], Done]]:
    """Start all at once and step until all are done."""
    ids = [next(_ids) for _ in requests]
    for id, (prompt, sampling) in zip(ids, requests, strict=True):
        assert engine.start(id, prompt, sampling) > 0
    tokens: dict[int, list[Token]] = {id: [] for id in ids}
    ends: dict[int, Done] = {}
    deadline = time.monotonic() + WAIT_S
    while len(ends) < len(ids):
        assert time.monotonic() < deadline
        for id, event in engine.step():
            assert id not in ends
            if isinstance(event, Done):
                ends[id] = event
            else:
                tokens[id].append(event)
    return [(tokens[id], ends[id]) for id in ids]


def text(tokens: list[Token]) -> str:
    return b"".join(token.piece for token in tokens).decode()


def test_it_answers(engine: OpenVinoStateful) -> None:
    """Two and two make four; the answer ends by itself and carries no log-probabilities, as it declares."""
    [(tokens, done)] = run(engine, (chat("What is 2 + 2?"), Sampling(temperature=0.0, logprobs=True)))

    assert "4" in text(tokens)
    assert done == Done("stop")
    assert engine.capabilities.logprobs == "none"
    assert all(token.logprob is None for token in tokens)


def test_requests_wait_for_each_other(engine: OpenVinoStateful) -> None:
    """Three requests at once are answered one after the other, each with its own length."""
    answers = run(engine, *((chat(f"Tell me story {n}."), Sampling(temperature=0.0, max_tokens=n)) for n in (2, 3, 4)))

    assert [(len(tokens), done) for tokens, done in answers] == [(n, Done("length")) for n in (2, 3, 4)]


def test_a_request_leaves_nothing_to_the_next(engine: OpenVinoStateful) -> None:
    """The same greedy question gets the same answer, whatever was asked between."""
    asked = (chat("Name a colour."), Sampling(temperature=0.0, max_tokens=12))
    first = run(engine, asked)
    run(engine, (chat("List three fruits."), Sampling(max_tokens=4)))

    assert run(engine, asked) == first


def test_a_seed_repeats_an_answer(engine: OpenVinoStateful) -> None:
    """A seed gives one answer, and another seed another."""

    def sampled(seed: int) -> str:
        sampling = Sampling(temperature=1.0, top_p=1.0, seed=seed, max_tokens=16)
        return text(run(engine, (chat("Tell me about the sea."), sampling))[0][0])

    assert sampled(5) == sampled(5) != sampled(6)


def test_a_cancelled_request_is_silent_and_the_next_one_runs(engine: OpenVinoStateful) -> None:
    """After cancel no token of it comes, though its thread may still be at work, and those behind it are answered."""
    gone = next(_ids)
    engine.start(gone, chat("Tell me a very long story."), Sampling(temperature=0.0, max_tokens=500))
    while not engine.step():
        pass
    waiting = next(_ids)
    engine.start(waiting, chat("Tell me another."), Sampling(max_tokens=500))

    engine.cancel(gone)
    engine.cancel(waiting)
    engine.cancel(10**9)

    [(tokens, done)] = run(engine, (chat("What is 2 + 2?"), Sampling(temperature=0.0)))
    assert "4" in text(tokens) and done == Done("stop")
    assert engine.step() == []


def test_a_prompt_that_is_being_read_can_be_cancelled(engine: OpenVinoStateful) -> None:
    """Cancel comes back at once in the middle of a long prompt; the pipeline is waited for by the next step."""
    engine.start(id := next(_ids), Raw("a " * 700), Sampling(max_tokens=5))
    assert engine.step() == []
    began = time.perf_counter()

    engine.cancel(id)

    assert time.perf_counter() - began < 0.05
    assert len(run(engine, (chat("Hi."), Sampling(max_tokens=1)))[0][0]) == 1


def test_the_fixed_shapes_bound_prompt_and_answer(engine: OpenVinoStateful) -> None:
    """A prompt over the fixed length is refused with both numbers; the window counts the answer's part too."""
    with pytest.raises(ContextTooLong) as caught:
        engine.start(next(_ids), Raw("a " * 3000), Sampling())

    assert caught.value.context_tokens == 2048
    assert caught.value.prompt_tokens >= 3000
    assert engine.context_tokens == 2048 + 1024


@pytest.mark.parametrize(
    ("prompt", "sampling"),
    [
        (Raw(""), Sampling()),
        (chat("canary \ud800"), Sampling()),
        (chat("canary"), Sampling(max_tokens=0)),
        (chat("canary"), Sampling(temperature=-1.0)),
        (chat("canary"), Sampling(top_p=7.0, temperature=1.0)),
    ],
)
def test_what_the_library_refuses_is_a_bad_prompt(prompt: Prompt, sampling: Sampling, engine: OpenVinoStateful) -> None:
    """Bad input is refused at the start, without the user's words, and nothing of it stays behind."""
    with pytest.raises(BadPrompt) as caught:
        engine.start(next(_ids), prompt, sampling)

    assert "canary" not in str(caught.value)
    assert engine.step() == []


def test_a_pipeline_that_fails_is_broken(engine: OpenVinoStateful, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the library throws in mid-answer on the request's thread reaches the owner as Broken."""
    monkeypatch.setattr(engine, "_streamer", lambda request: 7)  # which generate does not take
    engine.start(id := next(_ids), chat("Hi."), Sampling(max_tokens=2))
    with pytest.raises(Broken) as caught:
        while not engine.step():
            pass
    engine.cancel(id)

    assert "mid-answer" in str(caught.value)


def test_a_device_that_is_not_here_is_unavailable(directory: Path) -> None:
    """Opening on a device that OpenVINO can't use is refused with what to try."""
    with pytest.raises(Unavailable, match='device = "CPU"'):
        opened(directory, 2048, None, "TPU", {})


def test_continuous_batching_is_no_way_around(directory: Path) -> None:
    """On a machine without an NPU the other engine does not open there either, and says so in the same words."""
    with pytest.raises(Unavailable, match='device = "CPU"'):
        openvino_genai.open_pipeline(directory, 2048, {}, {}, "GPU.7")
