"""Files as parts of a question."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from daemon.cli.why_pictures import part_of, seen_in

WHOLE = b64encode(b"abc").decode()


@pytest.mark.parametrize(("name", "form"), [("a.png", "png"), ("b.JPG", "jpeg"), ("c.webp", "webp")])
def test_pictures(tmp_path: Path, name: str, form: str) -> None:
    """By their names."""
    (tmp_path / name).write_bytes(b"abc")

    assert part_of(tmp_path / name) == {"type": "image_url", "image_url": {"url": f"data:image/{form};base64,{WHOLE}"}}


@pytest.mark.parametrize(("name", "form"), [("a.pdf", "application/pdf"), ("noname", "application/octet-stream")])
def test_documents(tmp_path: Path, name: str, form: str) -> None:
    """Anything else is a file, with its name."""
    (tmp_path / name).write_bytes(b"abc")

    assert part_of(tmp_path / name) == {
        "type": "file",
        "file": {"filename": name, "file_data": f"data:{form};base64,{WHOLE}"},
    }


def test_nothing_is_said_without_pictures() -> None:
    """The sentences themselves: test_shown_pictures.py."""
    assert seen_in(()) == []
