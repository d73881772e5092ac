"""The recipe language's statements, as they stand in a file."""

from __future__ import annotations

from msgspec import Struct, field

from daemon.recipes.nodes import NOWHERE, Node, Table
from daemon.recipes.problems import Place


class Reference(Struct, kw_only=True):
    """A model, with the options in brackets after it."""

    name: str
    place: Place = NOWHERE
    options: Table = field(default_factory=Table)


class Statement(Struct, kw_only=True):
    """One of them: only what its keyword asks for is there.

    words: what stands after the keyword. options: in brackets. value: of PRIORITY, TIER, DESCRIPTION and plain fields
    (keyword `:`), and the question of a test's case (keyword `->`). condition: as nodes, in YAML's words. references: of
    MODEL. listed: of `FOR x IN [ … ]`. block: fields in braces. body: statements in braces. end_line: of its last line.
    """

    keyword: str
    place: Place = NOWHERE
    end_line: int = 0
    words: tuple[str, ...] = ()
    options: Table | None = None
    value: Node | None = None
    condition: Node | None = None
    references: tuple[Reference, ...] = ()
    listed: tuple[Reference, ...] = ()
    block: Table | None = None
    body: tuple[Statement, ...] | None = None


class Comment(Struct, frozen=True):
    """A remark. It belongs to no statement; the printer finds it a place by its line."""

    place: Place
    text: str
    after_code: bool
