"""From a tree to a typed recipe: each key known, each value of its kind and within its bounds, every fault told at once."""

from __future__ import annotations

import math
import re
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import FieldInfo, fields

from daemon.recipes.conditions import Branch, Condition, Leaf, canonical
from daemon.recipes.model import Decision, Iteration, RecipeFile
from daemon.recipes.nodes import Items, Node, Scalar, Table, is_nothing
from daemon.recipes.plugins import ALIASES, PLUGINS, Plugin
from daemon.recipes.problems import BadRecipe, Place, Problem
from daemon.recipes.suggestions import listed, suggestion
from daemon.recipes.values import LARGEST

REMEDIES: Final = {
    ("method", "fuzzy"): "use `method: regex` with `fuzzy_match: true`; upstream's own program refuses `fuzzy` too",
}
"""For values that people write although nobody takes them."""

FRAGMENTS: Final = {
    "algorithm": "routing.decisions[].algorithm",
    "plugin": "routing.decisions[].plugins[]",
    "plugins": "routing.decisions[].plugins",
}
"""Keys at the top that make a file a piece of a recipe, and where the piece belongs."""

OTHER_FILES: Final = {
    "schema_version": "it describes a recipe: give the recipe's own file, mostly config.yaml or recipe.dsl beside it",
    "routing_assets": "it describes a recipe: give the recipe's own file, mostly config.yaml or recipe.dsl beside it",
    "labels": "it is a knowledge base's list of examples; recipes name it under `global.model_catalog.kbs`",
    "$schema": "it is a JSON schema",
    "tools": "it is a list of tools",
}
"""Keys at the top of what lies beside recipes, and what such a file is."""


class _Missing:
    """Stands for a value that could not be made."""


_MISSING: Final = _Missing()


def shape(tree: Node) -> RecipeFile:
    """A recipe of a file's tree. Raises BadRecipe with every problem."""
    shaper = _Shaper()
    if not isinstance(tree, Table):
        message = "this is no recipe: a recipe is a table with `routing`"
        raise BadRecipe(
            (Problem(code="not-a-recipe", message=message, remedy="start with `routing:`", place=tree.place),)
        )
    for key, place in tree.places.items():
        if where := FRAGMENTS.get(key):
            shaper.problem("fragment", place, key, "this is a piece of a recipe", f"put it under `{where}`")
            raise BadRecipe(tuple(shaper.problems))
        if what := OTHER_FILES.get(key):
            shaper.problem("not-a-recipe", place, key, "this is no recipe", what)
            raise BadRecipe(tuple(shaper.problems))
    made = shaper.struct(tree, RecipeFile, "")
    if shaper.problems or isinstance(made, _Missing):
        raise BadRecipe(tuple(shaper.problems))
    return cast("RecipeFile", made)


