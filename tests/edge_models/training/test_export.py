"""Exports of real models, held to what torch makes of the originals; needs the export stack (docs/export.md)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fakes.minilm import MINILM_SHA256, SENTENCES, minilm

NEARLOOP = [sys.executable, "-m", "daemon.cli.main", "export"]
pytestmark = [pytest.mark.export, pytest.mark.timeout(600)]


def nearloop(*args: object, check: int = 0, environment: dict[str, str] | None = None) -> str:
    """`nearloop export …` to its end, and what it said."""
    env = {**os.environ, **(environment or {})}
    done = subprocess.run([*NEARLOOP, *map(str, args)], capture_output=True, text=True, timeout=600, env=env)
    assert done.returncode == check, done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    return done.stdout + done.stderr


def told(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The report and the provenance in an artefact."""
    return json.loads((folder / "report.json").read_bytes()), json.loads((folder / "provenance.json").read_bytes())


def test_an_embedder(tmp_path: Path) -> None:
    """MiniLM with int8 weights is a quarter of its size, within 0.999 of torch, and opens as an embedder."""
    from edge_models.classifiers.base import EncoderRef
    from edge_models.classifiers.opening import open_encoder
    from edge_models.training.reference import Reference

    said = nearloop(minilm(), "--task", "feature-extraction", "--to", tmp_path / "small")

    report, provenance = told(tmp_path / "small")
    assert "passed" in said
    assert report["parity"]["measure"] == "mean cosine"
    assert report["parity"]["value"] >= 0.999
    assert report["parity"]["more"]["same nearest neighbour"] >= 0.9
    assert report["after"]["size_bytes"] < 0.3 * report["before"]["size_bytes"]
    assert provenance["base"] == {"model.safetensors": MINILM_SHA256}
    assert provenance["licence"] == "apache-2.0"
    assert provenance["recipe"] == {"task": "feature-extraction", "weights": "int8", "activations": "float"}
    assert {"torch", "nncf", "optimum-intel", "openvino"} <= provenance["versions"].keys()

    embedder = open_encoder(EncoderRef(str(tmp_path / "small"), "feature-extraction"))
    theirs = Reference(minilm(), "feature-extraction").embeddings(SENTENCES)
    assert np.einsum("tw,tw->t", embedder.embed(SENTENCES), theirs).min() >= 0.99  # type: ignore[union-attr]


def test_our_own_bert_is_torchs(tmp_path: Path) -> None:
    """The graph that is built from safetensors without torch gives torch's vectors."""
    from edge_models.classifiers.base import EncoderRef
    from edge_models.classifiers.opening import open_encoder
    from edge_models.training.reference import Reference

    ours = open_encoder(EncoderRef(str(minilm()), "feature-extraction"))
    theirs = Reference(minilm(), "feature-extraction").embeddings(SENTENCES)

    assert np.einsum("tw,tw->t", ours.embed(SENTENCES), theirs).min() >= 0.999  # type: ignore[union-attr]


def test_a_bad_artefact_is_refused_and_deleted(tmp_path: Path) -> None:
    """MiniLM with int4 weights is too far from itself: status 1, the reason, a report, and nothing else left."""
    said = nearloop(minilm(), "--task", "feature-extraction", "--weights", "int4", "--to", tmp_path / "small", check=1)

    assert "refused and deleted: the mean cosine is 0.9" in said
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["small.refused.json"]
    assert json.loads((tmp_path / "small.refused.json").read_bytes())["parity"]["value"] < 0.99


def test_a_floor_of_ones_own(tmp_path: Path) -> None:
    """--floor is what decides, with texts of one's own from --data."""
    (tmp_path / "texts").write_text("\n\n".join(SENTENCES[:6]))

    said = nearloop(
        minilm(), "--task", "feature-extraction", "--to", tmp_path / "small", "--floor", "0.99999",
        "--data", tmp_path / "texts", check=1,
    )  # fmt: skip

    assert "has to be 0.99999 or more" in said
    assert not (tmp_path / "small").exists()


