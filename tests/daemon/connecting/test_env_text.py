"""Lines of NAME=value."""

from __future__ import annotations

import pytest

from daemon.connecting.env_text import merge_env


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", "KEY=new\n"),
        ("# mine\nOTHER=1", "# mine\nOTHER=1\nKEY=new\n"),
        ("export KEY=old\nOTHER=1\n", "export KEY=new\nOTHER=1\n"),
        ("KEY=a\nKEY = b\n", "KEY=a\nKEY =new\n"),
        ("A=1\r\nB=2\r\n", "A=1\r\nB=2\r\nKEY=new\r\n"),
        ("#KEY=old\nMY_KEY=1\n", "#KEY=old\nMY_KEY=1\nKEY=new\n"),
    ],
)
def test_lines(text: str, after: str) -> None:
    """A line is replaced or added, and nothing else is touched."""
    assert merge_env(text, {"KEY": "new"}) == after
    assert merge_env(after, {"KEY": "new"}) == after
