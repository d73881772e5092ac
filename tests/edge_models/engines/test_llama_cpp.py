"""llama.cpp with the packaged model."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import statistics
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from daemon.local import stream
from daemon.worker_process import WorkerProcess
from edge_models import store
from edge_models.catalog import CATALOG, ModelRef
from edge_models.engines.base import (
    BadPrompt,
    Broken,
    Chat,
    ContextTooLong,
    Done,
    NotInstalled,
    Prompt,
    Raw,
    Sampling,
    Token,
    Tool,
    Turn,
    Unavailable,
)
from providers import contract

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: .ci/run builds it")

from edge_models.engines.llama_cpp import LlamaCpp, load
from edge_models.llama.context import SEQUENCES, Context
from edge_models.llama.library import threads

MODEL = ModelRef(CATALOG[0].name, "llama-cpp")
LONG = "The sea is wide and deep, and so is the sky above it. " * 20  # some 280 tokens
_ids = count(1)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaCpp]:
    engine = load(MODEL, tmp_path_factory.mktemp("none"), lambda stage, fraction: None)
    assert isinstance(engine, LlamaCpp)
    yield engine
    engine.close()


@pytest.fixture
def small() -> Iterator[LlamaCpp]:
    """The same model with room for 128 tokens a request and 256 in all."""
    engine = LlamaCpp(Context(store.locate(CATALOG[0]), lambda trained: 128), CATALOG[0])
    yield engine
    engine.close()


def chat(text: str) -> Chat:
    return Chat((Turn("user", text),))


def run(engine: LlamaCpp, *requests: tuple[Prompt, Sampling]) -> list[tuple[list[Token], Done]]:
    """Start all at once and step until all are done."""
    ids = [next(_ids) for _ in requests]
    tokens: dict[int, list[Token]] = {id: [] for id in ids}
    ends: dict[int, Done] = {}
    for id, (prompt, sampling) in zip(ids, requests, strict=True):
        engine.start(id, prompt, sampling)
    for _ in range(5000):
        for id, event in engine.step():
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


def greedy(max_tokens: int, **more: object) -> Sampling:
    return Sampling(max_tokens=max_tokens, temperature=0.0, **more)  # type: ignore[arg-type]


def reference(engine: LlamaCpp, tokens: list[int]) -> np.ndarray:
    """Log-probabilities after each of these tokens, by a context of their own, read one by one."""
    lib = engine._context.lib
    params = lib.llama_context_default_params()
    params.n_ctx, params.n_threads = 512, 1
    context = lib.llama_init_from_model(engine._context._model, params)
    rows = []
    for token in tokens:
        one = (lib.llama_token * 1)(token)
        assert lib.llama_decode(context, lib.llama_batch_get_one(one, 1)) == 0
        logits = np.ctypeslib.as_array(lib.llama_get_logits_ith(context, -1), shape=(engine._context.vocabulary_size,))
        wide = logits.astype(np.float64)
        rows.append(wide - wide.max() - np.log(np.exp(wide - wide.max()).sum()))
    lib.llama_free(context)
    return np.array(rows)


def test_it_answers(engine: LlamaCpp) -> None:
    """Two and two make four, and the end-of-turn token is counted and has no text."""
    [(tokens, done)] = run(engine, (chat("What is 2 + 2?"), greedy(40)))

    assert "4" in text(tokens)
    assert done == Done("stop")
    assert tokens[-1].piece == b""
    assert engine.context_tokens == 8192
    assert engine.device == "CPU"


def test_numbers_are_those_of_the_model(engine: LlamaCpp) -> None:
    """Log-probability, alternatives and entropy equal those of a plain loop over the same tokens, at any temperature."""
    prompt = "The capital of France is"
    for sampling in (greedy(8), Sampling(max_tokens=8, temperature=1.7, seed=3, presence_penalty=1.5)):
        asked = Sampling(
            **{f: getattr(sampling, f) for f in sampling.__struct_fields__} | {"logprobs": True, "top_logprobs": 5}
        )
        [(tokens, _)] = run(engine, (Raw(prompt), asked))
        start = engine._vocabulary.tokens(prompt, special=True)
        ids = engine._vocabulary.tokens(prompt + text(tokens), special=True)
        if len(ids) != len(start) + 8:
            continue  # read back in other tokens than it was written
        rows = reference(engine, ids[:-1])[len(start) - 1 :]
        for token, id, row in zip(tokens, ids[len(start) :], rows, strict=True):
            assert token.logprob == pytest.approx(row[id], abs=0.05)  # batches of several sizes round differently
            assert token.entropy == pytest.approx(-(np.exp(row) * row).sum(), abs=0.05)
            assert [logprob for _, logprob in token.top] == pytest.approx(sorted(row)[:-6:-1], abs=0.05)
            assert token.top[0][0] == engine._vocabulary.piece(int(row.argmax()))


def test_no_numbers_unless_asked(engine: LlamaCpp) -> None:
    """Who asks for no log-probabilities gets none, and no entropy."""
    [(tokens, _)] = run(engine, (chat("Hi."), greedy(3)))

    assert all(token == Token(token.piece) for token in tokens)


def test_together_as_alone(engine: LlamaCpp) -> None:
    """Ten greedy answers, two more than fit at once, begin as they do alone."""
    questions = [f"{number} times two is what?" for number in range(10)]
    alone = [run(engine, (chat(question), greedy(4)))[0] for question in questions]

    together = run(engine, *((chat(question), greedy(4)) for question in questions))

    assert sum(a[0] == b[0] for a, b in zip(alone, together, strict=True)) >= 8


def test_a_prefix_is_read_once(engine: LlamaCpp) -> None:
    """After a long prompt, others that begin so read their own end alone, in whatever order, also beside it."""
    read = counted(engine)
    run(
        engine,
        (Raw("A " + LONG + "one"), greedy(1)),
        (Raw("A " + LONG + "two"), greedy(1)),
        (Raw("A " + LONG + "three"), greedy(1)),
    )
    length = len(engine._vocabulary.tokens("A " + LONG, special=True))
    assert length > 250
    assert read[0] < length + 60
    run(engine, (Raw("B, something else entirely"), greedy(20)))
    read[0] = 0
    run(engine, (Raw("A " + LONG + "four"), greedy(1)))
    assert 0 < read[0] < 40


def counted(engine: LlamaCpp) -> list[int]:
    """A place that counts the tokens decoded from now on."""
    total = [0]
    decode = type(engine._context).decode

    def counting(feeds: object, stop: object) -> int:
        total[0] += sum(len(feed.tokens) for feed in feeds)  # type: ignore[attr-defined]
        return decode(engine._context, feeds, stop)  # type: ignore[arg-type]

    engine._context.decode = counting  # type: ignore[assignment, method-assign]
    return total


def test_a_conversation_is_read_on(engine: LlamaCpp) -> None:
    """The next turn of a conversation reads that turn alone."""
    turns = (Turn("user", "Tell me of " + LONG),)
    [(tokens, _)] = run(engine, (Chat(turns), greedy(12)))
    read = counted(engine)

    run(engine, (Chat((*turns, Turn("assistant", text(tokens)), Turn("user", "And then?"))), greedy(1)))

    assert read[0] < 60


def test_a_long_prompt_stalls_nobody(engine: LlamaCpp) -> None:
    """While a long prompt is read, whoever writes gets a token in each step, and a short prompt is through before it."""
    writer, reader, short = (next(_ids) for _ in range(3))
    engine.start(writer, chat("Count to a hundred."), greedy(200))
    while not engine.step():
        pass
    engine.start(reader, Raw("Fairness. " + LONG), greedy(1))
    engine.start(short, Raw("What a fine day to be out on the sea with a small boat and a dog"), greedy(1))
    firsts: list[int] = []
    while reader not in firsts:
        heard = engine.step()
        assert writer in [id for id, _ in heard]
        firsts += [id for id, event in heard if isinstance(event, Token) and id != writer]
    assert firsts == [short, reader]
    engine.cancel(writer)
    assert engine.step() == []


def test_a_cancel_leaves_a_running_prefill(engine: LlamaCpp) -> None:
    """The native call ends as soon as nobody waits for its prompt, and others go on as if nothing had been."""
    gone: set[int] = set()
    engine.heed(gone.__contains__)
    try:
        waits = []
        for round in range(5):
            id = next(_ids)
            engine.start(id, Raw(f"Round {round} {LONG * 6}"), greedy(5))
            began: list[float] = []

            def leave(id: int = id, began: list[float] = began) -> None:
                began.append(time.perf_counter())
                gone.add(id)

            timer = threading.Timer(0.05 + 0.02 * round, leave)
            timer.start()
            while engine.step() or not began:
                pass
            waits.append(time.perf_counter() - began[0])
            engine.cancel(id)
            timer.join()
        assert statistics.median(waits) < 0.2  # a whole batch takes 1.3 s
        [(tokens, _)] = run(engine, (chat("What is 2 + 2?"), greedy(40)))
        assert "4" in text(tokens)
    finally:
        engine.heed(frozenset[int]().__contains__)


def test_what_was_read_before_a_cancel_serves(engine: LlamaCpp) -> None:
    """A prompt that was given up in its middle is read on from there."""
    prompt = Raw("Given up. " + LONG * 2)
    id = next(_ids)
    length = engine.start(id, prompt, greedy(5))
    engine.step()
    engine.cancel(id)
    read = counted(engine)

    run(engine, (prompt, greedy(1)))

    assert read[0] <= length - 500


def test_a_full_cache_ends_nothing(small: LlamaCpp) -> None:
    """Three requests that do not fit together all come to the ends that they have alone."""
    prompts = [Raw(f"{name}. {LONG[:280]}") for name in ("Ada", "Ben", "Cem")]  # 75 tokens each
    alone = [run(small, (prompt, greedy(24)))[0] for prompt in prompts]

    together = run(small, *((prompt, greedy(24)) for prompt in prompts))

    assert [(len(tokens), done) for tokens, done in together] == [(len(tokens), done) for tokens, done in alone]
    assert [text(tokens)[:20] for tokens, _ in together] == [text(tokens)[:20] for tokens, _ in alone]


def test_the_window_ends_an_answer(small: LlamaCpp) -> None:
    """A prompt that leaves room for three tokens gets three, whatever max_tokens says."""
    length = small.start(next(_ids), Raw("a" + " a" * 124), Sampling(temperature=0.0))
    assert length == 125
    events = []
    while not (events and isinstance(events[-1], Done)):
        events += [event for _, event in small.step()]

    assert events[-1] == Done("length")
    assert len(events) == 4


def test_scores_are_those_of_the_model(engine: LlamaCpp) -> None:
    """Each token of each continuation has the log-probability that a plain loop gives it."""
    prompt, continuations = "The capital of France is", (" Paris", " a city in the north of France", "")
    id = next(_ids)
    engine.start(id, Raw(prompt), greedy(1, keep=True))
    [(_, token), (_, done)] = engine.step()
    assert isinstance(token, Token)
    assert isinstance(done, Done)
    written = engine._vocabulary.tokens(prompt, special=True) + engine._vocabulary.tokens(text([token]), special=False)

    scores = engine.score(id, continuations)

    for continuation, found in zip(continuations, scores, strict=True):
        following = engine._vocabulary.tokens(continuation, special=False)
        rows = reference(engine, written + following[:-1])[len(written) - 1 :]
        assert list(found) == pytest.approx([row[token] for row, token in zip(rows, following, strict=False)], abs=0.05)
    for number in range(SEQUENCES + 4):  # until nothing of it is in the cache any more
        run(engine, (Raw(f"{number} is a number of its own"), greedy(1)))
    assert engine.score(id, continuations)[1] == pytest.approx(scores[1], abs=0.05)
    engine.cancel(id)
    with pytest.raises(Broken):
        engine.score(id, continuations)


def test_seeds(engine: LlamaCpp) -> None:
    """Alone, a seed gives one answer and another seed another; without one, answers differ."""

    def sampled(seed: int | None) -> str:
        return text(
            run(engine, (chat("Tell me about the sea."), Sampling(temperature=1.0, seed=seed, max_tokens=16)))[0][0]
        )

    sampled(5)  # fills the prefix cache, which may move the last bits of a logit
    assert sampled(5) == sampled(5)
    assert sampled(5) != sampled(6)
    assert len({sampled(None) for _ in range(4)}) > 1


def test_penalties_change_the_answer(engine: LlamaCpp) -> None:
    """A frequency penalty breaks a repetition that greedy decoding falls into."""
    prompt = Raw("a b a b a b a b a b a b")
    [(plain, _)] = run(engine, (prompt, greedy(30)))
    [(varied, _)] = run(engine, (prompt, greedy(30, frequency_penalty=2.0)))

    assert len({token.piece for token in varied}) > len({token.piece for token in plain})


def test_pieces_are_the_texts_bytes(engine: LlamaCpp) -> None:
    """For text in many scripts, joined pieces are the text; control tokens have none, but for marks of tool calls."""
    sample = "  Hello,  world!\n\n\tnaïve café — 你好 🎉👨‍👩‍👧 привет العربية हिन्दी \x00\x7f def f(x):\n    return x  "
    ids = engine._vocabulary.tokens(sample, special=False)
    assert b"".join(map(engine._vocabulary.piece, ids)) == sample.encode()
    controls = engine._vocabulary.tokens("<|im_start|><|im_end|>", special=True)
    assert len(controls) == 2
    assert [engine._vocabulary.piece(id) for id in controls] == [b"", b""]
    assert engine._vocabulary.ends(controls[1])
    assert not engine._vocabulary.ends(ids[0])
    assert set(controls[:1]) <= set(engine._vocabulary.hidden().tolist())


@pytest.mark.parametrize(
    ("prompt", "sampling"),
    [
        (Raw(""), Sampling()),
        (chat("canary \ud800"), Sampling()),
        (chat("canary"), Sampling(max_tokens=0)),
        (chat("canary"), Sampling(temperature=-1.0)),
        (chat("canary"), Sampling(temperature=math.nan)),
        (chat("canary"), Sampling(top_p=7.0, temperature=1.0)),
        (chat("canary"), Sampling(presence_penalty=9.0)),
        (chat("canary"), Sampling(logprobs=True, top_logprobs=21)),
    ],
)
def test_bad_input_is_a_bad_prompt(prompt: Prompt, sampling: Sampling, engine: LlamaCpp) -> None:
    """Bad input is refused without the user's words, and nothing of it stays behind."""
    with pytest.raises(BadPrompt) as caught:
        engine.start(next(_ids), prompt, sampling)

    assert "canary" not in str(caught.value)
    assert engine.step() == []


