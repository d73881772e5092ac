"""Where recipes come from: the built-in ones of this version, and files of the user's."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

import daemon
from daemon.errors import NotFound
from daemon.paths import at_home
from daemon.recipes.files import SUFFIXES, Form, form_of, read_global, text_of
from daemon.signals.knowledge import KnowledgeBase, knowledge_bases

_PACKAGE: Final = Path(daemon.__file__).parent


class Source(Struct, frozen=True):
    """A recipe's text. name: as the settings give it. path: None for what is built in. folder: where its files lie."""

    name: str
    text: str
    form: Form
    folder: Path
    path: Path | None = None

    @property
    def digest(self) -> str:
        """Of the text: the version that a change has to name."""
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def folder() -> Path:
    """Where the built-in recipes are: in the package, or in the sources it was installed from."""
    inside = _PACKAGE / "assets" / "recipes"
    return inside if inside.is_dir() else _PACKAGE.parent / "assets" / "recipes"


def built_in(name: str) -> Source:
    """One of this version's own. Raises NotFound."""
    path = folder() / f"{name}.dsl"
    if "/" in name or "\\" in name or not path.is_file():
        known = ", ".join(sorted(each.stem for each in folder().glob("*.dsl")))
        raise NotFound(
            f"there is no built-in recipe called {name}: there are {known}; a file's name ends in .yaml or .dsl"
        )
    return Source(name, text_of(path), "dsl", folder())


def shared_bases(name: str, beside: Path) -> dict[str, KnowledgeBase]:
    """What `[routing] knowledge` names; of that file only its bases matter. Raises NotFound, BadRecipe, BadRequest."""
    path = _found(beside / at_home(name))
    return knowledge_bases(read_global(text_of(path), form_of(path)).global_, path.parent)


def source(name: str, beside: Path) -> Source:
    """What `[routing] recipe` names: a path, relative to `beside`, if it ends like one. Raises NotFound, BadRecipe."""
    if Path(name).suffix.lower() not in SUFFIXES:
        return built_in(name)
    path = _found(beside / at_home(name))
    return Source(name, text_of(path), form_of(path), path.parent, path)


def _found(path: Path) -> Path:
    """Where links lead. Raises NotFound if they go in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise NotFound(f"there is no file {path}") from error
