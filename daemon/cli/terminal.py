"""What a terminal is sent: words of others can't steer it.

A recipe's name, a file of another program, a model's answer or an error can hold bytes that a terminal obeys: they hide
words, move the cursor over what stood there, set the title, or type for the user. `guard` stands in for the standard
streams where they lead to a terminal, and shows such characters by their number; what is ours goes by `styled` and `steer`.
Files and pipes get every byte as it is.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Final

import click

_OBEYED: Final = re.compile("\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters but for tab and line feed, and those that turn the direction of what follows (UAX 9)."""

_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""The same, with tab and line feed."""


def plain(text: str) -> str:
    """The text with every character that a terminal would obey shown as its number."""
    return _OBEYED.sub(lambda found: "\n" if found[0] == "\r\n" else ascii(found[0])[1:-1], text)


def row(text: str) -> None:
    """Print one line of a table or an account, in a pipe too: a line feed in somebody's name begins no line of ours."""
    click.echo(_CONTROL.sub(lambda found: ascii(found[0])[1:-1], text))


class Guarded:
    """A stream that leads to a terminal. rich_proxied_file: by which rich, whose bars steer, finds what is behind it."""

    def __init__(self, stream: Any) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """As a stream's."""
        self.rich_proxied_file.write(plain(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """As a stream's."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def guard() -> None:
    """From now on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, Guarded) and stream.isatty():
            setattr(sys, name, Guarded(stream))


def styled(text: str, *, err: bool = False, **style: Any) -> None:
    """Print a line in colour, where there is a terminal."""
    click.echo(click.style(plain(text), **style), file=_behind(sys.stderr if err else sys.stdout))


def steer(text: str, *, err: bool = False) -> None:
    """Send a terminal something of ours that it obeys."""
    click.echo(text, nl=False, file=_behind(sys.stderr if err else sys.stdout))


def _behind(stream: Any) -> Any:
    return stream.rich_proxied_file if isinstance(stream, Guarded) else stream
