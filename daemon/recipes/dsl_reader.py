"""The recipe language to statements. The grammar is dsl.lark."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from lark import Lark, Token, Transformer, UnexpectedInput, v_args
from lark.exceptions import VisitError

from daemon.recipes.dsl_faults import fault, syntax_fault
from daemon.recipes.dsl_outline import outline
from daemon.recipes.dsl_statements import Comment, Reference, Statement
from daemon.recipes.nodes import Items, Node, Scalar, Table
from daemon.recipes.problems import BadRecipe, Place

_GRAMMAR: Final = Path(__file__).with_name("dsl.lark")


def read_statements(text: str) -> tuple[tuple[Statement, ...], tuple[Comment, ...]]:
    """What a file says, and its remarks. Raises BadRecipe."""
    comments = outline(text)
    try:
        statements: tuple[Statement, ...] = _parser().parse(text)
    except UnexpectedInput as error:
        raise BadRecipe((syntax_fault(error, text),)) from error
    except VisitError as error:  # lark's wrapping of what a callback raised
        if isinstance(error.orig_exc, BadRecipe):
            raise error.orig_exc from error
        raise
    return statements, comments


@cache
def _parser() -> Any:
    """Built once: it takes 0.2 s, mostly for the table of states."""
    return Lark(_GRAMMAR.read_text(encoding="utf-8"), parser="lalr", maybe_placeholders=True, transformer=_Statements())


def _place(token: Token) -> Place:
    return Place(token.line or 1, token.column or 1)


def _text(token: Token) -> str:
    """Of a quoted string, or of a bare word."""
    if token.type != "STRING":
        return str(token)
    try:
        text = str(json.loads(token, strict=False))
        text.encode()
    except ValueError as error:
        remedy = 'only \\" \\\\ \\/ \\n \\r \\t \\b \\f and \\uXXXX stand for something: write \\\\ for a backslash'
        raise fault("bad-string", _place(token), "a backslash here stands for nothing", remedy) from error
    return text


@v_args(inline=True)
class _Statements(Transformer[Token, Any]):
    """Called by the parser for each rule, from the leaves up."""

    def start(self, *statements: Statement) -> tuple[Statement, ...]:
        return statements

    def _block(self, keyword: Token, *rest: Any) -> Statement:
        *words, block = rest
        table, end_line = block or (None, _end(words[-1] if words else keyword))
        return Statement(
            keyword=str(keyword),
            place=_place(keyword),
            end_line=end_line,
            words=tuple(_text(word) for word in words),
            block=table,
        )

    routing = entrypoint = signal = projection = model = plugin = algorithm = use = emit = _block

    def _body(self, keyword: Token, name: Token, options: Table | None, *rest: Any) -> Statement:
        *body, close = rest
        return Statement(
            keyword=str(keyword),
            place=_place(keyword),
            end_line=_end(close),
            words=(_text(name),),
            options=options,
            body=_parts(body),
        )

    recipe = route = _body

    def tree(self, keyword: Token, name: Token, *rest: Any) -> Statement:
        return self._body(keyword, name, None, *rest)

    test = tree

    def if_branch(self, keyword: Token, condition: Node, *rest: Any) -> Statement:
        *body, close = rest
        return Statement(
            keyword=str(keyword), place=_place(keyword), end_line=_end(close), condition=condition, body=_parts(body)
        )

    def else_if_branch(self, keyword: Token, _: Token, condition: Node, *rest: Any) -> Statement:
        made = self.if_branch(keyword, condition, *rest)
        made.keyword = "ELSE IF"
        return made

    def else_branch(self, keyword: Token, *rest: Any) -> Statement:
        *body, close = rest
        return Statement(keyword=str(keyword), place=_place(keyword), end_line=_end(close), body=_parts(body))

    def case(self, query: Token, _: Token, route: Token) -> Statement:
        value = Scalar(_text(query), _place(query))
        return Statement(keyword="->", place=_place(query), end_line=_end(route), value=value, words=(_text(route),))

    def priority(self, keyword: Token, number: Token) -> Statement:
        return Statement(keyword=str(keyword), place=_place(keyword), end_line=_end(number), value=self.whole(number))

    tier = priority

    def description(self, keyword: Token, text: Token) -> Statement:
        return Statement(
            keyword=str(keyword), place=_place(keyword), end_line=_end(text), value=Scalar(_text(text), _place(text))
        )

    def naming(self, keyword: Token, name: Token) -> Statement:
        return Statement(keyword=str(keyword), place=_place(keyword), end_line=_end(name), words=(_text(name),))

    def when(self, keyword: Token, condition: Node) -> Statement:
        return Statement(keyword=str(keyword), place=_place(keyword), end_line=_last(condition), condition=condition)

    def models(self, keyword: Token, *references: Reference | None) -> Statement:
        found = tuple(each for each in references if each)
        return Statement(keyword=str(keyword), place=_place(keyword), end_line=found[-1].place.line, references=found)

    def loop(self, keyword: Token, variable: Token, _: Token, source: Any, *rest: Any) -> Statement:
        *body, close = rest
        word, listed = source
        return Statement(
            keyword=str(keyword),
            place=_place(keyword),
            end_line=_end(close),
            words=(str(variable), word),
            listed=listed,
            body=tuple(body),
        )

    def named_source(self, name: Token) -> tuple[str, tuple[Reference, ...]]:
        return _text(name), ()

    def listed_source(self, *references: Reference | None) -> tuple[str, tuple[Reference, ...]]:
        return "models", tuple(each for each in references if each)

    def reference(self, name: Token, options: Table | None) -> Reference:
        return Reference(name=_text(name), place=_place(name), options=options or Table(_place(name)))

    def options(self, *options: Any) -> Table:
        return _table(options)

    def option(self, key: Token, value: Node) -> tuple[Token, Node]:
        return key, value

    def any_of(self, *conditions: Node) -> Node:
        return _joined("OR", conditions)

    def all_of(self, *conditions: Node) -> Node:
        return _joined("AND", conditions)

    def none_of(self, condition: Node) -> Node:
        table = Table(condition.place)
        table.set("operator", Scalar("NOT", condition.place))
        table.set("conditions", Items([condition], condition.place))
        return table

    def same(self, condition: Node) -> Node:
        return condition

    def leaf(self, type: Token, name: Token, *fields: Any) -> Node:
        table = Table(_place(type))
        table.set("type", Scalar(str(type), _place(type)))
        table.set("name", Scalar(_text(name), _place(name)))
        return _filled(table, fields)

    def block(self, *rest: Any) -> tuple[Table, int]:
        *fields, close = rest
        table = _table(fields)
        table.place = table.place if table.place.line else _place(close)
        return table, _end(close)

    def field(self, key: Token, value: Node) -> tuple[Token, Node]:
        return key, value

    def key(self, token: Token) -> Token:
        return token

    name = key

    def string(self, token: Token) -> Node:
        return Scalar(_text(token), _place(token))

    def fraction(self, token: Token) -> Node:
        return Scalar(float(token), _place(token))

    def whole(self, token: Token) -> Scalar:
        return Scalar(int(token) if len(token) <= _DIGITS else float("inf"), _place(token))

    def word(self, token: Token) -> Node:
        return Scalar({"true": True, "false": False}.get(str(token), str(token)), _place(token))

    def items(self, *values: Node | None) -> Node:
        found = [value for value in values if value is not None]
        return Items(found, found[0].place if found else Place(0, 0))

    def fields(self, *fields: Any) -> Node:
        return _table(fields)


def _parts(body: list[Any]) -> tuple[Statement, ...]:
    """A route's; plain fields become statements too."""
    return tuple(each if isinstance(each, Statement) else _field(*each) for each in body)


