"""The door to the shipped models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from daemon.signals import shipped
from daemon.signals.opening import NO_MODEL, Unread
from daemon.signals.shipped import shipped_heads, shipped_vectors
from tests.fakes.multilingual import tiny_multilingual
from tests.fakes.signal_models import minilm_vectors, tiny_heads


def test_heads_are_opened_and_read(tmp_path: Path) -> None:
    """In this side's shapes."""
    tiny_heads(tmp_path / "signals")
    service = shipped_heads(tmp_path)
    reading = service.read("alice met bob", lambda: True)
    service.close()

    assert reading.of("injection").keys() == {"benign", "injection"}
    assert [(hit.label, hit.start, hit.end) for hit in reading.found["pii"]] == [("PERSON", 0, 5)]


def test_vectors_are_opened_and_compared(tmp_path: Path) -> None:
    """MiniLM's, whose cosines are known."""
    minilm_vectors(tmp_path / "embedder")
    vectors = shipped_vectors(tmp_path)
    near = vectors.likeness("I forgot my password", "How do I reset my login?")
    far = vectors.likeness("I forgot my password", "The cat sleeps on the sofa.")
    score = vectors.bank(("reset my password", "delete my account")).score(vectors.of("I forgot my password"))
    width = vectors.width
    vectors.close()

    assert near > 0.4 > far
    assert score.best > score.score > score.support
    assert width == 384


@pytest.mark.parametrize("name", ["signals/tokenizer.json", "embedder/model.onnx", "embedder/provenance.json"])
def test_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    """Models run in the daemon because their files are what was shipped."""
    tiny_heads(tmp_path / "signals")
    minilm_vectors(tmp_path / "embedder")
    with (tmp_path / name).open("ab") as file:
        file.write(b" {")
    service = shipped_heads(tmp_path) if name.startswith("signals") else shipped_vectors(tmp_path)

    with pytest.raises(Unread, match=NO_MODEL):
        service.read("x", lambda: True) if name.startswith("signals") else service.of("x")  # type: ignore[union-attr]
    assert "install" in (service.why or "")


def test_an_installation_without_them_says_so(tmp_path: Path) -> None:
    """With a remedy, and nothing breaks."""
    heads, vectors = shipped_heads(tmp_path), shipped_vectors(tmp_path)

    assert not heads.has("domain")
    with pytest.raises(Unread, match=NO_MODEL):
        vectors.of("x")
    assert all("install Nearloop" in (service.why or "") for service in (heads, vectors))


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    """Neither numpy nor a runtime."""
    code = (
        "import sys; import daemon.signals.shipped as s; s.shipped_heads(); s.shipped_vectors();"
        "print([m for m in ('numpy', 'openvino', 'onnxruntime', 'tokenizers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.strip() == "[]"


def test_another_language_is_read_and_compared() -> None:
    """By the multilingual models, which share one encoder as long as somebody has it open."""
    heads, vectors = shipped_heads(tiny_multilingual()), shipped_vectors(tiny_multilingual())
    assert heads.model("Welche Symptome hat eine Grippe?") == "multilingual"
    assert heads.model("What are the symptoms of the flu?") is None
    near = vectors.likeness("Ich habe mein Passwort vergessen und kann mich nicht anmelden.", "I forgot my password")
    far = vectors.likeness("Ich habe mein Passwort vergessen und kann mich nicht anmelden.", "The cat sleeps.")
    assert near > 0.4 > far
    assert len(shipped._encoders) == 1
    heads.close()
    vectors.close()
