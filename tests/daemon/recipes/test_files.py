"""Files on a disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.errors import NotFound
from daemon.recipes.files import MAX_BYTES, form_of, text_of
from daemon.recipes.problems import BadRecipe


def test_forms() -> None:
    """By the suffix, whatever its case; JSON is YAML."""
    assert [form_of(Path(name)) for name in ("a.yaml", "a.YML", "a.json", "a.dsl")] == ["yaml", "yaml", "yaml", "dsl"]
    with pytest.raises(BadRecipe, match="name it with one of"):
        form_of(Path("a.toml"))


def test_text(tmp_path: Path) -> None:
    """Windows' line ends and its mark at the start make no difference."""
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")

    assert text_of(file) == "a: 1\nb: 2\n"


def test_what_is_no_text(tmp_path: Path) -> None:
    """Nothing there, too much there, and bytes that are no UTF-8 are refused with a remedy."""
    file = tmp_path / "a.yaml"
    with pytest.raises(NotFound):
        text_of(file)
    with pytest.raises(NotFound):
        text_of(tmp_path)
    file.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(BadRecipe, match="too large"):
        text_of(file)
    file.write_bytes(b"\xff")
    with pytest.raises(BadRecipe, match="UTF-8"):
        text_of(file)
