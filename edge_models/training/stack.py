"""The export stack: torch and what turns its models into OpenVINO's, which Nearloop does not bring along.

It is the extra `export`. Installed as it stands it is over 6 GB, because optimum-intel asks for torchvision, which pulls a
torch for CUDA; in a clone, uv is told in pyproject.toml that nothing of torchvision is used. Elsewhere the two packages that
lead to it are installed without their dependencies, after all the others: 1.6 GB (all measured).
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from typing import Final

from edge_models.engines.base import NotInstalled

WITHOUT_DEPENDENCIES: Final = ("optimum", "optimum-intel")
_OF_EXTRA: Final = re.compile(r"(?P<wanted>\S+) ?; extra == ['\"]export['\"]")
_MODULES: Final = ("torch", "transformers", "nncf", "openvino_tokenizers", "optimum.intel")
_TOLD: Final = (
    "torch",
    "transformers",
    "optimum",
    "optimum-intel",
    "nncf",
    "openvino",
    "openvino-tokenizers",
    "tokenizers",
    "nearloop",
)


def wanted() -> tuple[str, ...]:
    """What the extra asks for, as its packages with their versions."""
    found = [_OF_EXTRA.fullmatch(requirement) for requirement in requires("nearloop") or ()]
    return tuple(each["wanted"] for each in found if each)


def install_command() -> str:
    """The exact command for this very Python; uv's `--torch-backend` is what keeps CUDA out."""
    head = f"uv pip install --python {sys.executable}"
    bare = [each for each in wanted() if re.split("[=<>~]", each)[0] in WITHOUT_DEPENDENCIES]
    others = " ".join(f'"{each}"' for each in wanted() if each not in bare)
    return f"{head} --torch-backend cpu {others} && {head} --no-deps {' '.join(bare)}"


def require() -> None:
    """Raises NotInstalled, with the command, if a part of it isn't there."""
    try:
        missing = [name for name in _MODULES if find_spec(name) is None]
    except ModuleNotFoundError as error:  # the parent of a dotted name
        missing = [error.name or "optimum"]
    if missing:
        raise NotInstalled(f"exporting needs {', '.join(missing)}, its extra `export` (1.6 GB): {install_command()}")


def versions() -> dict[str, str]:
    """Package name to version, of what an export was made with."""
    found = {}
    for package in _TOLD:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