def test_an_overlong_prompt_is_counted(engine: LlamaCpp) -> None:
    """The error has the exact length, also of a text of which no word ends."""
    for words in (" sea" * 9000, "x" * 120_000):
        with pytest.raises(ContextTooLong) as caught:
            engine.start(next(_ids), Raw(words), Sampling())
        assert caught.value.prompt_tokens == len(engine._vocabulary.tokens(words, special=True))


def test_templates(engine: LlamaCpp) -> None:
    """The model's own template is rendered; one that refuses, fails or can't be read is a BadPrompt without words."""
    from edge_models.llama.template import Template

    assert "<|im_start|>" in engine.chat_template
    tool = Tool("look", "Looks.", '{"type": "object"}')
    asking = Chat((Turn("system", "Be kind."), Turn("user", "canary")), (tool,))
    source = "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ tools | tojson }}{{ eos_token }}"
    rendered = Template(source, "<s>", "</s>").render(asking)
    assert rendered.startswith("<s>[system]Be kind.[user]canary")
    assert '"name": "look"' in rendered
    with pytest.raises(BadPrompt, match="no chat template"):
        Template("", "", "").render(asking)
    for bad in (
        "{{ raise_exception(messages[-1].content) }}",
        "{% for",
        "{{ messages.__class__.__mro__ }}{{ 1 / 0 }}",
        "{{ messages[9].role }}",
    ):
        with pytest.raises(BadPrompt) as caught:
            Template(bad, "", "").render(asking)
        assert "canary" not in str(caught.value)
        assert caught.value.__suppress_context__


