"""The kinds of values that a recipe's parts are made of, with their bounds."""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

LARGEST: Final = 2**53
"""Beyond it a float skips whole numbers, and other programs read the file differently."""

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
Identifier: TypeAlias = Annotated[str, Meta(pattern="[a-z_][a-zA-Z0-9_]*", max_length=200)]
"""What the recipe language writes without quotes. The pattern holds for the whole."""
Text: TypeAlias = Annotated[str, Meta(max_length=100_000)]
Words: TypeAlias = Annotated[tuple[Text, ...], Meta(min_length=1)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Positive: TypeAlias = Annotated[float, Meta(gt=0)]
Opaque: TypeAlias = Annotated[object, "opaque"]
"""Whatever stands there, as plain values: parts that belong to somebody else, such as a vector store's own options."""
OpaqueTable: TypeAlias = Annotated[object, "table"]
"""The same, but a table."""


class Part(Struct, frozen=True, kw_only=True):
    """Base of everything in a recipe.

    `None` means that the recipe doesn't say. Another default stands only where a missing key means exactly that to upstream
    too, because writers leave defaults out: a file that goes through here must not change for a cluster.
    """


class Bounds(Part, frozen=True, kw_only=True):
    """A test of a number: all that are given must hold."""

    gt: float | None = None
    gte: float | None = None
    lt: float | None = None
    lte: float | None = None

    def hold(self, value: float) -> bool:
        """Whether the number passes."""
        return (
            (self.gt is None or value > self.gt)
            and (self.gte is None or value >= self.gte)
            and (self.lt is None or value < self.lt)
            and (self.lte is None or value <= self.lte)
        )

    @property
    def edges(self) -> tuple[float, ...]:
        """The numbers at which the answer may change."""
        return tuple(edge for edge in (self.gt, self.gte, self.lt, self.lte) if edge is not None)


def tokens(written: str | int) -> int | None:
    """How many tokens `32K`, `1M`, `999` are; None if it is no such number."""
    if isinstance(written, int):
        return written if written >= 0 else None
    found = _TOKENS.fullmatch(written.strip())
    if found is None:
        return None
    count = float(found[1]) * {"": 1, "K": 1000, "M": 1_000_000}[found[2].upper()]
    return round(count) if count <= LARGEST else None


_TOKENS: Final = re.compile(r"(\d{1,16}(?:\.\d{1,6})?)([kKmM]?)")
