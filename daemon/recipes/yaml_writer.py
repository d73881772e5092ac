"""A recipe as YAML, in upstream's order of keys."""

from __future__ import annotations

from typing import Any, Final

import yaml

from daemon.recipes.model import RecipeFile
from daemon.recipes.plain import plain
from daemon.recipes.yaml_reader import resolve

_DUMPER: Final[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_DUMPER):  # type: ignore[misc]
    """Quotes whatever YAML 1.1 or 1.2 would read as something else than text."""


def _text(dumper: Any, value: str) -> Any:
    style = None if isinstance(resolve(value), str) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _number(dumper: Any, value: float) -> Any:
    text = f"{value:.1f}" if value.is_integer() else repr(value)
    if "." not in text:
        text = text.replace("e", ".0e")  # `1e-07` is a word to YAML 1.1
    return dumper.represent_scalar("tag:yaml.org,2002:float", text)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(float, _number)


def write_yaml(recipe: RecipeFile) -> str:
    """The file's text. Keys that say what is the default anyway are left out."""
    found = {"version": recipe.version, **plain(recipe)}
    text: str = yaml.dump(found, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text
