"""Other programs' models: found where their makers put them, and nothing strange believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edge_models.neighbours import Neighbour, digest_by_name, model_name, neighbours

HEX = "ab" * 32


def put(path: Path, content: bytes = b"GGUF weights") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def ollama(root: Path, name: str, *layers: tuple[str, str], blob: bool = True) -> Path:
    """A manifest like Ollama's, and the blob it names."""
    body = {"schemaVersion": 2, "layers": [{"mediaType": kind, "digest": digest} for kind, digest in layers]}
    put(root / "manifests" / name, json.dumps(body).encode())
    return put(root / "blobs" / f"sha256-{HEX}") if blob else root


MODEL = ("application/vnd.ollama.image.model", f"sha256:{HEX}")
TEMPLATE = ("application/vnd.ollama.image.template", "sha256:" + "cd" * 32)


def test_ollama(tmp_path: Path) -> None:
    """A manifest leads to the blob with the weights; other layers are not taken for them."""
    blob = ollama(tmp_path / ".ollama/models", "registry.ollama.ai/library/qwen3/0.6b", TEMPLATE, MODEL)

    (found,) = neighbours({}, tmp_path)

    assert found == Neighbour("ollama", "qwen3:0.6b", str(blob), 12)
    assert digest_by_name(blob) == HEX


def test_ollama_elsewhere(tmp_path: Path) -> None:
    """OLLAMA_MODELS names the folder, and models of others are called with their names."""
    root = tmp_path / "store"
    ollama(root, "hf.co/some/model/Q8_0", MODEL)
    ollama(root, "registry.ollama.ai/me/mine/latest", MODEL)

    found = neighbours({"OLLAMA_MODELS": str(root)}, tmp_path)

    assert {each.name for each in found} == {"hf.co/some/model:Q8_0", "me/mine:latest"}


@pytest.mark.parametrize(
    "layer",
    [
        ("application/vnd.ollama.image.model", "sha256:../../../../etc/passwd"),
        (MODEL[0], "sha256:" + "ef" * 32),
        TEMPLATE,
    ],
    ids=["a path", "a blob that is gone", "no weights"],
)
def test_ollama_manifests_are_not_believed(layer: tuple[str, str], tmp_path: Path) -> None:
    """A manifest that names no blob by its digest, or one that is not there, has no model."""
    ollama(tmp_path / ".ollama/models", "registry.ollama.ai/library/bad/1", layer)
    put(tmp_path / ".ollama/models/manifests/registry.ollama.ai/library/bad/2", b"{not json")

    assert neighbours({}, tmp_path) == ()


def test_lm_studio(tmp_path: Path) -> None:
    """Files by publisher and repository, without projectors and parts of models."""
    root = tmp_path / ".lmstudio/models/publisher/repo-GGUF"
    path = put(root / "model-Q8_0.gguf")
    put(root / "mmproj-model.gguf")
    put(root / "large-00001-of-00002.gguf")
    put(tmp_path / ".cache/lm-studio/models/other/repo/older.gguf")

    found = neighbours({}, tmp_path)

    assert [each.name for each in found] == ["model-Q8_0", "older"]
    assert found[0].path == str(path)


def hugging_face(hub: Path, repository: str, revision: str, file: str) -> Path:
    """A snapshot's link to a blob, as huggingface_hub makes it."""
    blob = put(hub / repository / "blobs" / HEX)
    link = hub / repository / "snapshots" / revision / file
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(blob)
    return link


def test_hugging_face(tmp_path: Path) -> None:
    """A snapshot's file, that of the main branch before others, and its digest by the blob's name."""
    hub = tmp_path / ".cache/huggingface/hub"
    hugging_face(hub, "models--org--repo", "aaaa", "m.gguf")
    link = hugging_face(hub, "models--org--repo", "bbbb", "m.gguf")
    put(hub / "models--org--repo/refs/main", b"bbbb")

    (found,) = neighbours({}, tmp_path)

    assert found == Neighbour("hugging-face", "m", str(link), 12)
    assert digest_by_name(link) == HEX


def test_hugging_face_elsewhere(tmp_path: Path) -> None:
    """HF_HUB_CACHE, HF_HOME and XDG_CACHE_HOME are honoured, in this order; an OpenVINO snapshot is a folder."""
    for place in ("a", "b/hub", "c/huggingface/hub"):
        put(tmp_path / place / "models--org--ir" / "snapshots" / "x" / "openvino_model.xml")
    environment = {
        "HF_HUB_CACHE": str(tmp_path / "a"),
        "HF_HOME": str(tmp_path / "b"),
        "XDG_CACHE_HOME": str(tmp_path / "c"),
    }
    for place in ("a", "b", "c"):
        (found,) = neighbours(environment, tmp_path)
        assert found.name == "ir"
        assert Path(found.path).is_relative_to(tmp_path / place)
        del environment[next(iter(environment))]


def test_names_that_settings_take() -> None:
    """Slashes and odd signs become dashes; nothing left is `model`."""
    assert model_name("hf.co/some/model:Q8_0") == "hf.co-some-model:Q8_0"
    assert model_name("Größe (neu)") == "Gr-e-neu"
    assert model_name("///") == "model"
    assert len(model_name("x" * 300)) == 100


def test_a_name_that_is_no_digest(tmp_path: Path) -> None:
    """A file outside of a blob folder is named by nobody's digest."""
    assert digest_by_name(put(tmp_path / HEX)) is None
    assert digest_by_name(put(tmp_path / "blobs" / "model.gguf")) is None