@cache
def _hints(kind: type[Struct]) -> dict[str, tuple[FieldInfo, Any]]:
    """By the name in files: the field, and its type."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.encode_name: (field, hints[field.name]) for field in fields(kind)}


class _Shaper:
    """Collects problems on its way through a tree."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def problem(self, code: str, place: Place, key: str, message: str, remedy: str) -> _Missing:
        self.problems.append(
            Problem(code=code, place=place if place.line else None, key=key, message=message, remedy=remedy)
        )
        return _MISSING

    def struct(self, node: Node, kind: type[Struct], path: str) -> object:
        if not isinstance(node, Table):
            return self._wrong(node, path, f"a table with {listed(list(_hints(kind)))}")
        known = _hints(kind)
        made: dict[str, object] = {}
        for key, value in node.values.items():
            here = f"{path}.{key}" if path else key
            found = known.get(key)
            if found is None:
                self._unknown(key, node.places[key], here, list(known))
            elif not is_nothing(value):
                made[found[0].name] = self.value(value, found[1], here)
        for key, (field, _) in known.items():
            needed = field.default is NODEFAULT and field.default_factory is NODEFAULT
            if needed and field.name not in made:
                self.problem("missing", node.place, f"{path}.{key}" if path else key, "this key is missing", "add it")
                made[field.name] = _MISSING
        if any(value is _MISSING for value in made.values()):
            return _MISSING
        return self._made(kind, made, node, path)

    def _made(self, kind: type[Struct], made: dict[str, object], node: Table, path: str) -> object:
        if kind is Plugin:
            return self._plugin(made, node, path)
        if kind is Iteration and made.get("models") and made["source"] != "models":
            remedy = "write `source: models`, or leave `models` out"
            place = node.places["models"]
            return self.problem("misplaced", place, f"{path}.models", "this list is not the source", remedy)
        if kind is Decision:
            made["rules"] = canonical(cast("Branch | None", made.get("rules")))
        return kind(**made)

    def _plugin(self, made: dict[str, object], node: Table, path: str) -> object:
        written = str(made["type"])
        type = ALIASES.get(written, written)
        shape = PLUGINS.get(type)
        if shape is None:
            hint = suggestion(written, PLUGINS)
            place = node.values["type"].place
            return self.problem("unknown-plugin", place, f"{path}.type", f"no plugin is called `{written}`", hint)
        options = node.values.get("configuration")
        if options is None or is_nothing(options):
            return Plugin(type=type)
        configuration = self.struct(options, shape, f"{path}.configuration")
        return _MISSING if configuration is _MISSING else Plugin(type=type, configuration=configuration)

    def value(self, node: Node, hint: Any, path: str) -> object:
        origin = get_origin(hint)
        if origin is Annotated:
            base, *notes = get_args(hint)
            if base is object:
                return (
                    self._opaque(node, path)
                    if "table" not in notes or isinstance(node, Table)
                    else self._wrong(node, path, "a table")
                )
            made = self.value(node, base, path)
            for note in notes:
                if isinstance(note, Meta) and made is not _MISSING:
                    made = self._bounded(made, note, node, path)
            return made
        if hint is Branch or hint == Condition:
            return self._condition(node, path)
        if origin in (Union, UnionType):
            options = [option for option in get_args(hint) if option is not NoneType]
            if Leaf in options or Branch in options:
                return self._condition(node, path)
            if len(options) > 1:
                return self._scalar(node, tuple(options), path)
            return self.value(node, options[0], path)
        if origin is tuple:
            return self._items(node, get_args(hint)[0], path)
        if origin is Literal:
            return self._one_of(node, get_args(hint), path)
        if isinstance(hint, type) and issubclass(hint, Struct):
            return self.struct(node, hint, path)
        return self._scalar(node, (hint,), path)

    def _opaque(self, node: Node, path: str) -> object:
        """Plain values of what isn't ours; what is nothing is left out."""
        match node:
            case Table():
                pairs = [(key, value) for key, value in node.values.items() if not is_nothing(value)]
                made = {key: self._opaque(value, f"{path}.{key}") for key, value in pairs}
                return _MISSING if any(value is _MISSING for value in made.values()) else made
            case Items():
                values = [self._opaque(value, f"{path}[{place}]") for place, value in enumerate(node.values)]
                return _MISSING if any(value is _MISSING for value in values) else tuple(values)
            case Scalar():
                return self._scalar(node, (str, int, float, bool), path)

    def _condition(self, node: Node, path: str) -> object:
        if isinstance(node, Table) and ("operator" in node.values or "conditions" in node.values):
            made = self.struct(node, Branch, path)
            if isinstance(made, Branch) and made.operator == "NOT" and len(made.conditions) != 1:
                found = len(made.conditions)
                return self.problem("bad-condition", node.place, path, f"NOT has {found} conditions", "give it one")
            if isinstance(made, Branch) and made.on_unknown and not path.endswith(".rules"):
                message = "`on_unknown` counts at the root of `rules` only"
                return self.problem("misplaced", node.places["on_unknown"], f"{path}.on_unknown", message, "move it up")
            return made
        return self.struct(node, Leaf, path)

    def _items(self, node: Node, hint: Any, path: str) -> object:
        if not isinstance(node, Items):
            return self._wrong(node, path, "a list")
        made = []
        for place, value in enumerate(node.values):
            here = f"{path}[{place}]"
            made.append(self._wrong(value, here, "a value") if is_nothing(value) else self.value(value, hint, here))
        return _MISSING if any(value is _MISSING for value in made) else tuple(made)

    def _one_of(self, node: Node, options: tuple[object, ...], path: str) -> object:
        if isinstance(node, Scalar) and node.value in options and not isinstance(node.value, bool):
            return node.value
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            return self._wrong(node, path, f"one of {listed([str(option) for option in options])}")
        key = path.rpartition(".")[2]
        names = [str(option) for option in options]
        remedy = REMEDIES.get((key, node.value)) or suggestion(node.value, names, "it takes")
        return self.problem("unknown-value", node.place, path, f"`{key}` does not take `{node.value[:40]}`", remedy)

    def _scalar(self, node: Node, kinds: tuple[Any, ...], path: str) -> object:
        if isinstance(node, Scalar):
            value = node.value
            if isinstance(value, bool):
                if bool in kinds:
                    return value
            elif isinstance(value, (int, float)):
                if math.isnan(value):
                    return self.problem("bad-number", node.place, path, "this is not a number", "write one")
                if not math.isfinite(value) or abs(value) > LARGEST:
                    remedy = "write a number between -2^53 and 2^53"
                    return self.problem("bad-number", node.place, path, "this number is too large", remedy)
                if int in kinds and isinstance(value, int):
                    return value
                if float in kinds:
                    return float(value)
            elif isinstance(value, str) and str in kinds:
                return value
        return self._wrong(node, path, " or ".join(_KINDS[kind] for kind in kinds))

    def _bounded(self, made: object, bounds: Meta, node: Node, path: str) -> object:
        if isinstance(made, (str, tuple)):
            if bounds.min_length is not None and len(made) < bounds.min_length:
                return self.problem("empty", node.place, path, "this is empty", "fill it, or leave the key out")
            if bounds.max_length is not None and len(made) > bounds.max_length:
                remedy = f"at most {bounds.max_length} are taken"
                return self.problem("too-long", node.place, path, f"this has a length of {len(made)}", remedy)
            if bounds.pattern is not None and isinstance(made, str) and not re.fullmatch(bounds.pattern, made):
                remedy = "write letters, digits and `_`, with a small letter in front"
                return self.problem("bad-word", node.place, path, "this must be one plain word", remedy)
            return made
        number = cast("float", made)
        limits = (
            (bounds.ge, number < (bounds.ge or 0), "at least"),
            (bounds.le, number > (bounds.le or 0), "at most"),
            (bounds.gt, number <= (bounds.gt or 0), "more than"),
        )
        for limit, broken, words in limits:
            if limit is not None and broken:
                remedy = f"it must be {words} {limit:g}"
                return self.problem("out-of-bounds", node.place, path, f"{number:g} is out of bounds", remedy)
        return made

    def _unknown(self, key: str, place: Place, path: str, known: list[str]) -> None:
        hint = suggestion(key, known)
        self.problem("unknown-key", place, path, f"no such key as `{key[:40]}` is known here", hint)

    def _wrong(self, node: Node, path: str, wanted: str) -> _Missing:
        match node:
            case Table():
                found = "a table"
            case Items():
                found = "a list"
            case Scalar(value=bool()):
                found = "true or false"
            case Scalar(value=str()):
                found = "text"
            case Scalar(value=None):
                found = "nothing"
            case _:
                found = "a number"
        return self.problem("wrong-type", node.place, path, f"this is {found}", f"it must be {wanted}")


_KINDS: Final[dict[Any, str]] = {
    str: "text (in quotes)",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
