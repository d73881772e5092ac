"""Whether a value fits a JSON schema, as far as that is beyond doubt.

Judged are types, required names, enumerations, constants, what is inside objects and lists, alternatives, and references
within the schema. Keywords that aren't judged, unknown names of types and odd forms speak for the value: who asks wants to
know of misfits that nobody could use, not to enforce a schema to its last word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

DEEPEST: Final = 64
"""Levels that are looked into, of the value and of references."""
_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
    ),
}


def misfit(value: Any, schema: dict[str, Any], strict: bool = False) -> str | None:
    """The keyword that the value breaks, and none of anybody's words; None: it fits, or that can't be said.

    strict: names that the schema doesn't know are judged, and nulls. Without it, a null where nothing is required is
    read as nothing: models say so, and it is what is meant.
    """
    return _Judge(schema, strict).schema(value, schema, 0)


class _Judge:
    """Holds one value to one schema."""

    def __init__(self, root: dict[str, Any], strict: bool) -> None:
        self._root = root
        self._strict = strict

    def schema(self, value: Any, schema: Any, depth: int) -> str | None:
        if schema is False:
            return "false"
        if not isinstance(schema, dict) or depth > DEEPEST:
            return None
        if value is None and schema.get("nullable") is True:  # OpenAPI's word
            return None
        return (
            _type(value, schema.get("type"))
            or _listed(value, schema)
            or self._alternatives(value, schema, depth)
            or self._inside(value, schema, depth)
        )

    def _inside(self, value: Any, schema: dict[str, Any], depth: int) -> str | None:
        match value:
            case dict():
                return self._object(value, schema, depth)
            case list():
                items = schema.get("items")
                if isinstance(items, bool | dict) and "prefixItems" not in schema:
                    return next((found for each in value if (found := self.schema(each, items, depth + 1))), None)
        return None

    def _object(self, value: dict[str, Any], schema: dict[str, Any], depth: int) -> str | None:
        required = schema.get("required")
        needed = required if isinstance(required, list) else []
        if any(isinstance(name, str) and name not in value for name in needed):
            return "required"
        known = schema.get("properties")
        properties = known if isinstance(known, dict) else {}
        for name, inner in value.items():
            if name not in properties or (inner is None and name not in needed and not self._strict):
                continue
            if found := self.schema(inner, properties[name], depth + 1):
                return found
        return self._others(value, schema, properties, depth)

    def _others(
        self, value: dict[str, Any], schema: dict[str, Any], properties: dict[str, Any], depth: int
    ) -> str | None:
        """Names that the schema doesn't know."""
        others = schema.get("additionalProperties")
        if "patternProperties" in schema or (others is False and not self._strict):
            return None
        unknown = [inner for name, inner in value.items() if name not in properties]
        if others is False:
            return "additionalProperties" if unknown else None
        return next((found for inner in unknown if (found := self.schema(inner, others, depth + 1))), None)

    def _alternatives(self, value: Any, schema: dict[str, Any], depth: int) -> str | None:
        for keyword in ("anyOf", "oneOf"):
            listed = schema.get(keyword)
            if isinstance(listed, list) and listed and all(self.schema(value, each, depth + 1) for each in listed):
                return keyword
        together = schema.get("allOf")
        if isinstance(together, list) and (
            found := next((found for each in together if (found := self.schema(value, each, depth + 1))), None)
        ):
            return found
        reference = schema.get("$ref")
        return self.schema(value, self._led_to(reference), depth + 1) if isinstance(reference, str) else None

    def _led_to(self, reference: str) -> Any:
        """What a reference within the schema leads to; None for any other."""
        if reference != "#" and not reference.startswith("#/"):
            return None
        target: Any = self._root
        for key in reference.split("/")[1:]:
            target = target.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        return target


def _type(value: Any, wanted: Any) -> str | None:
    names = wanted if isinstance(wanted, list) else [wanted]
    if not names or not all(isinstance(name, str) and name in _TYPES for name in names):
        return None
    return None if any(_TYPES[name](value) for name in names) else "type"


def _listed(value: Any, schema: dict[str, Any]) -> str | None:
    listed = schema.get("enum")
    if isinstance(listed, list) and listed and not any(_same(value, each) for each in listed):
        return "enum"
    return "const" if "const" in schema and not _same(value, schema["const"]) else None


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON has it, where true is not 1."""
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)
