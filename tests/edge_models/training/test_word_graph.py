"""The graph adds exactly what was fitted, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from edge_models import openvino_gate
from edge_models.engines.base import Unavailable
from edge_models.training.word_graph import with_words
from edge_models.training.words import HALF, Words, drawn, eight_bits
from tests.fakes.signal_models import DOMAINS, WORDS, tiny_heads

CLS, SEP, PROVE, THEOREM, HELLO = (WORDS.index(word) for word in ("[CLS]", "[SEP]", "prove", "theorem", "hello"))
TEXTS = ([CLS, PROVE, THEOREM, SEP], [CLS, SEP], [CLS, HELLO, HELLO, PROVE, THEOREM, THEOREM, SEP])


def words(*names: str) -> Words:
    """Tables of numbers by chance, as they are after rounding to 8 bits."""
    chance = np.random.default_rng(2)
    empty = drawn(len(WORDS), 4)
    sizes = {"domain": len(DOMAINS), "injection": 2, "nobody": 3}
    tables = {}
    for name in names:
        whole, scale = eight_bits(chance.normal(size=(len(WORDS) + 2 * HALF, sizes[name])).astype(np.float32))
        tables[name] = (whole * scale).astype(np.float32)
    return Words(empty.first, empty.second, tables)


def asked(graph: Any, ids: list[int], padding: int) -> dict[str, np.ndarray]:
    """All outputs for one window with so much padding behind it."""
    run = openvino_gate.core().compile_model(graph, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    mask = [1] * len(ids) + [0] * padding
    feeds = {"input_ids": np.array([ids + [0] * padding]), "attention_mask": np.array([mask])}
    return {port.get_any_name(): np.array(value) for port, value in run(feeds).items()}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tiny heads' graph."""
    folder = tiny_heads(tmp_path_factory.mktemp("heads"))
    return openvino_gate.core().read_model(folder / "model.onnx")


@pytest.mark.parametrize("padding", [0, 5])
@pytest.mark.parametrize("ids", TEXTS)
def test_the_graph_adds_what_was_fitted(graph: Any, ids: list[int], padding: int) -> None:
    """Its logits are the heads' own plus the words', padding or not, and other outputs stay as they were."""
    second = words("domain", "injection")
    before, after = asked(graph, ids, padding), asked(with_words(graph, second), ids, padding)
    assert before.keys() == after.keys()
    for name, value in before.items():
        head = name.removeprefix("head.")
        added = second.logits(head, np.array(ids)) if head in second.tables else 0
        np.testing.assert_allclose(after[name][0], value[0] + added, atol=1e-4, err_msg=name)


def test_the_graph_that_it_is_put_behind_stays_as_it_was(graph: Any) -> None:
    """Two second opinions are not heard at once because one was tried before."""
    before = asked(graph, TEXTS[0], 0)
    with_words(graph, words("domain"))
    np.testing.assert_array_equal(asked(graph, TEXTS[0], 0)["head.domain"], before["head.domain"])


def test_a_graph_without_the_head_is_refused(graph: Any) -> None:
    """Words for a head that isn't there can't be put anywhere."""
    with pytest.raises(Unavailable, match=r"head\.nobody"):
        with_words(graph, words("nobody"))
