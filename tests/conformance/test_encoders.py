"""What every runtime of the table must do with the same encoders, in this process and behind the worker protocol."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from edge_models.classifiers.base import EncoderRef, Placement, Span, Task
from edge_models.classifiers.opening import HEADS, Opened, open_encoder
from edge_models.encoder_process import EncoderProcess
from edge_models.engines.base import NotInstalled, TextTooLong, Unavailable
from edge_models.runtimes.registry import RUNTIMES, load_runtime
from tests.fakes.encoders import tiny_classifier, tiny_entailer, tiny_tagger
from tests.fakes.minilm import SENTENCES, minilm_onnx

MAKERS = {
    "text-classification": tiny_classifier,
    "token-classification": tiny_tagger,
    "feature-extraction": minilm_onnx,
    "entailment": tiny_entailer,
}
LONG = " ".join(["alice smith met bob in new yorks ."] * 12)


def test_every_task_has_an_encoder_here() -> None:
    """A new task in the table brings an encoder to test it with."""
    assert set(MAKERS) == set(HEADS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {task: make(tmp_path_factory.mktemp(task)) for task, make in MAKERS.items()}


@pytest.fixture(
    scope="module", params=[(runtime, home) for runtime in RUNTIMES for home in ("here", "worker")], ids=str
)
def opened(request: pytest.FixtureRequest, folders: dict[str, Path]) -> Iterator[dict[Task, Opened | EncoderProcess]]:
    runtime, home = request.param
    kind = open_encoder if home == "here" else EncoderProcess
    refs = [EncoderRef(str(folder), task, runtime, Placement(threads=1)) for task, folder in folders.items()]  # type: ignore[arg-type]
    encoders = {ref.task: kind(ref) for ref in refs}
    yield encoders
    for encoder in encoders.values():
        encoder.close()


def test_texts_are_classified(opened: dict[Task, EncoderProcess]) -> None:
    """A row for each text, a column for each label, and probabilities in them."""
    head = opened["text-classification"]

    rows = head.predict(("alice met bob", "bad", ""))

    assert head.about.labels == ("good", "bad")
    assert rows.shape == (3, 2)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-6)
    assert rows.argmax(axis=1).tolist()[:2] == [0, 1]
    assert head.predict(()).shape == (0, 2)


def test_words_are_found(opened: dict[Task, EncoderProcess]) -> None:
    """Spans have their characters; a word of two tokens is one, and B- parts two persons side by side."""
    text = "Alice"  # unknown to a vocabulary of small letters
    assert opened["token-classification"].spans((text,)) == ((),)

    ((first, second, place), none) = opened["token-classification"].spans(("bob alice smith met in new yorks .", "met"))

    assert (first.label, first.start, first.end) == ("PER", 0, 3)
    assert (second.label, second.start, second.end) == ("PER", 4, 15)
    assert (place.label, place.start, place.end) == ("LOC", 23, 32)
    assert place.score == pytest.approx(1, abs=0.01)
    assert none == ()


def test_pairs_are_judged(opened: dict[Task, EncoderProcess]) -> None:
    """Each text counts by its side; a premise of many windows counts by the one that says something."""
    head = opened["entailment"]
    long = "alice met smith . " * 20

    rows = head.judge(
        (("alice", "bob"), ("bob", "alice"), ("bad", "bob"), ("", "bob"), (f"{long} bad {long}", "alice"))
    )

    assert head.about.labels == ("entailment", "neutral", "contradiction")
    assert rows.argmax(axis=1).tolist() == [0, 1, 2, 0, 2]
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-6)
    assert head.judge(()).shape == (0, 3)
    with pytest.raises(TextTooLong, match="more than the 6 tokens"):
        head.judge((("alice", "bob " * 7),))


def test_a_long_text_loses_and_doubles_nothing(opened: dict[Task, EncoderProcess]) -> None:
    """A text of many windows has each of its spans once, where it is."""
    (found,) = opened["token-classification"].spans((LONG,))

    assert [LONG[span.start : span.end] for span in found] == ["alice smith", "bob", "new yorks"] * 12


def test_vectors_have_unit_length(opened: dict[Task, EncoderProcess]) -> None:
    """A row for each text, of length 1, the same for the same text alone and among others."""
    embedder = opened["feature-extraction"]

    rows = embedder.embed(SENTENCES[:4])

    assert rows.shape == (4, 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(embedder.embed(SENTENCES[2:3])[0], rows[2], atol=1e-6)


def test_threads_share_an_encoder(opened: dict[Task, EncoderProcess]) -> None:
    """Answers don't get mixed when four threads ask at once."""
    embedder = opened["feature-extraction"]
    alone = embedder.embed(SENTENCES[:4])
    found: dict[int, np.ndarray] = {}

    def ask(place: int) -> None:
        for _ in range(3):
            found[place] = embedder.embed((SENTENCES[place],))[0]

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    np.testing.assert_allclose(np.stack([found[place] for place in range(4)]), alone, atol=1e-6)


def test_it_says_what_it_is(opened: dict[Task, EncoderProcess]) -> None:
    """Task, window and device are told."""
    for task, encoder in opened.items():
        assert encoder.about.task == task
        assert encoder.about.device == "CPU"
        assert encoder.about.window_tokens == (512 if task == "feature-extraction" else 16)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_device_that_is_not_there_is_refused(runtime: str, folders: dict[str, Path]) -> None:
    """A pinned device is no hint: without it, nothing else is taken."""
    ref = EncoderRef(str(folders["text-classification"]), "text-classification", runtime, Placement(device="NPU"))
    with pytest.raises(Unavailable, match="no device NPU here, but CPU"):
        open_encoder(ref)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_one_length_gives_the_same(runtime: str, folders: dict[str, Path]) -> None:
    """A graph compiled for one length, as NPUs need it, pads under a mask and answers the same."""
    task, folder = "text-classification", folders["text-classification"]
    fixed = open_encoder(EncoderRef(str(folder), task, runtime, Placement(static_tokens=12)))  # type: ignore[arg-type]
    free = open_encoder(EncoderRef(str(folder), task, runtime))  # type: ignore[arg-type]
    texts = ("alice met bob", "bad")
    np.testing.assert_allclose(fixed.predict(texts), free.predict(texts), atol=1e-6)  # type: ignore[union-attr]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("data", [b"", b"\x08\x07" * 500, b"<net", None], ids=["empty", "noise", "text", "cut"])
def test_a_bad_graph_is_unavailable(runtime: str, data: bytes | None, tmp_path: Path) -> None:
    """A damaged ONNX file is told as such by every runtime."""
    folder = tiny_tagger(tmp_path / "m")
    whole = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(whole[: len(whole) // 2] if data is None else data)
    with pytest.raises(Unavailable, match="damaged"):
        open_encoder(EncoderRef(str(folder), "token-classification", runtime))


def test_runtimes_say_their_versions() -> None:
    """Each names the package that it runs on."""
    for name in RUNTIMES:
        assert load_runtime(name).versions()
    with pytest.raises(NotInstalled, match="openvino, onnx"):
        load_runtime("tea leaves")


def test_spans_are_plain() -> None:
    """What crosses the process border is a label, two places and a score."""
    assert Span("PER", 1, 2, 0.5) == Span(label="PER", start=1, end=2, score=0.5)
