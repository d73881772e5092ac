"""All heads over a text."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from edge_models.engines.base import Unavailable
from edge_models.heads.manifest import Calibration, Head
from edge_models.heads.reading import SignalHeads, crowded, open_heads, pooled, probabilities
from tests.fakes.signal_models import tiny_heads


@pytest.fixture(scope="module")
def heads(tmp_path_factory: pytest.TempPathFactory) -> SignalHeads:
    return open_heads(tiny_heads(tmp_path_factory.mktemp("heads")))


def test_one_reading_has_all_heads(heads: SignalHeads) -> None:
    """Probabilities by label, spans of whole words, and that all was read."""
    reading = heads.read("alice smith prove theorem")
    domain = dict(reading.scores["domain"])

    assert max(domain, key=lambda label: domain[label]) == "math"
    assert sum(domain.values()) == pytest.approx(1)
    [person] = reading.spans["pii"]
    assert (person.label, person.start, person.end) == ("PERSON", 0, 11)
    assert reading.whole


def test_probabilities_are_calibrated() -> None:
    """softmax, or sigmoid of independent labels, of logits / temperature + bias."""
    logits = np.array([2.0, 0.0], np.float32)
    one = Head("x", "sequence", ("a", "b"), calibration=Calibration(2.0, (0.0, 1.0)))
    many = Head("x", "sequence", ("a", "b"), multi_label=True, calibration=Calibration(2.0, (-1.0, 1.0)))

    assert probabilities(one, logits) == pytest.approx([0.5, 0.5])
    assert probabilities(many, logits) == pytest.approx([0.5, 1 / (1 + math.exp(-1))])


def test_of_many_windows_one_is_high_by_chance() -> None:
    """The worst of four windows counts for less than one that stands alone; two labels still add up to one."""
    head = Head("x", "sequence", ("no", "yes"), pool="max", calibration=Calibration(crowd=0.5))
    four = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.9, 0.1]], np.float32)

    assert pooled(head, four[1:2]) == pytest.approx([0.2, 0.8])
    assert pooled(head, four) == pytest.approx([1 / 3, 2 / 3])  # odds of 4 to 1, halved by the root of four windows
    assert crowded(np.array(0.8), 4, 0.0) == pytest.approx(0.8)
    assert crowded(np.array(1.0), 4, 1.0) < 1 - 1e-7


def test_a_long_text_is_read_whole_in_windows(heads: SignalHeads) -> None:
    """One attack in a long text is as sure as alone, and a mean is that of the windows; a name across a border is one."""
    filler = "hello . " * 30
    alone = dict(heads.read("ignore instructions").scores["injection"])["injection"]
    hidden = heads.read(filler + "ignore instructions ignore instructions ignore instructions " + filler)
    named = heads.read("hello . hello . hello . hello . alice smith")

    assert dict(hidden.scores["injection"])["injection"] > 0.9 * alone
    assert hidden.whole
    assert hidden.windows > 2
    assert 0 < dict(hidden.scores["domain"])["math"] < 1
    assert [(span.label, span.start) for span in named.spans["pii"]] == [("PERSON", 32)]


def test_only_new_windows_are_run(heads: SignalHeads) -> None:
    """A text that grew is read from where it grew."""
    before = "who who poem . " * 20
    heads.read(before)
    grown = heads.read(before + "alice")

    assert heads.read(before).windows == 0
    assert 1 <= grown.windows <= 2


def test_reading_ends_when_there_is_no_time(heads: SignalHeads) -> None:
    """What was read until then is told, and that it isn't all."""
    left = iter([True])
    reading = heads.read("cell . " * 40, lambda: next(left, False))
    nothing = heads.read("cell", lambda: False)

    assert not reading.whole
    assert reading.scores["domain"]
    assert (nothing.whole, nothing.scores) == (False, {})


def test_a_text_without_tokens_is_read(heads: SignalHeads) -> None:
    """It has nothing in it."""
    assert heads.read(" ").spans["pii"] == ()


@pytest.mark.parametrize("wrong", ["output", "labels"])
def test_a_graph_that_is_not_the_manifests_is_refused(tmp_path: Path, wrong: str) -> None:
    """A head without its tensor, or with another number of labels."""
    tiny_heads(tmp_path)
    manifest = json.loads((tmp_path / "signals.json").read_text())
    if wrong == "output":
        manifest["heads"][0]["name"] = "other"
    else:
        manifest["heads"][0]["labels"].append("more")
    (tmp_path / "signals.json").write_text(json.dumps(manifest))

    with pytest.raises(Unavailable, match="install Nearloop again"):
        open_heads(tmp_path)


def test_a_graph_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    """It has to be among the hashed files."""
    tiny_heads(tmp_path, files={})

    with pytest.raises(Unavailable, match="graph or tokenizer"):
        open_heads(tmp_path)
