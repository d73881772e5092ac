"""Whether a recipe's parts fit each other: every name that is asked for is there, once, and nothing turns in a circle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from daemon.recipes.check_parts import check_algorithm, check_bands, check_source
from daemon.recipes.conditions import Branch, Condition, Leaf, leaves
from daemon.recipes.model import Decision, RecipeFile, Routing
from daemon.recipes.problems import Problem, wrong
from daemon.recipes.projections import KB_METRIC, PROJECTION, Input
from daemon.recipes.signals import Image
from daemon.recipes.suggestions import suggestion
from daemon.recipes.values import tokens
from daemon.recipes.vocabulary import FAMILIES

LEVELS = ("easy", "medium", "hard")
CARRIED = ("text", "image", "audio")
"""What a request may have parts of, as upstream names it."""
SEEN_BY = (
    *("kinds", "things", "findings", "explicit", "formats", "words", "pixels", "pages", "detail"),
    *("similar_to", "mismatch"),
)
"""Conditions of a picture that somebody has to look for."""
FIELDS = (
    *("biology", "business", "chemistry", "computer science", "economics", "engineering", "health", "history", "law"),
    *("math", "other", "philosophy", "physics", "psychology"),
)
"""MMLU-Pro's, which the domain's head tells apart."""
RESERVED = ("local", "cloud", "nearloop")
"""Model names, and what they begin with before a slash, that mean the same whatever recipe is in use."""


def check(recipe: RecipeFile) -> Iterator[Problem]:
    """What is wrong, part by part; keys only, without places."""
    known = {card.name for card in recipe.routing.model_cards} | set(_provided(recipe.providers))
    for place, (_, routing) in enumerate(recipe.named()):
        prefix = "routing" if place == 0 else f"recipes[{place - 1}].routing"
        if place and routing.model_cards:
            yield wrong(
                "not-in-recipe", f"{prefix}.modelCards", "model cards stand in the file's `routing`", "move them"
            )
        yield from _Check(routing, prefix, known).run()
    yield from _twice("recipes", (each.name for each in recipe.recipes))
    names = {"default", *(each.name for each in recipe.recipes)}
    for place, entry in enumerate(recipe.entrypoints):
        if entry.recipe not in names:
            remedy = suggestion(entry.recipe, sorted(names))
            yield wrong(
                "unknown-recipe", f"entrypoints[{place}].recipe", f"no recipe is called `{entry.recipe}`", remedy
            )
        for name in entry.model_names:
            if problem := _name_problem(f"entrypoints[{place}].model_names", name):
                yield problem
    yield from _twice("entrypoints", (name for entry in recipe.entrypoints for name in entry.model_names))


def _name_problem(key: str, name: str) -> Problem | None:
    if name in RESERVED or name.startswith(tuple(f"{each}/" for each in RESERVED)):
        message = f"`{name}` says exactly who answers and how far a request goes, which no file may change"
        return wrong("reserved-name", key, message, "choose another name; `[routing] names` maps those of programs")
    if not name.strip() or not name.isprintable() or any(sign in name for sign in "*?["):
        return wrong("not-a-name", key, f"`{name}` is no model's name", "write it without blanks and patterns")
    return None


def _twice(key: str, names: Iterable[str]) -> Iterator[Problem]:
    for name, count in Counter(names).items():
        if count > 1:
            yield wrong("duplicate-name", key, f"`{name}` is there {count} times", "give each a name of its own")


def _provided(providers: object) -> Iterator[str]:
    """Models that the machine's section names."""
    models = providers.get("models") if isinstance(providers, dict) else None
    for model in models if isinstance(models, tuple) else ():
        if isinstance(model, dict) and isinstance(model.get("name"), str):
            yield model["name"]


