"""What is wrong with a text in the recipe language, in words."""

from __future__ import annotations

from typing import Final

from lark import UnexpectedEOF, UnexpectedInput, UnexpectedToken

from daemon.recipes.problems import BadRecipe, Place, Problem


def fault(code: str, place: Place, message: str, remedy: str, key: str = "") -> BadRecipe:
    """An error to raise."""
    return BadRecipe((Problem(code=code, place=place, key=key, message=message, remedy=remedy),))


_NAMES: Final = {
    "RBRACE": "`}`",
    "LBRACE": "`{`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "EQUAL": "`=`",
    "ARROW": "`->`",
    "STRING": "text in quotes",
    "IDENT": "a word",
    "INT": "a whole number",
    "FLOAT": "a number",
    "$END": "the end",
}


def syntax_fault(error: UnexpectedInput, text: str) -> Problem:
    """Of what the parser did not expect."""
    lines = text.splitlines() or [""]
    if isinstance(error, UnexpectedEOF) or (isinstance(error, UnexpectedToken) and error.token.type == "$END"):
        place = Place(len(lines), len(lines[-1]) + 1)
        message = "the file ends in the middle of a statement"
    else:
        place = Place(max(1, error.line), max(1, error.column))
        message = "this is not expected here"
    wanted: set[str] = set()
    for attribute in ("accepts", "expected", "allowed"):  # lark's errors name it each in their own way
        wanted = wanted or set(getattr(error, attribute, None) or ())
    names = sorted(_NAMES.get(name, name) for name in wanted if not name.startswith("__"))
    remedy = f"here may stand: {', '.join(names)}" if names else "look at braces and quotes before it"
    return Problem(code="syntax", place=place, message=message, remedy=remedy)
