"""From statements to the tree that YAML would have given, so that both are checked by the same eyes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daemon.recipes.dsl_statements import Reference, Statement
from daemon.recipes.nodes import Items, Node, Scalar, Table
from daemon.recipes.plugins import ALIASES
from daemon.recipes.problems import BadRecipe, Place, Problem
from daemon.recipes.suggestions import suggestion
from daemon.recipes.vocabulary import FAMILIES, MODEL_OPTIONS, PROJECTIONS

TREE_PRIORITY: Final = 1_000_000
"""Of a decision tree's first branch; each further one has one less, each further tree a thousand. Upstream's numbers."""
TREE_STEP: Final = 1_000
MAX_BRANCHES: Final = 200
"""Each branch repeats the conditions of all before it, so a tree grows with the square of its branches."""


def lower(statements: tuple[Statement, ...]) -> Table:
    """The tree of a file. Raises BadRecipe."""
    root = Table(Place(1, 1))
    problems: list[Problem] = []
    _Scope(root, root.table("routing", Place(1, 1)), problems).read(statements)
    if problems:
        raise BadRecipe(tuple(problems))
    return root


class _Scope:
    """The file, or one recipe in it. root: None inside a recipe, which has no models or entrypoints of its own."""

    def __init__(self, root: Table | None, routing: Table, problems: list[Problem]) -> None:
        self._root = root
        self._routing = routing
        self._problems = problems
        self._templates: dict[str, Statement] = {}
        self._trees = 0

    def read(self, statements: tuple[Statement, ...]) -> None:
        self._templates = {each.words[0]: each for each in statements if each.keyword == "PLUGIN"}
        kinds = {each.keyword for each in statements}
        if {"ROUTE", "DECISION_TREE"} <= kinds:
            late = next(each for each in statements if each.keyword == "DECISION_TREE")
            remedy = "use one of them: a tree's branches already exclude each other"
            self._problem("tree-and-routes", late, "DECISION_TREE and ROUTE can't stand in the same recipe", remedy)
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        match statement.keyword:
            case "SIGNAL":
                self._rule(statement, FAMILIES, "signals", "signal")
            case "PROJECTION":
                self._rule(statement, PROJECTIONS, "projections", "projection")
            case "ROUTE":
                self._routing.add("decisions", self._route(statement))
            case "DECISION_TREE":
                self._tree(statement)
            case "TEST":
                self._routing.add("tests", _test(statement))
            case "ROUTING":
                self._options(statement)
            case "PLUGIN":
                pass  # a template: routes that name it take it in
            case _ if self._root is None:
                remedy = "write it outside of the recipe: models and entrypoints are the file's"
                self._problem("not-in-recipe", statement, f"{statement.keyword} can't stand in a recipe", remedy)
            case "MODEL":
                self._routing.add("modelCards", self._named(statement, statement.words[0]))
            case "ENTRYPOINT":
                self._root.add("entrypoints", statement.block or Table(statement.place))
            case "RECIPE":
                self._recipe(self._root, statement)

    def _problem(self, code: str, at: Statement | Reference, message: str, remedy: str, key: str = "") -> None:
        self._problems.append(Problem(code=code, place=at.place, message=message, remedy=remedy, key=key))

    def _named(self, statement: Statement, name: str) -> Table:
        made = Table(statement.place)
        made.set("name", Scalar(name, statement.place))
        for key, value in _fields(statement.block):
            if key == "name":
                self._problem("duplicate-key", statement, "the name stands in front already", "leave `name` out", key)
            made.set(key, value, _where(statement.block, key))
        return made

    def _rule(self, statement: Statement, table: dict[str, str], section: str, what: str) -> None:
        kind, name = statement.words
        key = table.get(kind)
        if key is None:
            remedy = suggestion(kind, table)
            self._problem(f"unknown-{what}", statement, f"no {what} is called `{kind[:40]}`", remedy)
            return
        self._routing.table(section, statement.place).add(key, self._named(statement, name))

    def _options(self, statement: Statement) -> None:
        for key, value in _fields(statement.block):
            if key != "strategy":
                self._problem("unknown-key", statement, f"no such key as `{key[:40]}` is known here", "use `strategy`")
            self._set(self._routing, "strategy", value, statement)

    def _set(self, table: Table, key: str, value: Node, statement: Statement) -> None:
        if key in table.values:
            self._problem("duplicate-key", statement, f"{statement.keyword} is there twice", "keep one", key)
        table.set(key, value, statement.place)

    def _recipe(self, root: Table, statement: Statement) -> None:
        made = Table(statement.place)
        made.set("name", Scalar(statement.words[0], statement.place))
        routing = made.table("routing", statement.place)
        for key, value in _fields(statement.options):
            (routing if key == "strategy" else made).set(key, value, _where(statement.options, key))
        _Scope(None, routing, self._problems).read(statement.body or ())
        root.add("recipes", made)

    def _route(self, statement: Statement) -> Table:
        made = Table(statement.place)
        made.set("name", Scalar(statement.words[0], statement.place))
        on_unknown: Node | None = None
        for key, value in _fields(statement.options):
            if key == "on_unknown":
                on_unknown = value
            else:
                made.set(key, value, _where(statement.options, key))
        for part in statement.body or ():
            self._part(made, part)
        if on_unknown is not None and isinstance(rules := made.values.get("rules"), Table):
            rules.set("on_unknown", on_unknown)
        return made

    def _part(self, made: Table, part: Statement) -> None:
        match part.keyword:
            case "PRIORITY" | "TIER" | "DESCRIPTION" if part.value:
                self._set(made, part.keyword.lower(), part.value, part)
            case "WHEN" if part.condition:
                self._set(made, "rules", _root(part.condition), part)
            case "MODEL":
                for reference in part.references:
                    made.add("modelRefs", self._reference(reference))
            case "ALGORITHM":
                self._set(made, "algorithm", self._algorithm(made, part), part)
            case "PLUGIN":
                made.add("plugins", self._plugin(part))
            case "FOR":
                made.add("candidateIterations", self._loop(part))
            case "EMIT":
                emit = Table(part.place)
                emit.set("kind", Scalar(part.words[0], part.place))
                emit.set(part.words[0], part.block or Table(part.place), part.place)
                made.add("emits", emit)
            case "NAME":
                remedy = "a route's name stands after ROUTE"
                self._problem("not-in-route", part, "NAME belongs into a branch of a DECISION_TREE", remedy)
            case ":" if part.value:
                self._field(made, part)

    def _field(self, made: Table, part: Statement) -> None:
        assert part.value
        if part.words[0] == "algorithm_on_error":
            algorithm = made.table("algorithm", part.place)
            self._set(algorithm, "on_error", part.value, part)
        else:
            self._set(made, part.words[0], part.value, part)

    def _algorithm(self, made: Table, part: Statement) -> Table:
        found = Table(part.place)
        before = made.values.pop("algorithm", None)
        if isinstance(before, Table):
            if "type" in before.values:
                self._problem("duplicate-key", part, "ALGORITHM is there twice", "keep one", "algorithm")
            for key, value in before.values.items():
                found.set(key, value, before.places[key])
        found.set("type", Scalar(part.words[0], part.place))
        if part.block is not None:
            found.set(part.words[0], part.block, part.place)
        return found

    def _plugin(self, part: Statement) -> Table:
        name = part.words[0]
        template = self._templates.get(name)
        made = Table(part.place)
        kind = template.words[1] if template else name
        made.set("type", Scalar(ALIASES.get(kind, kind), part.place))
        if part.block is None and not (template and template.block and template.block.values):
            return made
        configuration = made.table("configuration", part.place)
        for block in (template.block if template else None, part.block):
            for key, value in _fields(block):
                configuration.set(key, value, _where(block, key))
        return made

    def _reference(self, reference: Reference) -> Table:
        made = Table(reference.place)
        made.set("model", Scalar(reference.name, reference.place))
        for key, value in reference.options.values.items():
            word = MODEL_OPTIONS.get(key)
            if word is None:
                remedy = suggestion(key, MODEL_OPTIONS)
                self._problem("unknown-key", reference, f"a model has no option `{key[:40]}`", remedy)
            else:
                made.set(word, value, reference.options.places[key])
        return made

    def _loop(self, part: Statement) -> Table:
        variable, source = part.words
        made = Table(part.place)
        made.set("variable", Scalar(variable, part.place))
        made.set("source", Scalar(source, part.place))
        if part.listed:
            made.set("models", Items([self._reference(each) for each in part.listed], part.place))
        for inner in part.body or ():
            for reference in inner.references:
                if reference.options.values:
                    remedy = "write them in the list after IN"
                    self._problem("not-in-loop", reference, "a model in a loop's body has no options", remedy)
                output = Table(reference.place)
                output.set("type", Scalar("model", reference.place))
                output.set("value", Scalar(reference.name, reference.place))
                made.add("outputs", output)
        return made

    def _tree(self, statement: Statement) -> None:
        branches = statement.body or ()
        shape = [branch.keyword for branch in branches]
        if shape[:1] != ["IF"] or shape[-1] != "ELSE" or set(shape[1:-1]) - {"ELSE IF"} or len(shape) < 2:
            remedy = "write IF … { … } ELSE IF … { … } ELSE { … }"
            self._problem("bad-tree", statement, "a DECISION_TREE starts with IF and ends with ELSE", remedy)
            return
        if len(branches) > MAX_BRANCHES:
            message = f"this tree has more than {MAX_BRANCHES} branches"
            self._problem("too-large", statement, message, "use routes with priorities")
            return
        first = TREE_PRIORITY - TREE_STEP * self._trees
        self._trees += 1
        earlier: list[Node] = []
        for place, branch in enumerate(branches):
            self._routing.add("decisions", self._branch(statement, branch, place, first - place, earlier))
            if branch.condition:
                earlier.append(branch.condition)

    def _branch(self, tree: Statement, branch: Statement, place: int, priority: int, earlier: list[Node]) -> Table:
        made = Table(branch.place)
        names = [part for part in branch.body or () if part.keyword == "NAME"]
        name = names[0].words[0] if names else f"{tree.words[0]}__branch_{place + 1:02}"
        made.set("name", Scalar(name, branch.place))
        made.set("priority", Scalar(priority, branch.place))
        conditions = [branch.condition] if branch.condition else []
        conditions += [_not(each) for each in earlier]
        made.set("rules", _root(conditions[0]) if len(conditions) == 1 else _and(conditions), branch.place)
        for part in branch.body or ():
            if part.keyword in ("PRIORITY", "WHEN"):
                remedy = "leave it out: the tree's order decides"
                self._problem("not-in-tree", part, f"{part.keyword} can't stand in a DECISION_TREE", remedy)
            elif part.keyword != "NAME":
                self._part(made, part)
        if "modelRefs" not in made.values and "candidateIterations" not in made.values:
            self._problem("missing", branch, "a branch needs a MODEL", "add one")
        return made


def _fields(block: Table | None) -> Iterable[tuple[str, Node]]:
    return block.values.items() if block else ()


def _where(block: Table | None, key: str) -> Place | None:
    return block.places[key] if block else None


def _root(condition: Node) -> Table:
    """As a branch of its own: a lone leaf has an AND around it."""
    if isinstance(condition, Table) and "operator" in condition.values:
        made = Table(condition.place)
        for key, value in condition.values.items():
            made.set(key, value, condition.places[key])
        return made
    return _and([condition])


def _and(conditions: list[Node]) -> Table:
    made = Table(conditions[0].place)
    made.set("operator", Scalar("AND", made.place))
    made.set("conditions", Items(list(conditions), made.place))
    return made


def _not(condition: Node) -> Table:
    made = Table(condition.place)
    made.set("operator", Scalar("NOT", made.place))
    made.set("conditions", Items([condition], made.place))
    return made


def _test(statement: Statement) -> Table:
    made = Table(statement.place)
    made.set("name", Scalar(statement.words[0], statement.place))
    for case in statement.body or ():
        entry = Table(case.place)
        assert case.value
        entry.set("query", case.value)
        entry.set("route", Scalar(case.words[0], case.place))
        made.add("cases", entry)
    return made