def test_templates_reach_nothing_else() -> None:
    """A hostile template gets no further than its sandbox."""
    from edge_models.llama.template import Template

    for escape in (
        "{{ messages.append.__globals__ }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
    ):
        with pytest.raises(BadPrompt):
            Template(escape, "", "").render(chat("Hi."))


def test_numbers_that_are_none_end_the_engine(engine: LlamaCpp, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that computes NaN is Broken, and no token is made up."""
    monkeypatch.setattr(
        engine._context, "logits", lambda row: np.full(engine._context.vocabulary_size, np.nan, np.float32)
    )
    id = next(_ids)
    engine.start(id, chat("Hi."), greedy(3))
    with pytest.raises(Broken):
        while True:
            engine.step()
    engine.cancel(id)


@pytest.mark.parametrize("cut", [0, 3, 40, 5_000, 1_000_000, 60_000_000])
def test_a_truncated_file_is_unavailable(cut: int, tmp_path: Path) -> None:
    """Wherever a file ends too early, it is refused before llama.cpp sees it."""
    path = tmp_path / "cut.gguf"
    with store.locate(CATALOG[0]).open("rb") as whole:
        path.write_bytes(whole.read(cut))

    with pytest.raises(Unavailable):
        load(ModelRef("own", "llama-cpp", str(path)), tmp_path, lambda stage, fraction: None)


def test_a_file_that_llama_refuses_is_unavailable_with_its_reason(tmp_path: Path) -> None:
    """A sound GGUF file of no known model, and a folder: the message says why, in llama.cpp's words."""
    from tests.edge_models.test_gguf_file import write_sample

    write_sample(tmp_path / "sample.gguf")
    with pytest.raises(Unavailable, match=r"\(.{10,}\)"):
        load(ModelRef("own", "llama-cpp", str(tmp_path / "sample.gguf")), tmp_path, lambda stage, fraction: None)
    with pytest.raises(Unavailable, match="folder"):
        load(ModelRef("own", "llama-cpp", str(tmp_path)), tmp_path, lambda stage, fraction: None)
    with pytest.raises(NotInstalled):
        load(ModelRef("nobody", "llama-cpp"), tmp_path, lambda stage, fraction: None)


def test_a_damaged_known_file_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue's digest is looked at, and the message has the command that mends it."""
    path = tmp_path / "model.gguf"
    shutil.copyfile(store.locate(CATALOG[0]), path)
    with path.open("r+b") as file:
        file.seek(50_000_000)
        file.write(b"\0" * 64)
    monkeypatch.setattr(store, "locate", lambda entry: path)

    with pytest.raises(Unavailable, match="install"):
        load(MODEL, tmp_path, lambda stage, fraction: None)


@pytest.mark.parametrize(
    ("key", "number"),
    [
        ("llama.block_count", 0),
        ("llama.block_count", 10**9),
        ("llama.attention.head_count", 7),
        ("llama.embedding_length", 575),
        ("llama.context_length", 2**32 - 1),
    ],
)
def test_a_file_with_a_wrong_number_is_unavailable(key: str, number: int, tmp_path: Path) -> None:
    """Header fields that don't fit the weights are refused, also those for which llama.cpp would end the process."""
    path = tmp_path / "hostile.gguf"
    shutil.copyfile(store.locate(CATALOG[0]), path)
    with path.open("r+b") as file:
        place = file.read(4_000_000).index(struct.pack("<Q", len(key)) + key.encode()) + 8 + len(key)
        file.seek(place + 4)
        file.write(struct.pack("<I", number))
    code = f"""
from pathlib import Path
from edge_models.catalog import ModelRef
from edge_models.engines.base import Unavailable
from edge_models.engines.llama_cpp import load
try:
    load(ModelRef("own", "llama-cpp", {str(path)!r}), Path("."), lambda stage, fraction: None)
except Unavailable as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_an_own_file_is_used_where_it_lies(tmp_path: Path) -> None:
    """A path serves as it is: nothing is written, and closing gives the memory back."""
    import psutil

    path = tmp_path / "own.gguf"
    path.symlink_to(store.locate(CATALOG[0]))
    cache = tmp_path / "cache"
    told: list[tuple[str, float | None]] = []
    before = psutil.Process().memory_info().rss
    own = load(ModelRef("own", "llama-cpp", str(path)), cache, lambda stage, fraction: told.append((stage, fraction)))
    [(tokens, _)] = run(own, (chat("What is 2 + 2?"), greedy(40)))  # type: ignore[arg-type]
    grown = psutil.Process().memory_info().rss - before
    own.close()

    assert "4" in text(tokens)
    assert told == [("loading", None)]
    assert not cache.exists()
    assert psutil.Process().memory_info().rss - before < grown / 3


async def test_entropy_reaches_the_daemon(tmp_path: Path) -> None:
    """Through worker and daemon, each token keeps its alternatives and the entropy of its distribution."""
    worker = await WorkerProcess.spawn(MODEL, tmp_path)
    try:
        await worker.load(lambda loading: None)
        serving = asyncio.ensure_future(worker.serve())
        asked = contract.Sampling(max_tokens=4, temperature=0.0, logprobs=True, top_logprobs=2)
        request = contract.Request(
            id="r",
            model="local",
            messages=(contract.Message("user", (contract.Text("Hi."),)),),
            protocol="test",
            sampling=asked,
        )
        deltas = [delta async for delta in stream(worker, request)]
        details = [detail for delta in deltas if isinstance(delta, contract.TextDelta) for detail in delta.logprobs]
        serving.cancel()
    finally:
        await worker.stop()

    assert len(details) == 4
    for detail in details:
        assert detail.top[0].logprob == pytest.approx(detail.logprob)
        assert len(detail.top) == 2
        assert detail.entropy is not None
        assert 0 < detail.entropy < 11  # ln 49152 = 10.8


def test_nothing_is_printed_and_nothing_heavy_imported() -> None:
    """The registry and versions() load no llama.cpp; a load says nothing; waiting threads sleep."""
    code = f"""
import os, sys
from pathlib import Path
from edge_models.catalog import ModelRef
from edge_models.engines.registry import load_engine
module = load_engine("llama-cpp")
assert module.versions()["llama-cpp-python"]
assert not [name for name in sys.modules if name.startswith("llama_cpp")]
engine = module.load(ModelRef({CATALOG[0].name!r}, "llama-cpp"), Path("."), lambda stage, fraction: None)
assert os.environ["OMP_WAIT_POLICY"] == "passive"
engine.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where it is not installed, the error has the command that installs it."""
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    monkeypatch.delitem(sys.modules, "llama_cpp.llama_cpp", raising=False)

    with pytest.raises(NotInstalled, match="llama-cpp-python=="):
        load(MODEL, tmp_path, lambda stage, fraction: None)


def test_threads() -> None:
    """A core is left free for one token, none for prompts."""
    one, many = threads()

    assert 1 <= one <= many <= (os.cpu_count() or 1)
    assert one == max(1, many - 1)
