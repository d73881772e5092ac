"""The export stack: torch and what turns its models into OpenVINO's, which Nearloop does not bring along.

It is 1.6 GB, and holds back numpy, tokenizers and huggingface-hub, so it is no dependency and no extra that would be
resolved together with everything else: it is installed beside Nearloop, by these two lists. The second is installed
without its dependencies, because optimum-intel asks for torchvision, which pulls a torch for CUDA: 6.3 GB (all measured).
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Final

from edge_models.engines.base import NotInstalled

WITH_DEPENDENCIES: Final = (
    "torch==2.13.0",
    "transformers==5.5.4",
    "huggingface-hub<1.22",
    "numpy<2.5",
    "nncf==3.4.0",
    "openvino==2026.4.1",
    "openvino-tokenizers==2026.4.1.0",
    "requests>=2.32",
    "scipy>=1.15",
    "pillow>=11",
)
WITHOUT_DEPENDENCIES: Final = ("optimum==2.3.0", "optimum-intel==2.2.0")
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


def install_command() -> str:
    """The exact command for this very Python; uv's `--torch-backend` is what keeps CUDA out."""
    head = f"uv pip install --python {sys.executable}"
    wanted = " ".join(f'"{name}"' for name in WITH_DEPENDENCIES)
    return f"{head} --torch-backend cpu {wanted} && {head} --no-deps {' '.join(WITHOUT_DEPENDENCIES)}"


def require() -> None:
    """Raises NotInstalled, with the command, if a part of it isn't there."""
    try:
        missing = [name for name in _MODULES if find_spec(name) is None]
    except ModuleNotFoundError as error:  # the parent of a dotted name
        missing = [error.name or "optimum"]
    if missing:
        raise NotInstalled(
            f"exporting needs {', '.join(missing)}, which Nearloop does not bring along (1.6 GB): {install_command()}"
        )


def versions() -> dict[str, str]:
    """Package name to version, of what an export was made with."""
    found = {}
    for package in _TOLD:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


if (
    __name__ == "__main__"
):  # for CI, whose torch comes from where pip finds it: `… with` and `… without`, a package a line
    lists = {"with": WITH_DEPENDENCIES, "without": WITHOUT_DEPENDENCIES}
    sys.stdout.writelines(f"{name}\n" for name in lists[sys.argv[1]])