@pytest.mark.parametrize("task", ["text-classification", "token-classification"])
def test_a_classifier(task: str, tmp_path: Path) -> None:
    """Heads are exported with int8 activations, calibrated on one half of the texts and compared on the other."""
    from edge_models.classifiers.base import EncoderRef
    from edge_models.classifiers.opening import open_encoder
    from tests.fakes.originals import sequence_original, token_original

    original = (sequence_original if task == "text-classification" else token_original)(tmp_path / "original")

    nearloop(original, "--task", task, "--to", tmp_path / "small")

    report, provenance = told(tmp_path / "small")
    assert report["activations"] == "int8"
    assert report["parity"]["value"] >= 0.95
    assert report["parity"]["texts"] == 36
    assert provenance["calibration_sha256"]
    head = open_encoder(EncoderRef(str(tmp_path / "small"), task))  # type: ignore[arg-type]
    assert head.about.labels == (("other", "question") if task == "text-classification" else ("O", "B-NUMBER"))
    whole = open_encoder(EncoderRef(str(original), task))  # type: ignore[arg-type]  # our own BERT, with its head
    assert whole.about.labels == head.about.labels


def test_entailment(tmp_path: Path) -> None:
    """A head over pairs is calibrated and compared on pairs, and answers as torch does, numbered sides and all."""
    from edge_models.classifiers.base import EncoderRef
    from edge_models.classifiers.opening import open_encoder
    from edge_models.training.reference import Reference
    from edge_models.training.samples import PAIRS
    from tests.fakes.originals import entailment_original

    original = entailment_original(tmp_path / "original")

    said = nearloop(original, "--task", "entailment", "--to", tmp_path / "small")

    report, provenance = told(tmp_path / "small")
    assert "[signals]\nentailment = " in said
    assert (report["parity"]["measure"], report["parity"]["texts"]) == ("same label", 30)
    assert provenance["calibration_sha256"]
    theirs = Reference(original, "entailment").entailments(PAIRS)
    small = open_encoder(EncoderRef(str(tmp_path / "small"), "entailment"))
    assert (small.judge(PAIRS).argmax(axis=1) == theirs.argmax(axis=1)).mean() >= 0.9  # type: ignore[union-attr]
    whole = open_encoder(EncoderRef(str(original), "entailment"))  # our own BERT, with its head
    np.testing.assert_allclose(whole.judge(PAIRS), theirs, atol=0.01)  # type: ignore[union-attr]


def test_pairs_of_ones_own_are_parted_by_a_tabulator(tmp_path: Path) -> None:
    """A line without one ends the command."""
    (tmp_path / "pairs").write_text("It rains.\tIt is wet.\nalone\n")
    said = nearloop(minilm(), "--task", "entailment", "--to", tmp_path / "small", "--data", tmp_path / "pairs", check=2)
    assert "no pair" in said and "alone" not in said


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.fakes.originals import decoder_original

    return decoder_original(tmp_path_factory.mktemp("decoder") / "smol")


@pytest.mark.parametrize(("weights", "most", "floor"), [("int8", 0.27, 0.97), ("int4", 0.18, 0.6)])
def test_a_decoder(weights: str, most: float, floor: float, decoder: Path, tmp_path: Path) -> None:
    """SmolLM2 is exported with its tokenizers, close to torch's perplexity, and answers in Nearloop's own engine."""
    from edge_models.catalog import ModelRef
    from edge_models.engines.base import Chat, Done, Sampling, Token, Turn
    from edge_models.engines.openvino_genai import load

    (tmp_path / "texts").write_text("\n".join(text for text in SENTENCES if "\n" not in text))
    small = tmp_path / "small"

    said = nearloop(
        decoder, "--task", "text-generation", "--weights", weights, "--data", tmp_path / "texts", "--to", small,
        "--floor", floor,
    )  # fmt: skip

    report, _ = told(small)
    assert f'[models.small]\npath = "{small.as_posix()}"' in said
    assert report["after"]["size_bytes"] < most * report["before"]["size_bytes"]
    assert report["parity"]["more"]["perplexity before"] < 200  # a real model, read rightly
    assert report["parity"]["more"]["texts cut into the same tokens"] == 1
    assert report["parity"]["value"] >= floor
    engine = load(ModelRef("small", "openvino-genai", str(small)), tmp_path, lambda stage, fraction: None)
    engine.start(1, Chat((Turn("user", "What is the capital of France?"),)), Sampling(max_tokens=24, temperature=0))
    events: list[Token | Done] = []
    while not any(isinstance(event, Done) for event in events):
        events += [event for _, event in engine.step()]
    engine.close()
    text = b"".join(event.piece for event in events if isinstance(event, Token)).decode(errors="ignore")
    assert text.strip()  # what so small a model says, rounding decides: the first two candidates are 0.4 apart
