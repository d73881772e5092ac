"""What a client of Nearloop is, to the command that connects it: a name, and a plan made of this machine and a link."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from daemon.paths import at_home

NAME: Final = "Nearloop"
"""As which we stand in a client's own list of providers or models."""
CONTEXT_TOKENS: Final = 8192
"""The window to reckon with where no model was loaded yet that could say: the embedded model's."""
OUTPUT_TOKENS: Final = 16_384
"""What clients that want to know are told an answer may take at most, or a quarter of the window if that is less: Continue
keeps twice of it free, and refuses to work where nothing is left (tried with its command-line tool). Agents ask for no more
than they are told (OpenCode's max_tokens is this number), and a file that is written in one call has to fit in.
"""

Format = Literal["json", "yaml", "toml", "env"]
Holder = Literal["config", "file", "hand"]


class Machine(Struct, frozen=True):
    """Where programs keep their settings here. system: as `sys.platform` has it."""

    system: str
    home: Path
    environment: Mapping[str, str]

    @property
    def config(self) -> Path:
        """`~/.config`, which many programs use on macOS as well."""
        return self._folder("XDG_CONFIG_HOME", ".config")

    @property
    def roaming(self) -> Path:
        """Windows' folder for settings."""
        return self._folder("APPDATA", "AppData/Roaming")

    @property
    def support(self) -> Path:
        """Where each system wants a desktop program's own folder to be."""
        if self.system == "win32":
            return self.roaming
        return self.home / "Library/Application Support" if self.system == "darwin" else self.config

    def told(self, variable: str) -> Path | None:
        """A folder that the user set by a variable. Raises Refused for a home that isn't there."""
        value = self.environment.get(variable)
        return at_home(value) if value else None

    def _folder(self, variable: str, otherwise: str) -> Path:
        return self.told(variable) or self.home / otherwise

    def printing(self, file: Path) -> tuple[str, ...]:
        """A command that prints a file."""
        return ("cmd", "/c", "type", str(file)) if self.system == "win32" else ("cat", str(file))


def this_machine() -> Machine:
    """The one we run on."""
    return Machine(sys.platform, at_home("~"), os.environ)


class Link(Struct, frozen=True):
    """Where Nearloop answers, and as whom a client asks it.

    root: without a path. token_file: where the token is, for clients that can be told a file. models: to offer, the first
    one for clients that take one only. context_tokens: the window.
    """

    root: str
    token: str
    token_file: Path
    models: tuple[str, ...]
    context_tokens: int

    @property
    def model(self) -> str:
        """The first one."""
        return self.models[0]

    @property
    def v1(self) -> str:
        """OpenAI's base URL."""
        return f"{self.root}/v1"

    @property
    def output_tokens(self) -> int:
        """The longest answer to tell a client of."""
        return min(OUTPUT_TOKENS, self.context_tokens // 4)


class Change(Struct, frozen=True):
    """What a file has to say. wanted: tables are filled, lists get what they lack, other values are replaced."""

    path: Path
    format: Format
    wanted: Any


class Plan(Struct, frozen=True):
    """How to connect. changes: to files. steps: what only the user can do. then: what to know afterwards."""

    changes: tuple[Change, ...] = ()
    steps: tuple[str, ...] = ()
    then: tuple[str, ...] = ()


class Client(Struct, frozen=True):
    """A program. holder: who keeps its token: a file of the client's, our token file, or the user's hand.

    Raises Refused from `plan` if the client is set up in a way that can't be changed safely.
    """

    name: str
    title: str
    holder: Holder
    plan: Callable[[Machine, Link], Plan]


def first_there(*paths: Path) -> Path:
    """The first of them that exists, else the first."""
    return next((path for path in paths if path.exists()), paths[0])
