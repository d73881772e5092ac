"""OpenVINO GenAI with the packaged model."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psutil
import pytest

from edge_models import openvino_gate, store
from edge_models.catalog import CATALOG, ModelRef
from edge_models.devices import found, read_table
from edge_models.engines.base import (
    BadPrompt,
    Chat,
    ContextTooLong,
    Done,
    Engine,
    NotInstalled,
    Prompt,
    Raw,
    Sampling,
    Stage,
    Token,
    Turn,
    Unavailable,
)
from edge_models.engines.openvino_genai import OpenVinoGenAI, load

MODEL = ModelRef(CATALOG[0].name, CATALOG[0].engine)
QUESTIONS = (
    "What is 2 + 2?",
    "What is the capital of France?",
    "Write a haiku.",
    "Explain gravity.",
    "List three fruits.",
    "Who wrote Hamlet?",
    "Say good morning in French.",
    "Name a colour.",
)
_ids = count(1)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("first")  # not the shared one: here the first start is looked at


@pytest.fixture(scope="session")
def stages() -> list[tuple[Stage, float | None]]:
    return []


@pytest.fixture(scope="session")
def engine(cache: Path, stages: list[tuple[Stage, float | None]]) -> Iterator[OpenVinoGenAI]:
    engine = load(MODEL, cache, lambda stage, fraction: stages.append((stage, fraction)))
    assert isinstance(engine, OpenVinoGenAI)
    yield engine
    engine.close()


def chat(text: str) -> Chat:
    return Chat((Turn("user", text),))


def run(engine: Engine, *requests: tuple[Prompt, Sampling]) -> list[tuple[list[Token], Done]]:
    """Start all at once and step until all are done."""
    ids = [next(_ids) for _ in requests]
    tokens: dict[int, list[Token]] = {id: [] for id in ids}
    ends: dict[int, Done] = {}
    for id, (prompt, sampling) in zip(ids, requests, strict=True):
        engine.start(id, prompt, sampling)
    for _ in range(2000):
        events = engine.step()
        assert len([id for id, event in events if isinstance(event, Token)]) == len(
            {id for id, event in events if isinstance(event, Token)}
        )
        for id, event in events:
            assert id not in ends
            if isinstance(event, Done):
                ends[id] = event
            else:
                tokens[id].append(event)
        if len(ends) == len(ids):
            assert engine.step() == []
            return [(tokens[id], ends[id]) for id in ids]
    raise AssertionError("no end")


def text(tokens: list[Token]) -> str:
    return b"".join(token.piece for token in tokens).decode()


def test_the_first_load_tells_its_stages(engine: OpenVinoGenAI, stages: list[tuple[Stage, float | None]]) -> None:
    """Requantising has a fraction, converting none; then it is loading."""
    assert stages[0][0] == "preparing"
    assert stages[-4:] == [("preparing", 0.4), ("preparing", 0.7), ("preparing", 1.0), ("loading", None)]
    assert engine.context_tokens == 8192
    assert engine.device == "CPU"


def test_it_answers(engine: OpenVinoGenAI) -> None:
    """Two and two make four, and the end-of-turn token is counted and has no text."""
    [(tokens, done)] = run(engine, (chat("What is 2 + 2?"), Sampling(temperature=0.0, max_tokens=40)))
    assert "4" in text(tokens)
    assert done == Done("stop")
    assert tokens[-1].piece == b""
    assert all(token.logprob is None for token in tokens)


def test_a_limit_ends_with_length(engine: OpenVinoGenAI) -> None:
    """max_tokens is obeyed exactly."""
    [(tokens, done)] = run(engine, (chat("Tell me a story."), Sampling(temperature=0.0, max_tokens=7)))
    assert len(tokens) == 7
    assert done == Done("length")


@pytest.mark.slow
def test_eight_at_once_are_as_good_as_one(engine: OpenVinoGenAI) -> None:
    """Eight greedy answers begin as they do alone; dynamic quantisation lets later tokens drift apart."""
    sampling = Sampling(temperature=0.0, max_tokens=24)
    alone = [run(engine, (chat(question), sampling))[0] for question in QUESTIONS]
    together = run(engine, *((chat(question), sampling) for question in QUESTIONS))
    same = [a[0][:4] == b[0][:4] for a, b in zip(alone, together, strict=True)]
    assert sum(same) >= 6
    assert "4" in text(together[0][0])


def test_more_than_eight_wait_their_turn(engine: OpenVinoGenAI) -> None:
    """Twelve requests all end."""
    results = run(engine, *((chat(f"Tell me story {n}."), Sampling(temperature=0.0, max_tokens=3)) for n in range(12)))
    assert [(len(tokens), done) for tokens, done in results] == [(3, Done("length"))] * 12


def test_logprobs_come_if_asked_for(engine: OpenVinoGenAI) -> None:
    """Each token's log-probability is at most 0, for greedy and for sampled tokens."""
    for temperature in (0.0, 1.0):
        [(tokens, _)] = run(engine, (chat("Hi."), Sampling(temperature=temperature, max_tokens=12, logprobs=True)))
        assert all(token.logprob is not None and token.logprob <= 0 for token in tokens)
        assert any(token.logprob != 0 for token in tokens)


