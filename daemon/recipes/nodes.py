"""A recipe's tree before it has types: what YAML and the language both become, each value with its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daemon.recipes.problems import Place

NOWHERE: Final = Place(0, 0)
"""Of what wasn't read from a file."""


MAX_DEPTH: Final = 64
"""Of brackets or indentation. Upstream's deepest file nests 12."""


class Scalar:
    """A word, a number, true or false. None stands for nothing, which counts as absent."""

    __slots__ = ("place", "value")

    def __init__(self, value: str | int | float | bool | None, place: Place = NOWHERE) -> None:
        self.value = value
        self.place = place


class Items:
    """A list."""

    __slots__ = ("place", "values")

    def __init__(self, values: list[Node], place: Place = NOWHERE) -> None:
        self.values = values
        self.place = place


class Table:
    """Keys with values. places: where each key stands."""

    __slots__ = ("place", "places", "values")

    def __init__(self, place: Place = NOWHERE) -> None:
        self.values: dict[str, Node] = {}
        self.places: dict[str, Place] = {}
        self.place = place

    def set(self, key: str, value: Node, place: Place | None = None) -> None:
        """Add a key, or replace its value."""
        self.values[key] = value
        self.places[key] = place or value.place

    def add(self, key: str, value: Node) -> None:
        """Append to the list under a key, which is made if it is missing."""
        found = self.values.get(key)
        if not isinstance(found, Items):
            found = Items([], value.place)
            self.set(key, found, value.place)
        found.values.append(value)

    def table(self, key: str, place: Place) -> Table:
        """The table under a key, which is made if it is missing."""
        found = self.values.get(key)
        if not isinstance(found, Table):
            found = Table(place)
            self.set(key, found, place)
        return found


Node = Scalar | Items | Table


def node_of(value: object) -> Node:
    """Of plain values: dict, list, tuple, str, numbers."""
    match value:
        case Mapping():
            table = Table()
            for key, inner in value.items():
                table.set(str(key), node_of(inner))
            return table
        case list() | tuple():
            return Items([node_of(inner) for inner in value])
        case str() | int() | float() | None:
            return Scalar(value)
    raise TypeError(type(value).__name__)


def is_nothing(node: Node) -> bool:
    """Whether it is YAML's null."""
    return isinstance(node, Scalar) and node.value is None