def _field(key: Token, value: Node) -> Statement:
    place = _place(key)
    return Statement(keyword=":", place=place, end_line=max(place.line, _last(value)), words=(_text(key),), value=value)


_DIGITS: Final = 100
"""As in YAML: longer numbers are too large anyway."""


def _end(token: Token) -> int:
    return token.end_line or token.line or 1


def _last(node: Node) -> int:
    """The last line that a condition reaches."""
    match node:
        case Scalar():
            return node.place.line
        case Items():
            return max((_last(each) for each in node.values), default=node.place.line)
        case Table():
            return max((_last(each) for each in node.values.values()), default=node.place.line)


def _table(fields: Any) -> Table:
    found = [each for each in fields if each is not None]
    return _filled(Table(_place(found[0][0]) if found else Place(0, 0)), found)


def _filled(table: Table, fields: Any) -> Table:
    for pair in fields:
        if pair is None:
            continue
        key, value = pair
        word = _text(key)
        if word in table.values:
            raise fault("duplicate-key", _place(key), "this key is there twice", "keep one", word[:60])
        table.set(word, value, _place(key))
    return table


def _joined(operator: str, conditions: tuple[Node, ...]) -> Node:
    if len(conditions) == 1:
        return conditions[0]
    table = Table(conditions[0].place)
    table.set("operator", Scalar(operator, conditions[0].place))
    table.set("conditions", Items(list(conditions), conditions[0].place))
    return table