def test_a_seed_repeats_an_answer(engine: OpenVinoGenAI) -> None:
    """Under the same conditions (prefix cached, alone) a seed gives one answer, and another seed another."""

    def sampled(seed: int | None) -> str:
        sampling = Sampling(temperature=1.0, top_p=1.0, seed=seed, max_tokens=24)
        return text(run(engine, (chat("Tell me about the sea."), sampling))[0][0])

    sampled(1)
    answers = [sampled(5) for _ in range(3)]
    assert len(set(answers)) == 1
    assert sampled(6) != answers[0]
    assert sampled(-5) != answers[0]
    assert len({sampled(None) for _ in range(4)}) > 1


def test_penalties_change_the_answer(engine: OpenVinoGenAI) -> None:
    """A frequency penalty breaks a repetition that greedy decoding falls into."""
    prompt = Raw("a b a b a b a b a b a b")
    [(plain, _)] = run(engine, (prompt, Sampling(temperature=0.0, max_tokens=30)))
    [(varied, _)] = run(engine, (prompt, Sampling(temperature=0.0, max_tokens=30, frequency_penalty=2.0)))
    assert len({token.piece for token in varied}) > len({token.piece for token in plain})


def test_pieces_equal_the_tokenizer(engine: OpenVinoGenAI) -> None:
    """For text in many scripts, joined pieces are the text's bytes and what the tokenizer decodes."""
    sample = (
        "  Hello,  world!\n\n\tnaïve café — 你好，世界 🎉👨‍👩‍👧 Ωμέγα привет العربية हिन्दी"
        " \x00\x7f 1234 def f(x):\n    return x  "
    )
    ids = engine._tokenizer.encode(sample, add_special_tokens=False).input_ids.data[0].tolist()
    joined = b"".join(engine._pieces[id] for id in ids)
    assert joined == sample.encode()
    assert joined.decode() == engine._tokenizer.decode(ids)
    controls = engine._tokenizer.encode("<|im_start|><|im_end|>", add_special_tokens=False).input_ids.data[0].tolist()
    assert [engine._pieces[id] for id in controls] == [b"", b""]


@pytest.mark.parametrize("answer", ["🎉👨‍👩‍👧🏳️‍🌈", "你好，世界"])
def test_characters_over_several_tokens_join(answer: str, engine: OpenVinoGenAI) -> None:
    """What the model writes in emoji or Chinese is valid UTF-8 once its pieces are joined."""
    prompt = Raw(f"<|im_start|>user\nRepeat.<|im_end|>\n<|im_start|>assistant\n{(answer + ' ') * 6}")
    [(tokens, _)] = run(engine, (prompt, Sampling(temperature=0.0, max_tokens=24)))
    joined = b"".join(token.piece for token in tokens)
    assert any(token.piece and not _is_utf8(token.piece) for token in tokens)
    assert not joined.decode(errors="ignore").isascii()
    assert "\ufffd" not in joined.decode(errors="replace").rstrip("\ufffd")


