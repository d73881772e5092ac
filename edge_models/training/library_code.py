"""Code, configuration and documentation by others as harmless text: lines of packages that Nearloop depends on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from random import Random
from typing import Final

from edge_models.training.rows import BENIGN, Row

PACKAGES: Final = (
    "rich", "click", "litestar", "lark", "aiohttp", "psutil", "keyring", "tomlkit", "httpx", "uvicorn", "numpy", "openvino",
    "phonenumbers", "pyyaml", "filelock", "platformdirs", "pytest", "pygments", "onnx", "huggingface-hub",
)  # fmt: skip
_SUFFIXES: Final = (
    ".py",
    ".pyi",
    ".toml",
    ".json",
    ".md",
    ".rst",
    ".txt",
    ".cfg",
    ".ini",
    ".yaml",
    ".yml",
    ".js",
    ".h",
    ".hpp",
    ".cmake",
)
_MOST_OF_ONE: Final = 400
"""Windows of one package, so that the largest isn't all."""
_LONGEST: Final = 200_000
_WIDEST: Final = 4000
_NAMES: Final = re.compile(r"copyright|author|licen[cs]e|maintain|@[a-z]+\.|thanks|\(c\)", re.IGNORECASE)
"""Windows with these may name people."""


def read(random: Random, count: int) -> Iterator[Row]:
    """Windows of 4 to 26 lines, without persons as far as words like `author` tell."""
    windows = [window for package in PACKAGES for window in _windows(package, random)]
    for name, window in random.sample(windows, min(count, len(windows))):
        yield Row(window, dict(BENIGN), spans=(), group=f"code {name}", source="library_code")


def _windows(package: str, random: Random) -> list[tuple[str, str]]:
    """File name and lines of some windows of a package."""
    windows = []
    for path in sorted(_files(package)):
        lines = path.read_text(encoding="utf-8", errors="replace")[:_LONGEST].splitlines()
        place = 0
        while place < len(lines):
            size = random.randint(4, 26)
            window = "\n".join(lines[place : place + size])
            place += size
            if 80 < len(window) < _WIDEST and not _NAMES.search(window):
                windows.append((path.name, window))
    return random.sample(windows, min(_MOST_OF_ONE, len(windows)))


def _files(package: str) -> list[Path]:
    try:
        found = files(package) or []
    except PackageNotFoundError:
        return []
    places = [Path(str(file.locate())) for file in found if file.suffix in _SUFFIXES or file.name == "METADATA"]
    return [place for place in places if place.is_file()]
