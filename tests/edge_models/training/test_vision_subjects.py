"""`nearloop parity vision` over checkpoints, over optimum-intel's export of one, and over what is shipped."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edge_models.classifiers.base import EncoderRef
from edge_models.classifiers.image_text import open_image_text
from tests.fakes.siglip import picture, png

NEARLOOP = [sys.executable, "-m", "daemon.cli.main", "parity", "vision"]
TASK = "zero-shot-image-classification"
pytestmark = [pytest.mark.export, pytest.mark.timeout(600)]


def nearloop(*args: object, check: int = 0) -> tuple[str, str]:
    """The command to its end: what it printed, and what it said on the way."""
    done = subprocess.run([*NEARLOOP, *map(str, args)], capture_output=True, text=True, timeout=600, env=os.environ)
    assert done.returncode == check, done.stdout + done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.fakes.originals import siglip_original

    return siglip_original(tmp_path_factory.mktemp("original") / "tiny-siglip")


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.png").write_bytes(png(picture(number, (90 - 9 * number, 50 + 20 * number))))
    return folder


def test_a_checkpoint(original: Path, pictures: Path) -> None:
    """As a table and as JSON, with status 0; with a bar that int8 can't reach, status 1 and which layer it is."""
    said, stages = nearloop("--model", original, "--pictures", pictures)
    assert said.startswith("tiny-siglip, weights as float\n")
    assert said.endswith("\npassed\n")
    assert "4 pictures, 21 labels" in stages

    found, _ = nearloop("--model", original, "--pictures", pictures, "--json")
    (report,) = json.loads(found)
    assert report["corpus"]["pictures"] == 4
    assert report["corpus"]["least"] >= 0.9995
    assert len(report["cosines"]["0.png"]) == 3
    assert report["errs"] == []

    said, _ = nearloop("--model", original, "--pictures", pictures, "--weights", "int8", "--floor", 0.999999, check=1)
    assert "kept in too few bits" in said
    assert said.endswith("\nfailed\n")


def test_what_is_no_such_checkpoint(tmp_path: Path) -> None:
    """It is said before anything is loaded."""
    _, said = nearloop("--model", tmp_path, check=2)
    assert "no config.json" in said
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    _, said = nearloop("--model", tmp_path, check=1)
    assert "no SigLIP" in said


def test_optimums_export_is_the_checkpoint(original: Path, tmp_path: Path) -> None:
    """One graph for both towers gives the same vectors, scale and bias."""
    from edge_models.training.artefact import convert

    folder = tmp_path / "export"
    convert(original, folder, TASK)
    shutil.copyfile(original / "preprocessor_config.json", folder / "preprocessor_config.json")
    whole, small = (open_image_text(EncoderRef(str(each), TASK, weights="float")) for each in (original, folder))
    images, texts = [picture(1), picture(2, (20, 77))], ["a photo of a cat", "invoice"]

    np.testing.assert_allclose(
        small.embed_images(images), whole.embed_images(images), atol=2e-3
    )  # its weights are halves
    np.testing.assert_allclose(small.embed_texts(texts), whole.embed_texts(texts), atol=2e-3)
    assert small.about.scale == pytest.approx(whole.about.scale, rel=0.01)
    assert small.about.bias == pytest.approx(whole.about.bias, rel=0.05)


def test_what_is_shipped(pictures: Path) -> None:
    """The encoder of texts is its authors' MiniLM; the status says whether all that is shipped is its reference."""
    done = subprocess.run([*NEARLOOP, "--pictures", str(pictures)], capture_output=True, text=True, timeout=600)
    first, *others = done.stdout.split("\n\n")
    assert first.startswith("embedder\n"), done.stderr
    assert "passed)" in first
    assert (done.returncode == 0) == all(each.rstrip().endswith("\npassed") for each in others)