def _is_utf8(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_a_cancelled_request_is_silent_at_once(engine: OpenVinoGenAI) -> None:
    """After cancel no token of it comes, the other request goes on, and its cache blocks are free."""
    gone, stays = next(_ids), next(_ids)
    engine.start(gone, chat("Tell me a very long story."), Sampling(temperature=0.0, max_tokens=500))
    engine.start(stays, chat("Tell me another."), Sampling(temperature=0.0, max_tokens=12))
    while not any(id == gone for id, _ in engine.step()):
        pass
    engine.cancel(gone)
    engine.cancel(gone)
    engine.cancel(10**9)
    seen = []
    while events := engine.step():
        seen += events
    assert {id for id, _ in seen} == {stays}
    assert seen[-1] == (stays, Done("length"))
    assert not engine._pipeline.has_non_finished_requests()


def test_a_cancelled_prompt_stops_being_read(engine: OpenVinoGenAI) -> None:
    """Cancel takes one step at most, also where thousands of prompt tokens are still to be read."""
    id = next(_ids)
    engine.start(id, chat("one two three four " * 1500), Sampling(max_tokens=5))
    engine.step()
    began = time.perf_counter()
    engine.cancel(id)
    assert time.perf_counter() - began < 2
    assert engine.step() == []
    assert not engine._pipeline.has_non_finished_requests()


def test_an_overlong_prompt_is_refused(engine: OpenVinoGenAI) -> None:
    """The error carries both numbers, and the engine goes on."""
    with pytest.raises(ContextTooLong) as caught:
        engine.start(next(_ids), chat("one two three four " * 3000), Sampling())
    assert caught.value.context_tokens == 8192
    assert caught.value.prompt_tokens > 12_000
    assert "three" not in str(caught.value)
    assert run(engine, (chat("Hi."), Sampling(max_tokens=1)))


@pytest.mark.slow
def test_the_window_ends_an_answer(engine: OpenVinoGenAI) -> None:
    """A prompt that leaves room for three tokens gets three, whatever max_tokens says."""
    words = "a" + " a" * 8188  # 19 s on 2 cores
    engine.start(id := next(_ids), Raw(words), Sampling(temperature=0.0, max_tokens=50))
    events = []
    while not (events and isinstance(events[-1][1], Done)):
        events += engine.step()
    assert events[-1] == (id, Done("length"))
    assert len(events) == 4


@pytest.mark.parametrize(
    ("prompt", "sampling"),
    [
        (Raw(""), Sampling()),
        (chat("canary \ud800"), Sampling()),
        (chat("canary"), Sampling(max_tokens=0)),
        (chat("canary"), Sampling(temperature=-1.0)),
        (chat("canary"), Sampling(top_p=7.0, temperature=1.0)),
        (chat("canary"), Sampling(presence_penalty=9.0)),
    ],
)
def test_what_the_library_refuses_is_a_bad_prompt(prompt: Prompt, sampling: Sampling, engine: OpenVinoGenAI) -> None:
    """Bad input is refused without the user's words, and nothing of it stays behind."""
    with pytest.raises(BadPrompt) as caught:
        engine.start(next(_ids), prompt, sampling)
    assert "canary" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert engine.step() == []


def test_a_chat_needs_a_template(engine: OpenVinoGenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model without a chat template takes raw prompts only."""
    template = engine._tokenizer.chat_template
    engine._tokenizer.chat_template = ""
    try:
        with pytest.raises(BadPrompt, match="no chat template"):
            engine.start(next(_ids), chat("Hi."), Sampling())
    finally:
        engine._tokenizer.chat_template = template


def test_a_file_that_openvino_refuses_is_unavailable(tmp_path: Path) -> None:
    """A GGUF file without a model's tensors, and a directory of noise, are Unavailable."""
    from tests.edge_models.test_gguf_file import write_sample

    write_sample(tmp_path / "sample.gguf")
    folder = tmp_path / "noise"
    folder.mkdir()
    for name in ("openvino_model.xml", "openvino_tokenizer.xml", "openvino_detokenizer.xml"):
        (folder / name).write_bytes(b"noise")
    (folder / "config.json").write_text('{"max_position_embeddings": 512}')
    for path in (tmp_path / "sample.gguf", folder):
        with pytest.raises(Unavailable):
            load(ModelRef("own", "openvino-genai", str(path)), tmp_path / "cache", lambda stage, fraction: None)


def test_an_unknown_model_is_not_installed(tmp_path: Path) -> None:
    """A name that the catalogue lacks, without a path, is NotInstalled."""
    with pytest.raises(NotInstalled):
        load(ModelRef("nobody", "openvino-genai"), tmp_path, lambda stage, fraction: None)


@pytest.mark.parametrize("device", ["GPU", "GPU.1", "NPU"])
def test_a_pinned_device_that_is_missing_is_refused(device: str, tmp_path: Path) -> None:
    """Nothing is prepared and nothing runs elsewhere: the refusal names the device, what is here, and the way out."""
    ids = [found.id for found in read_table(openvino_gate.core(), "").devices]
    if found(device, tuple(ids)):
        pytest.skip(f"this machine has a {device}")

    with pytest.raises(Unavailable, match=f"{device}.*CPU.*auto"):
        load(ModelRef(MODEL.name, MODEL.engine, device=device), tmp_path, lambda stage, fraction: None)

    assert list(tmp_path.iterdir()) == []


def test_an_own_directory_answers_and_close_frees_it(engine: OpenVinoGenAI, cache: Path, tmp_path: Path) -> None:
    """The prepared files serve as a user's own directory, and closing gives most of the memory back."""
    [prepared] = [path for path in cache.iterdir() if path.is_dir()]
    for file in prepared.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "config.json").write_text('{"max_position_embeddings": 2048}')
    process = psutil.Process()
    before = process.memory_info().rss
    own = load(ModelRef("own", "openvino-genai", str(tmp_path)), tmp_path, lambda stage, fraction: None)
    assert own.context_tokens == 2048
    [(tokens, _)] = run(own, (chat("What is 2 + 2?"), Sampling(temperature=0.0, max_tokens=40)))
    assert "4" in text(tokens)
    grown = process.memory_info().rss - before
    own.close()
    del own
    gc.collect()
    assert process.memory_info().rss - before < grown / 2


def test_a_second_load_prepares_nothing(engine: OpenVinoGenAI, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next start only loads, and tells so."""
    told: list[tuple[Stage, float | None]] = []

    def never(*args: object) -> None:
        raise AssertionError("prepared once more")

    monkeypatch.setattr(store, "_make", never)
    load(MODEL, cache, lambda stage, fraction: told.append((stage, fraction))).close()
    assert told == [("loading", None)]


def test_no_reporting_module_is_loaded() -> None:
    """After the gate has opened, openvino_telemetry is barred; the registry and versions() load no OpenVINO at all."""
    code = """
import sys
from edge_models.engines.registry import load_engine
module = load_engine("openvino-genai")
assert module.versions()["openvino-genai"]
assert not [name for name in sys.modules if name.startswith("openvino")], sys.modules.keys()
from edge_models import openvino_gate
openvino_gate.genai()
assert not [name for name, m in sys.modules.items() if name.startswith("openvino_telemetry") and m is not None]
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={"PATH": ""}, timeout=60)
