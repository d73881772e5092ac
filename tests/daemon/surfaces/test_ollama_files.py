"""What Ollama's clients call models, and what our own commands call them."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.errors import BadRequest
from daemon.surfaces.ollama_files import wanted


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("qwen3-1.7b", ("qwen3-1.7b",)),
        ("qwen3:1.7b", ("qwen3-1.7b",)),
        ("qwen3-1.7b:latest", ("qwen3-1.7b",)),
        ("org/tiny", ("org/tiny",)),
        ("hf.co/org/tiny:latest", ("org/tiny",)),
        ("huggingface.co/org/tiny:sub/tiny-Q8_0.gguf", ("org/tiny", "sub/tiny-Q8_0.gguf")),
    ],
)
def test_names(name: str, ours: tuple[str, ...]) -> None:
    """A tag is a part of a known name, or the file of a repository."""
    assert wanted(name) == ours


@pytest.mark.parametrize(
    "name", ["--anyway", "a b", "../x", "a/b/c", "a/b:Q4_K_M", "a/b:../x.gguf", "x:--force", "", "é"]
)
def test_what_is_no_name(name: str) -> None:
    """Refused before any command is started."""
    with pytest.raises(BadRequest):
        wanted(name)


@given(st.text(max_size=30))
def test_nothing_becomes_an_option(name: str) -> None:
    """Whatever is asked for, no argument begins with a hyphen."""
    with contextlib.suppress(BadRequest):
        assert not any(part.startswith("-") for part in wanted(name))
