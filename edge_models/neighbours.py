"""Models that other programs of this user keep on this machine: Ollama's, LM Studio's, and the Hugging Face cache's.

Their folders are only read, a few levels deep and never by walking, so that a link or a strange tree can't lead us astray.
Layouts: ollama/ollama `server/modelpath.go`; lmstudio.ai/docs, "Import models"; huggingface_hub's "Understand caching".
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from edge_models.plain_files import open_plain, read_plain

Program = Literal["ollama", "lm-studio", "hugging-face"]

_MOST: Final = 2000
"""Models that are looked at in each program's folder."""
_MANIFEST_BYTES: Final = 1 << 20
_MODEL_LAYER: Final = "application/vnd.ollama.image.model"
_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
_BLOB: Final = re.compile(r"(?:sha256-)?([0-9a-f]{64})")
_PART: Final = re.compile(r"-\d{5}-of-\d{5}\.gguf$")
_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9._:-]+")


class Neighbour(Struct, frozen=True):
    """A model of another program. path: a GGUF file, or a directory of OpenVINO's."""

    program: Program
    name: str
    path: str
    size_bytes: int


class _Layer(Struct, frozen=True):
    mediaType: str = ""  # noqa: N815  # Ollama's word
    digest: str = ""


class _Manifest(Struct, frozen=True):
    layers: tuple[_Layer, ...] = ()


_decode_manifest: Final = msgspec.json.Decoder(_Manifest).decode


def neighbours(environment: Mapping[str, str], home: Path) -> tuple[Neighbour, ...]:
    """All that can be found. A folder that is not there or not ours to read has none."""
    found: dict[tuple[str, str], Neighbour] = {}
    for place in (_ollama(environment, home), _lm_studio(home), _hugging_face(environment, home)):
        for neighbour in islice(place, _MOST):
            if neighbour.path.isprintable():  # it is shown on a terminal, and the name is a part of it
                found.setdefault((neighbour.program, neighbour.name), neighbour)
    return tuple(found.values())


def digest_by_name(path: Path) -> str | None:
    """The SHA-256 that Ollama and the Hugging Face cache name a file by. A link is followed to what is named so."""
    named = _BLOB.fullmatch(path.resolve().name)
    return named[1] if named and path.resolve().parent.name == "blobs" else None


def model_name(text: str) -> str:
    """A name that settings.toml takes, from somebody else's."""
    return _NOT_A_NAME.sub("-", text).strip("-._:")[:100] or "model"


def _ollama(environment: Mapping[str, str], home: Path) -> Iterator[Neighbour]:
    roots = [Path(environment["OLLAMA_MODELS"])] if environment.get("OLLAMA_MODELS") else [home / ".ollama" / "models"]
    if sys.platform == "linux":
        roots.append(Path("/usr/share/ollama/.ollama/models"))  # where its system service keeps them
    for root in roots:
        for manifest in _those(root / "manifests", "*/*/*/*"):
            host, namespace, model, tag = manifest.parts[-4:]
            if blob := _blob(root, manifest):
                shown = f"{model}:{tag}"
                if namespace != "library":
                    shown = f"{namespace}/{shown}"
                if host != "registry.ollama.ai":
                    shown = f"{host}/{shown}"
                yield Neighbour("ollama", shown, str(blob), _size(blob))


def _blob(root: Path, manifest: Path) -> Path | None:
    """The weights that a manifest names, if they are there."""
    try:
        with open_plain(manifest) as file:
            layers = _decode_manifest(file.read(_MANIFEST_BYTES)).layers
    except (OSError, ValueError):
        return None
    for layer in layers:
        digest = _DIGEST.fullmatch(layer.digest)
        if layer.mediaType == _MODEL_LAYER and digest:
            blob = root / "blobs" / f"sha256-{digest[1]}"
            return blob if _size(blob) else None
    return None


def _lm_studio(home: Path) -> Iterator[Neighbour]:
    for root in (home / ".lmstudio" / "models", home / ".cache" / "lm-studio" / "models"):
        for file in _those(root, "*/*/*.gguf"):
            yield from _gguf("lm-studio", file)


def _hugging_face(environment: Mapping[str, str], home: Path) -> Iterator[Neighbour]:
    cache = Path(environment.get("XDG_CACHE_HOME") or home / ".cache") / "huggingface"
    hub = Path(environment.get("HF_HUB_CACHE") or Path(environment.get("HF_HOME") or cache) / "hub")
    for repository in _those(hub, "models--*"):
        for snapshot in _newest(repository):
            for pattern in ("*.gguf", "*/*.gguf"):
                for file in _those(snapshot, pattern):
                    yield from _gguf("hugging-face", file)
            if _size(snapshot / "openvino_model.xml"):
                weights = _size(snapshot / "openvino_model.bin")
                yield Neighbour("hugging-face", repository.name.split("--")[-1], str(snapshot), weights)


def _newest(repository: Path) -> list[Path]:
    """Snapshots, that of the main branch first."""
    try:
        main = read_plain(repository / "refs" / "main").decode("ascii").strip()
    except (OSError, ValueError):
        main = ""
    return sorted(_those(repository / "snapshots", "*"), key=lambda path: path.name != main)


def _gguf(program: Program, file: Path) -> Iterator[Neighbour]:
    """One file, unless it is a part of a model: a projector, or one of several."""
    if not file.name.startswith("mmproj") and not _PART.search(file.name) and _size(file):
        yield Neighbour(program, file.stem, str(file), _size(file))


def _those(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(islice(folder.glob(pattern), _MOST))
    except OSError:
        return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0
