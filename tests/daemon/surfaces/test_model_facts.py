"""What lists tell of model files."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.surfaces.model_facts import Facts, FactsOfFiles
from edge_models.catalog import CATALOG, ModelRef
from tests.edge_models.test_gguf_file import write_sample

START = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def files() -> FactsOfFiles:
    return FactsOfFiles(START)


def test_a_known_model_tells_everything(files: FactsOfFiles) -> None:
    """Of the packaged model its digest, licence, size, kind and window are known."""
    facts = files.of(ModelRef(CATALOG[0].name, CATALOG[0].engine))

    assert (facts.digest, facts.licence, facts.size_bytes) == (
        CATALOG[0].sha256,
        CATALOG[0].licence,
        CATALOG[0].size_bytes,
    )
    assert (facts.form, facts.architecture, facts.quantisation, facts.parameter_size) == (
        "gguf",
        "llama",
        "Q4_1",
        "134.5M",
    )
    assert facts.context_tokens == 8192


def test_a_file_that_changes_is_another_edition(files: FactsOfFiles, tmp_path: Path) -> None:
    """The digest stands for name, size and age, and is read anew when they change."""
    path = tmp_path / "m.gguf"
    write_sample(path)
    ref = ModelRef("m", "openvino-genai", str(path))
    before = files.of(ref)
    assert files.of(ref) is before
    os.utime(path, ns=(1, 1))

    assert len(before.digest) == 64
    assert before.digest != files.of(ref).digest


@pytest.mark.parametrize("content", [None, b"", b"GGUF", b"no model"])
def test_a_file_that_tells_nothing(files: FactsOfFiles, tmp_path: Path, content: bytes | None) -> None:
    """A file that is missing or damaged leaves what it would tell empty, and the list whole."""
    path = tmp_path / "m.gguf"
    if content is not None:
        path.write_bytes(content)
    facts = files.of(ModelRef("m", "openvino-genai", str(path)))

    assert (facts.form, facts.parameter_size, facts.context_tokens, facts.size_bytes) == ("", "", None, 0)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (None, ""),
        (0, ""),
        (999, "999"),
        (1500, "1.5K"),
        (134_515_008, "134.5M"),
        (1_720_000_000, "1.7B"),
        (10**12, "1T"),
    ],
)
def test_sizes_in_words(weights: int | None, said: str) -> None:
    """As model cards have them."""
    assert Facts("", START, weights=weights).parameter_size == said
