"""Statements as text: the one form that the language is written in."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Final

from daemon.recipes.dsl_statements import Comment, Reference, Statement
from daemon.recipes.nodes import Items, Node, Scalar, Table
from daemon.recipes.vocabulary import is_bare

_INDENT: Final = "  "


def print_statements(statements: tuple[Statement, ...], comments: tuple[Comment, ...] = ()) -> str:
    """The text of a file. comments: put before what they stood before, or behind what they stood behind."""
    printer = _Printer(comments)
    printer.statements(statements, 0)
    printer.remarks(None, 0)
    return "\n".join(printer.lines).strip("\n") + "\n" if printer.lines else ""


class _Printer:
    """Writes lines, and knows which remarks are still to come."""

    def __init__(self, comments: tuple[Comment, ...]) -> None:
        self.lines: list[str] = []
        self._comments = list(comments)
        self._next = 0

    def statements(self, statements: tuple[Statement, ...], depth: int) -> None:
        for number, statement in enumerate(statements):
            if number and self.lines[-1]:
                self.lines.append("")
            self.statement(statement, depth)

    def statement(self, statement: Statement, depth: int) -> None:
        self.remarks(statement.place.line, depth)
        match statement.keyword:
            case "ROUTE" | "RECIPE" | "DECISION_TREE" | "TEST" | "FOR" | "IF":
                self._braces(statement, depth)
            case "MODEL" if statement.references:
                self._models(statement, depth)
            case _ if statement.block is not None:
                self._block(statement, depth)
            case _:
                self._line(_short(statement), depth, statement.place.line, statement.end_line)

    def _line(self, text: str, depth: int, first: int = 0, last: int = 0) -> None:
        """One line; remarks between its first and last line in the old text stand before or behind it."""
        behind = []
        while first and (comment := self._peek()) and comment.place.line <= last:
            if comment.after_code and comment.place.line == last:
                behind.append(comment.text)
            else:
                self.lines.append(_INDENT * depth + comment.text)
            self._next += 1
        self.lines.append("  ".join([_INDENT * depth + text, *behind]))

    def _peek(self) -> Comment | None:
        return self._comments[self._next] if self._next < len(self._comments) else None

    def remarks(self, before: int | None, depth: int) -> None:
        """Those that stand before a line of the old text, with the blank lines between them; None: all."""
        last: int | None = None
        while (comment := self._peek()) and (before is None or comment.place.line < before):
            if (last is not None and comment.place.line > last + 1) or (
                last is None and before is None and depth == 0 and self.lines
            ):
                self.lines.append("")
            self.lines.append(_INDENT * depth + comment.text)
            last = comment.place.line
            self._next += 1
        if last is not None and before is not None and before > last + 1:
            self.lines.append("")

    def _block(self, statement: Statement, depth: int) -> None:
        assert statement.block is not None
        if not statement.block.values:
            self.remarks_inside(statement, depth, f"{_head(statement)} {{}}")
            return
        self._line(f"{_head(statement)} {{", depth, statement.place.line, statement.place.line)
        for key, value in statement.block.values.items():
            place = statement.block.places[key]
            self.remarks(place.line, depth + 1)
            self._line(f"{_key(key)}: {_value(value)}", depth + 1, place.line, _reach(value, place.line))
        self._close(statement, depth)

    def remarks_inside(self, statement: Statement, depth: int, text: str) -> None:
        """An empty block, whose remarks stand behind or before it."""
        self._line(text, depth, statement.place.line, statement.end_line)

    def _close(self, statement: Statement, depth: int) -> None:
        if statement.end_line:
            self.remarks(statement.end_line, depth + 1)
            self._no_blank()
        self._line("}", depth, statement.end_line, statement.end_line)

    def _no_blank(self) -> None:
        """No blank line stands before a brace that closes."""
        while self.lines and not self.lines[-1]:
            self.lines.pop()

    def _braces(self, statement: Statement, depth: int) -> None:
        if statement.keyword == "DECISION_TREE":
            self._tree(statement, depth)
            return
        if not statement.body:
            self.remarks_inside(statement, depth, f"{_head(statement)} {{}}")
            return
        self._line(f"{_head(statement)} {{", depth, statement.place.line, statement.place.line)
        if statement.keyword == "RECIPE":
            self.statements(statement.body, depth + 1)
        else:
            for part in statement.body:
                self.statement(part, depth + 1)
        self._close(statement, depth)

    def _tree(self, statement: Statement, depth: int) -> None:
        self._line(f"{_head(statement)} {{", depth, statement.place.line, statement.place.line)
        branches = statement.body or ()
        for number, branch in enumerate(branches):
            condition = f" {condition_text(branch.condition)}" if branch.condition else ""
            head = f"{branch.keyword}{condition} {{"
            if number:
                self.remarks(branch.place.line, depth + 2)
                self._no_blank()
                self._line(f"}} {head}", depth + 1, branch.place.line, branch.place.line)
            else:
                self.remarks(branch.place.line, depth + 1)
                self._line(head, depth + 1, branch.place.line, branch.place.line)
            for part in branch.body or ():
                self.statement(part, depth + 2)
        if branches:
            self._close(branches[-1], depth + 1)
        self._close(statement, depth)

    def _models(self, statement: Statement, depth: int) -> None:
        texts = [_reference(each, statement.keyword) for each in statement.references]
        for number, (text, reference) in enumerate(zip(texts, statement.references, strict=True)):
            start = "MODEL " if number == 0 else " " * len("MODEL ")
            end = "," if number < len(texts) - 1 else ""
            if reference.place.line:
                self.remarks(reference.place.line, depth)
            self._line(start + text + end, depth, reference.place.line, reference.place.line)


def _short(statement: Statement) -> str:
    """A statement of one line, without braces."""
    match statement.keyword:
        case "WHEN":
            assert statement.condition
            return f"WHEN {condition_text(statement.condition)}"
        case "PRIORITY" | "TIER" | "DESCRIPTION":
            assert statement.value
            return f"{statement.keyword} {_value(statement.value)}"
        case ":":
            assert statement.value
            return f"{_key(statement.words[0])}: {_value(statement.value)}"
        case "->":
            assert statement.value
            return f"{_value(statement.value)} -> {_name(statement.words[0])}"
        case _:
            return _head(statement)


def _head(statement: Statement) -> str:
    """A statement up to its brace."""
    if statement.keyword == "FOR":
        variable, source = statement.words
        listed = ", ".join(_reference(each, "MODEL") for each in statement.listed)
        return f"FOR {variable} IN {f'[{listed}]' if listed else _name(source)}"
    words = [_name(word) for word in statement.words]
    options = f" {_options(statement.options)}" if statement.options and statement.options.values else ""
    return " ".join([statement.keyword, *words]) + options


def _options(options: Table) -> str:
    return f"({', '.join(f'{key} = {_value(value)}' for key, value in options.values.items())})"


def _reference(reference: Reference, keyword: str) -> str:
    name = json.dumps(reference.name, ensure_ascii=False)
    return f"{name} {_options(reference.options)}" if reference.options.values else name


def _name(word: str) -> str:
    return word if is_bare(word) else _quoted(word)


def _key(word: str) -> str:
    return word if is_bare(word) else _quoted(word)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _value(node: Node) -> str:
    match node:
        case Items():
            return f"[{', '.join(_value(each) for each in node.values)}]"
        case Table():
            inner = ", ".join(f"{_key(key)}: {_value(each)}" for key, each in node.values.items())
            return f"{{ {inner} }}" if inner else "{}"
        case Scalar(value=bool() as truth):
            return "true" if truth else "false"
        case Scalar(value=str() as text):
            return _quoted(text)
        case Scalar(value=int() as number):
            return str(number)
        case Scalar(value=float() as number):
            return str(int(number)) if number.is_integer() else format(Decimal(repr(number)), "f")
    return '""'


def condition_text(node: Node, inside: str = "") -> str:
    """A condition as one line. Brackets only where the tree would read differently without."""
    assert isinstance(node, Table)
    operator = node.values.get("operator")
    if not isinstance(operator, Scalar):
        type, name = node.values["type"], node.values["name"]
        assert isinstance(type, Scalar)
        more = "".join(f", {_key(k)}: {_value(v)}" for k, v in node.values.items() if k not in ("type", "name"))
        return f"{type.value}({_value(name)}{more})"
    conditions = node.values["conditions"]
    assert isinstance(conditions, Items)
    word = str(operator.value)
    if word == "NOT":
        return f"NOT {condition_text(conditions.values[0], 'NOT')}"
    text = f" {word} ".join(condition_text(each, word) for each in conditions.values)
    return f"({text})" if inside in (word, "NOT", "AND") else text


def _reach(node: Node, line: int) -> int:
    """The last line of the old text that a value stands on."""
    match node:
        case Scalar():
            return max(line, node.place.line)
        case Items():
            return max((_reach(each, line) for each in node.values), default=line)
        case Table():
            return max((_reach(each, line) for each in node.values.values()), default=line)
