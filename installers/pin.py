"""Writes the pins: exact versions into pyproject.toml, and the same with hashes into installers/requirements.txt.

    uv run python installers/pin.py            after a dependency was added
    uv run python installers/pin.py --upgrade  to take newer versions

The lock file that uv makes names download addresses, so it stays out of the repository; these two files do its job.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import tomlkit

ROOT: Final = Path(__file__).resolve().parent.parent
PYPROJECT: Final = ROOT / "pyproject.toml"
REQUIREMENTS: Final = ROOT / "installers" / "requirements.txt"


def locked() -> list[str]:
    """`name==version` of everything that uv resolved, sorted; several versions of one name carry their markers."""
    lock = tomllib.loads((ROOT / "uv.lock").read_text())
    pins = []
    for package in lock["package"]:
        if "registry" not in package["source"]:
            continue
        markers = package.get("resolution-markers")
        suffix = f" ; {' or '.join(f'({marker})' for marker in markers)}" if markers else ""
        pins.append(f"{package['name']}=={package['version']}{suffix}")
    return sorted(pins)


def write_constraints(pins: list[str]) -> None:
    """Replace the list in pyproject.toml."""
    document = tomlkit.parse(PYPROJECT.read_text())
    array = tomlkit.array()
    array.extend(pins)
    array.multiline(multiline=True)
    document["tool"]["uv"]["constraint-dependencies"] = array  # type: ignore[index]
    PYPROJECT.write_text(tomlkit.dumps(document))


def main() -> None:
    """Pin."""
    if "--upgrade" in sys.argv:
        write_constraints([])
        subprocess.run(["uv", "lock", "--upgrade"], cwd=ROOT, check=True)
    else:
        subprocess.run(["uv", "lock"], cwd=ROOT, check=True)
    write_constraints(locked())
    subprocess.run(["uv", "lock"], cwd=ROOT, check=True)
    export = ["uv", "export", "--frozen", "--no-default-groups", "--no-emit-project", "--no-header", "--no-annotate"]
    done = subprocess.run(export, cwd=ROOT, check=True, capture_output=True, text=True)
    head = "# Exact versions with hashes: pip install --require-hashes -r installers/requirements.txt\n"
    REQUIREMENTS.write_text(head + "# Written by installers/pin.py.\n" + done.stdout)


if __name__ == "__main__":
    main()
