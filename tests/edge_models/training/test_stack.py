"""`nearloop export` where it can't go on: without its stack, and with what it must not read."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from edge_models.engines.base import NotInstalled, Unavailable
from edge_models.training import stack
from edge_models.training.export import check_source, licence

ROOT = Path(__file__).resolve().parents[3]
without_stack = pytest.mark.skipif(find_spec("torch") is not None, reason="the export stack is here")


def original(folder: Path, weights: str = "model.safetensors") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / weights).write_bytes(b"")
    return folder


def nearloop(*args: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "daemon.cli.main", "export", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


@without_stack
def test_without_the_stack(tmp_path: Path) -> None:
    """The command says in one line what is missing and what to type, and leaves nothing behind."""
    status, said = nearloop(str(original(tmp_path / "m")), "--task", "feature-extraction")

    assert status == 1
    assert said.count("\n") == 1
    assert stack.install_command() in said
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["m"]


@without_stack
def test_what_is_missing_is_named() -> None:
    """Each part that isn't there, by its name."""
    with pytest.raises(NotInstalled, match="torch"):
        stack.require()


def test_the_install_command() -> None:
    """It keeps CUDA out: torch for the CPU, and optimum-intel without the torchvision that it asks for."""
    first, second = stack.install_command().split(" && ")
    assert "--torch-backend cpu" in first
    assert '"torch==' in first
    assert "optimum" not in first
    assert re.search(r"--no-deps optimum-intel==\S+ optimum==", second)


def test_the_extra_is_what_is_installed() -> None:
    """Every package of the extra stands in the command, at its version, and docs and CI install that extra."""
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["export"]
    assert sorted(stack.wanted()) == sorted(extra)
    for wanted in extra:
        assert wanted in stack.install_command()
    for place in ("docs/export.md", ".ci/run"):
        assert re.search(r"uv pip install [^\n]*\.\[export", (ROOT / place).read_text()), place


def test_pickles_are_refused(tmp_path: Path) -> None:
    """Weights that run code when they are read are not read."""
    with pytest.raises(Unavailable, match="pickles"):
        check_source(original(tmp_path / "a", "pytorch_model.bin"))
    with pytest.raises(Unavailable, match="no weights"):
        check_source(original(tmp_path / "b", "notes.txt"))
    (tmp_path / "a" / "adapter.safetensors").write_bytes(b"")
    with pytest.raises(Unavailable, match="pickles"):
        check_source(tmp_path / "a")
    with pytest.raises(Unavailable, match=r"config\.json"):
        check_source(tmp_path)
    assert [path.name for path in check_source(original(tmp_path / "c"))] == ["model.safetensors"]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--task", "poetry"), "poetry"),
        (("--task", "text-generation", "--activations", "int8"), "activations"),
        (("--task", "text-classification", "--weights", "int4", "--activations", "int8"), "activations"),
    ],
)
def test_wrong_use(args: tuple[str, ...], why: str, tmp_path: Path) -> None:
    """What can't be asked for is status 2, with a reason."""
    status, said = nearloop(str(original(tmp_path / "m")), *args)
    assert status == 2
    assert why in said


def test_a_target_that_is_there(tmp_path: Path) -> None:
    """Nothing is ever overwritten."""
    (tmp_path / "out").mkdir()
    status, said = nearloop(
        str(original(tmp_path / "m")), "--task", "feature-extraction", "--to", str(tmp_path / "out")
    )
    assert status == 1
    assert "is there already" in said


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ("---\nlanguage: en\nlicense: apache-2.0\ntags:\n- x\n---\n# A model\n", "apache-2.0"),
        ("# A model\nlicense: mit\n", None),
        ("---\nlanguage: en\n---\nlicense: mit\n", None),
    ],
)
def test_the_licence(card: str, expected: str | None, tmp_path: Path) -> None:
    """It is what the model card's front matter says, and nothing else."""
    (tmp_path / "README.md").write_text(card)
    assert licence(tmp_path) == expected
    assert licence(tmp_path / "none") is None