class _Check:
    """Of one policy. models: names that stand in the file."""

    def __init__(self, routing: Routing, prefix: str, models: set[str]) -> None:
        self._routing = routing
        self._prefix = prefix
        self._models = models
        self._rules = {
            family: {rule.name for rule in getattr(routing.signals, section)} for family, section in FAMILIES.items()
        }
        self._rules["authz"] |= {binding.role for binding in routing.signals.role_bindings}
        outputs = [output.name for mapping in routing.projections.mappings for output in mapping.outputs]
        self._rules[PROJECTION] = set(outputs)
        self._outputs = outputs
        self._labels = {rule.name: rule.labels for rule in routing.signals.classifiers}

    def run(self) -> Iterator[Problem]:
        yield from self._names()
        yield from self._signals()
        yield from self._projections()
        for place, decision in enumerate(self._routing.decisions):
            yield from self._decision(decision, f"{self._prefix}.decisions[{place}]")
        routes = {decision.name for decision in self._routing.decisions}
        for place, test in enumerate(self._routing.tests):
            for number, case in enumerate(test.cases):
                if case.route not in routes:
                    key = f"{self._prefix}.tests[{place}].cases[{number}].route"
                    remedy = suggestion(case.route, routes)
                    yield wrong("unknown-route", key, f"no decision is called `{case.route}`", remedy)

    def _names(self) -> Iterator[Problem]:
        signals, projections = self._routing.signals, self._routing.projections
        for section in FAMILIES.values():
            yield from _twice(f"{self._prefix}.signals.{section}", (each.name for each in getattr(signals, section)))
        for section in ("partitions", "scores", "mappings"):
            names = (each.name for each in getattr(projections, section))
            yield from _twice(f"{self._prefix}.projections.{section}", names)
        yield from _twice(f"{self._prefix}.projections.mappings", self._outputs)
        yield from _twice(f"{self._prefix}.decisions", (each.name for each in self._routing.decisions))
        yield from _twice(f"{self._prefix}.modelCards", (each.name for each in self._routing.model_cards))

    def _signals(self) -> Iterator[Problem]:
        signals = self._routing.signals
        for place, band in enumerate(signals.context):
            key = f"{self._prefix}.signals.context[{place}]"
            ends = []
            for word in ("min_tokens", "max_tokens"):
                written = getattr(band, word)
                count = None if written is None else tokens(written)
                if written is not None and count is None:
                    remedy = "write a number, or one with K or M: `32K`"
                    yield wrong("bad-number", f"{key}.{word}", "this is no number of tokens", remedy)
                ends.append(count)
            low, high = ends
            if low is not None and high is not None and low > high:
                yield wrong("empty-band", key, "`min_tokens` is more than `max_tokens`", "no request would match")
        for place, keyword in enumerate(signals.keywords):
            for number, word in enumerate(keyword.keywords):
                if not word.strip():
                    yield Problem(
                        code="blank-keyword",
                        severity="warning",
                        key=f"{self._prefix}.signals.keywords[{place}].keywords[{number}]",
                        message=f"a keyword of `{keyword.name}` is blank, and would be in every text",
                        remedy="it is left out: take it out of the file, or write the word that was meant",
                    )
        for place, rule in enumerate(signals.structure):
            yield from check_source(rule.feature.source, f"{self._prefix}.signals.structure[{place}].feature.source")
        for place, image in enumerate(signals.images):
            yield from self._image(image, f"{self._prefix}.signals.images[{place}]")
        for place, modality in enumerate(signals.input_modality):
            if modality.name not in CARRIED:
                key = f"{self._prefix}.signals.input_modality[{place}].name"
                yield wrong(
                    "unknown-value", key, f"no request carries `{modality.name}`", suggestion(modality.name, CARRIED)
                )
        for place, complexity in enumerate(signals.complexity):
            key = f"{self._prefix}.signals.complexity[{place}].composer"
            yield from self._condition(complexity.composer, key)

    def _image(self, rule: Image, key: str) -> Iterator[Problem]:
        if rule.unseen and any(getattr(rule, word) not in (None, ()) for word in SEEN_BY):
            message = "what nobody could look at shows nothing"
            yield wrong("misplaced", f"{key}.unseen", message, "leave `unseen` out, or the conditions beside it")
        if rule.mismatch is None:
            return
        if not rule.mismatch.kinds and not rule.mismatch.things:
            yield wrong("missing", f"{key}.mismatch", "nothing belongs to these domains", "add `kinds` or `things`")
        known = self._rules["domain"] | set(FIELDS)
        for number, domain in enumerate(rule.mismatch.domains):
            if domain not in known:
                message = f"no domain is called `{domain}`"
                yield wrong("unknown-rule", f"{key}.mismatch.domains[{number}]", message, suggestion(domain, known))

    def _projections(self) -> Iterator[Problem]:
        projections = self._routing.projections
        owner: dict[str, str] = {}
        for place, partition in enumerate(projections.partitions):
            key = f"{self._prefix}.projections.partitions[{place}]"
            families = [family for family in ("domain", "embedding") if partition.members[0] in self._rules[family]]
            known = self._rules[families[0]] if families else self._rules["domain"] | self._rules["embedding"]
            for member in partition.members:
                if member not in known:
                    message = f"no {families[0] if families else 'domain or embedding'} rule is called `{member}`"
                    yield wrong("unknown-rule", f"{key}.members", message, suggestion(member, known))
                if member in owner:
                    message = f"`{member}` is in the partition `{owner[member]}` too"
                    yield wrong("duplicate-name", f"{key}.members", message, "keep it in one")
                owner[member] = partition.name
            if partition.default not in partition.members:
                message = f"`{partition.default}` is no member"
                yield wrong("unknown-rule", f"{key}.default", message, suggestion(partition.default, partition.members))
        scores = {score.name for score in projections.scores}
        for place, score in enumerate(projections.scores):
            for number, input in enumerate(score.inputs):
                yield from self._input(input, f"{self._prefix}.projections.scores[{place}].inputs[{number}]", scores)
        yield from self._circles()
        for place, mapping in enumerate(projections.mappings):
            key = f"{self._prefix}.projections.mappings[{place}]"
            if mapping.source not in scores:
                message = f"no score is called `{mapping.source}`"
                yield wrong("unknown-rule", f"{key}.source", message, suggestion(mapping.source, scores))
            yield from check_bands(mapping, key)

    def _input(self, input: Input, key: str, scores: set[str]) -> Iterator[Problem]:
        if input.type == KB_METRIC:
            if input.kb is None or input.metric is None:
                yield wrong("missing", key, "`kb_metric` needs `kb` and `metric`", "add them")
            return
        if input.name is None:
            yield wrong("missing", f"{key}.name", "this key is missing", "add it")
            return
        if input.type == PROJECTION:
            known = self._rules[PROJECTION] if input.value_source == "confidence" else scores
            if input.name not in known:
                what = "band" if input.value_source == "confidence" else "score"
                message = f"no {what} is called `{input.name}`"
                yield wrong("unknown-rule", f"{key}.name", message, suggestion(input.name, known))
            return
        yield from self._reference(input.type, input.name, key)

    def _circles(self) -> Iterator[Problem]:
        projections = self._routing.projections
        stuck = {score.name for score in projections.scores} - {score.name for score in projections.in_order()}
        if stuck:
            names = ", ".join(f"`{name}`" for name in sorted(stuck))
            key = f"{self._prefix}.projections.scores"
            yield wrong("circle", key, f"these scores use each other: {names}", "take one input out")

    def _reference(self, type: str, name: str, key: str) -> Iterator[Problem]:
        rules = self._rules.get(type)
        if rules is None:
            yield wrong("unknown-signal", key, f"no signal is called `{type}`", suggestion(type, self._rules))
            return
        rule, colon, label = name.rpartition(":")
        if name in rules:
            if type == "complexity":
                message = f"`{name}` has levels"
                yield wrong("missing-level", key, message, f"ask for `{name}:hard`, `{name}:medium` or `{name}:easy`")
        elif not colon or rule not in rules:
            yield wrong("unknown-rule", key, f"no {type} rule is called `{name}`", suggestion(name, rules))
        elif type == "complexity" and label not in LEVELS:
            yield wrong("unknown-level", key, f"`{label}` is no level", suggestion(label, LEVELS))

    def _decision(self, decision: Decision, key: str) -> Iterator[Problem]:
        yield from self._condition(decision.rules, f"{key}.rules")
        if decision.algorithm:
            yield from check_algorithm(decision.algorithm, f"{key}.algorithm")
        answered = any(plugin.type in ("fast_response", "image_gen") for plugin in decision.plugins)
        if not decision.model_refs and not decision.iterations and not answered:
            yield wrong("no-candidate", key, f"nobody answers for `{decision.name}`", "add `modelRefs`")
        for place, reference in enumerate(decision.model_refs):
            if reference.model not in self._models:
                yield Problem(
                    code="unknown-model",
                    severity="warning",
                    key=f"{key}.modelRefs[{place}].model",
                    message=f"`{reference.model}` has no card in this file",
                    remedy="it is looked for among this machine's models and providers; if it isn't there it is passed over",
                )

    def _condition(self, condition: Condition | None, key: str) -> Iterator[Problem]:
        if isinstance(condition, Branch):
            yield from _shape(condition, key)
        for leaf in leaves(condition):
            yield from self._reference(leaf.type, leaf.name, key)
            yield from self._leaf(leaf, key)

    def _leaf(self, leaf: Leaf, key: str) -> Iterator[Problem]:
        labels = self._labels.get(leaf.name) if leaf.type == "classifier" else None
        if labels is None:
            return
        if leaf.label is None:
            yield wrong("missing", key, f"`{leaf.name}` needs a `label`", f"there are {', '.join(labels)}")
        elif leaf.label not in labels:
            yield wrong(
                "unknown-label", key, f"`{leaf.name}` has no label `{leaf.label}`", suggestion(leaf.label, labels)
            )


def _shape(condition: Condition, key: str) -> Iterator[Problem]:
    if isinstance(condition, Leaf):
        return
    if not condition.conditions:
        yield wrong("empty", key, f"an {condition.operator} inside has no conditions", "add some, or leave it out")
    for each in condition.conditions:
        yield from _shape(each, key)
