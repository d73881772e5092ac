"""What is wrong with a recipe: where, what, and what to do about it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from daemon.errors import NearloopError

Severity = Literal["error", "warning", "note"]


class Place(Struct, frozen=True, order=True):
    """Where something stands in a file. Both count from 1; column counts characters."""

    line: int
    column: int


class Problem(Struct, frozen=True, kw_only=True):
    """One of them. code: its name. key: the way to it, as in `routing.decisions[3].priority`. remedy: what to do.

    error: the file can't be used. warning: it can, with a part left out as `remedy` says. note: worth knowing.
    """

    code: str
    message: str
    remedy: str
    severity: Severity = "error"
    key: str = ""
    place: Place | None = None


def wrong(code: str, key: str, message: str, remedy: str) -> Problem:
    """An error of a part, whose place is found later by its key."""
    return Problem(code=code, key=key, message=message, remedy=remedy)


class BadRecipe(NearloopError):
    """A file can't be used as a recipe. problems: all that were found, in the order of the file."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = in_order(problems)
        first = self.problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        where = f"line {first.place.line}, " if first.place else ""
        key = f"`{first.key}`: " if first.key else ""
        super().__init__(f"{where}{key}{first.message}: {first.remedy}{more}")


def in_order(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """By place; what has none comes last."""
    return tuple(
        sorted(problems, key=lambda each: (each.place is None, each.place or Place(0, 0), each.code, each.key))
    )


def shown(problem: Problem, file: str, lines: list[str]) -> str:
    """For a terminal: the sentence, and below it the line at fault with a caret. lines: the file's."""
    where = f"{file}:{problem.place.line}:{problem.place.column}" if problem.place else file
    key = f" `{problem.key}`:" if problem.key else ""
    text = f"{where}: {problem.severity}:{key} {problem.message} [{problem.code}]\n    {problem.remedy}"
    if problem.place is None or not 1 <= problem.place.line <= len(lines):
        return text
    start = max(0, problem.place.column - 1 - _BEFORE)
    line = lines[problem.place.line - 1][start : start + _WIDTH].replace("\t", " ")
    return f"{text}\n    | {line.rstrip()}\n    | {' ' * (problem.place.column - 1 - start)}^"


_WIDTH = 100
_BEFORE = 60
"""Characters of a line that are shown, and of them before the caret: keyword lists run to thousands."""
