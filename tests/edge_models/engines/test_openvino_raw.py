"""Our own decode loop with the packaged model, held to GenAI's over the same files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest

from edge_models.catalog import CATALOG, ModelRef
from edge_models.engines import openvino_genai
from edge_models.engines.base import (
    BadPrompt,
    BadSchema,
    Broken,
    Chat,
    Done,
    Engine,
    NotInstalled,
    Prompt,
    Raw,
    Sampling,
    Token,
    Turn,
    Unavailable,
)
from edge_models.engines.openvino_raw import EXACT, OpenVinoRaw, load
from tests.fakes.tiny_decoder import write_tiny_decoder

MODEL = ModelRef(CATALOG[0].name, "openvino-raw")
QUESTIONS = (
    "Explain gravity.",
    "What is the capital of France?",
    "List three fruits.",
    "Name a colour.",
    "Who wrote Hamlet?",
)
GREEDY = Sampling(temperature=0.0, max_tokens=32, logprobs=True)
_ids = count(1)


@pytest.fixture(scope="module")
def engine(model_cache: Path) -> Iterator[OpenVinoRaw]:
    engine = load(MODEL, model_cache, lambda stage, fraction: None)
    assert isinstance(engine, OpenVinoRaw)
    yield engine
    engine.close()


def chat(text: str) -> Chat:
    return Chat((Turn("user", text),))


def run(engine: Engine, prompt: Prompt, sampling: Sampling) -> tuple[int, list[Token], Done]:
    """Alone, to the end. Returns the id too."""
    tokens: list[Token] = []
    engine.start(id := next(_ids), prompt, sampling)
    while True:
        for _, event in engine.step():
            if isinstance(event, Done):
                return id, tokens, event
            tokens.append(event)


def text(tokens: list[Token]) -> str:
    return b"".join(token.piece for token in tokens).decode()


@pytest.fixture(scope="module")
def genai(engine: OpenVinoRaw, model_cache: Path) -> Iterator[openvino_genai.OpenVinoGenAI]:
    """GenAI over the same files, told to round as little as we do."""
    [directory] = [path for path in model_cache.iterdir() if path.is_dir()]
    pipeline = openvino_genai.open_pipeline(directory, 1024, EXACT, {})
    genai = openvino_genai.OpenVinoGenAI(pipeline, 1024, CATALOG[0])
    yield genai
    genai.close()


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_it_computes_what_genai_computes(
    engine: OpenVinoRaw, genai: openvino_genai.OpenVinoGenAI, question: str
) -> None:
    """Greedy answers of up to 32 tokens are equal, and log-probabilities agree within 0.02."""
    _, theirs, _ = run(genai, chat(question), GREEDY)
    _, ours, _ = run(engine, chat(question), GREEDY)

    assert [token.piece for token in ours] == [token.piece for token in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert one.logprob == pytest.approx(other.logprob, abs=0.02)


def test_entropy_and_alternatives_belong_together(engine: OpenVinoRaw) -> None:
    """Entropy lies between what the alternatives alone hold and what the rest can add at most."""
    wanted = Sampling(temperature=0.0, max_tokens=16, logprobs=True, top_logprobs=20)
    _, tokens, _ = run(engine, chat("What is 2 + 2?"), wanted)

    assert "4" in text(tokens)
    for token in tokens:
        shares = [math.exp(logprob) for _, logprob in token.top]
        held = -sum(share * math.log(share) for share in shares)
        rest = max(1e-12, 1 - sum(shares))
        assert token.entropy is not None
        assert held - 1e-3 <= token.entropy <= held - rest * math.log(rest / 49_152) + 1e-3
    sure = next(token for token in tokens if token.piece == b"4")
    assert sure.entropy is not None
    assert sure.entropy < 0.5 < max(token.entropy or 0 for token in tokens)


def test_a_score_is_what_the_answer_had(engine: OpenVinoRaw) -> None:
    """The words that a greedy answer goes on with score the sum of its own log-probabilities, and nothing is disturbed."""
    prompt = chat("Name a colour.")
    _, undisturbed, _ = run(engine, prompt, GREEDY)
    engine.start(id := next(_ids), prompt, GREEDY)
    engine.score(id, ("",))  # reads the prompt, of which nothing was read yet
    tokens: list[Token] = []
    done = None
    while done is None:
        for _, event in engine.step():
            if isinstance(event, Token):
                tokens.append(event)
                rest = undisturbed[len(tokens) :]
                if len(tokens) == 3:
                    whole, empty = engine.score(id, (text(rest), ""))
                    assert empty == ()
                    assert sum(whole) == pytest.approx(
                        sum(token.logprob or 0 for token in rest if token.piece), abs=0.05 * len(rest)
                    )
            else:
                done = event

    assert [token.piece for token in tokens] == [token.piece for token in undisturbed]


@pytest.mark.parametrize("usual", [" Yes", " No"])
def test_yes_or_no(engine: OpenVinoRaw, usual: str) -> None:
    """The words yes and no are told apart by one score, in flight and of a request that is done and kept."""
    other = {" Yes": " No", " No": " Yes"}[usual]
    prompt = Raw(f"Alice was asked again. Alice answered:{usual}. " * 4 + "Alice was asked again. Alice answered")
    id, _, done = run(engine, prompt, Sampling(max_tokens=1, temperature=0.0, keep=True))  # it answers ":"
    engine.start(flying := next(_ids), prompt, Sampling())

    [[kept], [less]] = engine.score(id, (usual, other))
    [[_, same], [_, rest]] = engine.score(flying, (f":{usual}", f":{other}"))
    engine.cancel(id)
    engine.cancel(flying)

    assert done == Done("length")
    assert math.exp(kept) > 0.5 > 2 * math.exp(less)
    assert (same, rest) == pytest.approx((kept, less), abs=0.02)


def test_a_known_beginning_is_not_read_again(engine: OpenVinoRaw, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second turn of a chat reads what is new, and is answered as if it had been read whole."""
    from edge_models.decoder import TokenSequence

    read: list[int] = []
    plain = TokenSequence.read

    def counting(self: TokenSequence, tokens: Any, rows: int = 1) -> Any:
        read.append(len(tokens))
        return plain(self, tokens, rows)

    first = Turn("user", "Remember these words: " + " ".join(f"word{number}" for number in range(30)))
    few = Sampling(temperature=0.0, max_tokens=8, logprobs=True)
    _, tokens, _ = run(engine, Chat((first,)), few)
    second = Chat((first, Turn("assistant", text(tokens)), Turn("user", "Name a colour.")))
    monkeypatch.setattr(TokenSequence, "read", counting)
    _, reused, _ = run(engine, second, few)
    new = sum(length for length in read if length > 1)
    read.clear()
    engine._idle._idle.clear()
    _, whole, _ = run(engine, second, few)

    everything = sum(length for length in read if length > 1)
    assert new < 40 < 120 < everything
    assert [token.piece for token in reused] == [token.piece for token in whole]
    assert reused[0].logprob == pytest.approx(whole[0].logprob, abs=0.05)


def test_a_long_prompt_lets_others_go_on(engine: OpenVinoRaw) -> None:
    """While a long prompt is read, part by part, a request beside it gets a token in each step; a cancel ends it there."""
    long, short = next(_ids), next(_ids)
    engine.start(short, chat("Tell me a story."), Sampling(max_tokens=20, temperature=0.0))
    engine.step()
    engine.start(long, Raw("one two three four " * 250), Sampling(max_tokens=5))

    steps = [engine.step() for _ in range(2)]
    engine.cancel(long)

    assert [[id for id, _ in events] for events in steps] == [[short]] * 2
    engine.cancel(short)
    assert engine.step() == []


def test_more_than_declared_are_served_too(engine: OpenVinoRaw) -> None:
    """Seven requests all end."""
    ids = [next(_ids) for _ in range(7)]
    for id in ids:
        engine.start(id, chat("Hi."), Sampling(max_tokens=2, temperature=0.0))
    ends = set()
    while len(ends) < len(ids):
        ends |= {id for id, event in engine.step() if isinstance(event, Done)}

    assert ends == set(ids)


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(max_tokens=0),
        Sampling(temperature=-1.0),
        Sampling(temperature=1.0, top_p=7.0),
        Sampling(presence_penalty=9.0),
    ],
)
def test_values_out_of_range_are_refused(engine: OpenVinoRaw, sampling: Sampling) -> None:
    """As GenAI refuses them, without the user's words, and nothing of it stays behind."""
    with pytest.raises(BadPrompt) as caught:
        engine.start(next(_ids), chat("canary"), sampling)
    assert "canary" not in str(caught.value)
    assert engine.step() == []


def test_what_it_can_not_do_is_refused(engine: OpenVinoRaw) -> None:
    """An empty prompt, a schema, the score of nobody's request, a name that nobody knows."""
    with pytest.raises(BadPrompt):
        engine.start(next(_ids), Raw(""), Sampling())
    with pytest.raises(BadSchema):
        engine.start(next(_ids), chat("Hi."), Sampling(schema="{}"))
    with pytest.raises(Broken):
        engine.score(10**9, (" yes",))
    with pytest.raises(NotInstalled):
        load(ModelRef("nobody", "openvino-raw"), Path(), lambda stage, fraction: None)


def test_an_own_directory_says_how_it_is_sampled(engine: OpenVinoRaw, model_cache: Path, tmp_path: Path) -> None:
    """generation_config.json tells how tokens are chosen and where an answer ends; closing gives most memory back."""
    [directory] = [path for path in model_cache.iterdir() if path.is_dir()]
    for file in directory.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "config.json").write_text('{"max_position_embeddings": 512}')
    _, [first, *_], _ = run(engine, chat("What is 2 + 2?"), Sampling(temperature=0.0, max_tokens=1))
    end = engine._pieces.index(first.piece)
    (tmp_path / "generation_config.json").write_text(f'{{"eos_token_id": [{end}, 2], "do_sample": true, "top_k": 1}}')

    process = psutil.Process()
    before = process.memory_info().rss
    own = load(ModelRef("own", "openvino-raw", str(tmp_path)), tmp_path, lambda stage, fraction: None)
    try:
        _, tokens, done = run(own, chat("What is 2 + 2?"), Sampling())
    finally:
        grown = process.memory_info().rss - before
        own.close()

    assert own.context_tokens == 512
    assert process.memory_info().rss - before < grown / 2
    assert tokens == [first]
    assert done == Done("stop")


def test_a_directory_that_is_no_model_is_unavailable(tmp_path: Path) -> None:
    """Noise, and a model without a readable tokenizer."""
    for name in ("openvino_model.xml", "openvino_tokenizer.xml", "openvino_detokenizer.xml"):
        (tmp_path / name).write_bytes(b"noise")
    (tmp_path / "config.json").write_text('{"max_position_embeddings": 512}')
    own = ModelRef("own", "openvino-raw", str(tmp_path))
    with pytest.raises(Unavailable, match="can't read this model"):
        load(own, tmp_path, lambda stage, fraction: None)
    write_tiny_decoder(tmp_path)
    with pytest.raises(Unavailable, match="tokenizer"):
        load(own, tmp_path, lambda stage, fraction: None)
