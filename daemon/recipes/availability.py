"""What a recipe may ask for that this version doesn't have, and what happens instead: each a warning with a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from daemon.recipes.embedder import embedder_of
from daemon.recipes.files import Form
from daemon.recipes.model import RecipeFile, Routing
from daemon.recipes.problems import Problem
from daemon.recipes.vocabulary import FAMILIES

ALGORITHMS: Final = frozenset(
    {"static", "confidence", "ratings", "remom", "fusion", "workflows", "latency_aware", "multi_factor", "router_dc"}
)
PLUGINS: Final = frozenset(
    {"fast_response", "header_mutation", "request_params", "router_replay", "system_prompt", "tools"}
)
"""router_replay: every request has its record, whatever a recipe says."""
STORES: Final = frozenset(
    {
        "redis",
        "valkey",
        "postgres",
        "milvus",
        "qdrant",
        "llama_stack",
        "openai",
        "external_api",
        "vectorstore",
        "hybrid",
    }
)
"""Servers that upstream keeps things in."""
OURS: Final = frozenset({"image", "secret", "task_shape"})
"""Families that upstream doesn't have."""

_UNKNOWN: Final = (
    "its conditions are unknown, and a decision that hangs on one goes by its `on_unknown` (no match, if unsaid)"
)
_SECTIONS: Final = {
    "listeners": "ports are set in settings.toml under [server]",
    "providers": "servers and keys are set in settings.toml under [providers.NAME]",
    "global": "machine matters are set in settings.toml",
    "evaluation": "measurements of models are not read yet",
}


def unavailable(recipe: RecipeFile, form: Form) -> Iterator[Problem]:
    """One warning for each part, with the first place that asks for it."""
    for section, remedy in _SECTIONS.items():
        if getattr(recipe, "global_" if section == "global" else section) is not None:
            yield _note("machine-section", section, "this is about a machine and is read past", remedy)
    for store, key in sorted(dict(_stores(recipe.global_, "global")).items()):
        remedy = "what Nearloop keeps it keeps in SQLite and files on this machine"
        yield _problem("unavailable-store", key, f"`{store}` is not used", remedy)
    if not embedder_of(recipe.global_).ours and (first := _alike(recipe)) is not None:
        message = "thresholds of likeness were chosen for another embedder: scores are taken to its scale"
        yield _note(
            "other-scale", first, message, 'if they were chosen for Nearloop\'s own, set signals.likeness = "own"'
        )
    seen: set[tuple[str, str]] = set()
    for place, (_, routing) in enumerate(recipe.named()):
        prefix = "routing" if place == 0 else f"recipes[{place - 1}].routing"
        if routing.tests and form == "yaml":
            remedy = "upstream's router refuses them in YAML; in the recipe language it has them too"
            yield _note("nearloop-only", f"{prefix}.tests", "tests in YAML are Nearloop's own", remedy)
        for problem in _routing(routing, prefix):
            if (problem.code, problem.message) not in seen:
                seen.add((problem.code, problem.message))
                yield problem


def _alike(recipe: RecipeFile) -> str | None:
    """Where the first rule stands that compares likenesses."""
    for place, (_, routing) in enumerate(recipe.named()):
        for section in ("embeddings", "kb", "preferences", "reasks"):
            if getattr(routing.signals, section):
                return f"{'routing' if place == 0 else f'recipes[{place - 1}].routing'}.signals.{section}"
    return None


def _problem(code: str, key: str, message: str, remedy: str) -> Problem:
    return Problem(code=code, key=key, message=message, remedy=remedy, severity="warning")


def _note(code: str, key: str, message: str, remedy: str) -> Problem:
    return Problem(code=code, key=key, message=message, remedy=remedy, severity="note")


def _routing(routing: Routing, prefix: str) -> Iterator[Problem]:
    for family, section in FAMILIES.items():
        if getattr(routing.signals, section):
            key = f"{prefix}.signals.{section}"
            if family in OURS:
                remedy = "upstream's router refuses it: take it out before the file goes to a cluster"
                yield _note("nearloop-only", key, f"the signal `{family}` is Nearloop's own", remedy)
    yield from _parts_of_signals(routing, prefix)
    yield from _personal(routing, prefix)
    yield from _decisions(routing, prefix)


def _parts_of_signals(routing: Routing, prefix: str) -> Iterator[Problem]:
    """What of a family that looks isn't here; its rules say so when they are asked."""
    signals = routing.signals
    for place, rule in enumerate(signals.classifiers):
        if rule.type == "llm":
            message = "classifiers of the type `llm` aren't in this version"
            yield _problem("unavailable-part", f"{prefix}.signals.classifiers[{place}].type", message, _UNKNOWN)
    for place, likeness in enumerate(signals.embeddings):
        key = f"{prefix}.signals.embeddings[{place}].query_modality"
        if likeness.query_modality == "audio":
            yield _problem("unavailable-part", key, "likeness of `audio` isn't in this version", _UNKNOWN)
        if likeness.query_modality == "image":
            yield _needs_model(key)
    for place, graded in enumerate(signals.complexity):
        if graded.hard.image_candidates and graded.easy.image_candidates:
            yield _needs_model(f"{prefix}.signals.complexity[{place}].hard.image_candidates")
    for place, picture in enumerate(signals.images):
        if picture.similar_to is not None:
            yield _needs_model(f"{prefix}.signals.images[{place}].similar_to")
    for place, asked in enumerate(signals.decision):
        if asked.question.type == "span":
            message = "questions of the type `span` aren't in this version"
            yield _problem("unavailable-part", f"{prefix}.signals.decision[{place}].question.type", message, _UNKNOWN)


def _needs_model(key: str) -> Problem:
    message = "likeness of pictures needs a vision-text model of yours: `pictures` under [signals] in settings.toml"
    return _note("needs-model", key, message, f"without one {_UNKNOWN}")


def _personal(routing: Routing, prefix: str) -> Iterator[Problem]:
    for place, pii in enumerate(routing.signals.pii):
        if not pii.include_history:
            key = f"{prefix}.signals.pii[{place}]"
            message = "personal data in the history counts too, although `include_history` is off"
            yield _note("always-so", key, message, "nothing to do: the whole request is always looked at")


def _decisions(routing: Routing, prefix: str) -> Iterator[Problem]:
    for place, decision in enumerate(routing.decisions):
        key = f"{prefix}.decisions[{place}]"
        if decision.algorithm and decision.algorithm.type not in ALGORITHMS:
            message = f"the algorithm `{decision.algorithm.type}` isn't in this version"
            yield _problem("unavailable-algorithm", f"{key}.algorithm", message, "the first candidate is asked")
        if decision.algorithm and decision.algorithm.confidence and decision.algorithm.confidence.verifier_server_url:
            message = "the server in `verifier_server_url` is not asked: a recipe opens no connection"
            remedy = "further answers of the same model are held against the draft on this machine"
            yield _note("not-asked", f"{key}.algorithm.confidence.verifier_server_url", message, remedy)
        for number, plugin in enumerate(decision.plugins):
            if plugin.type not in PLUGINS:
                message = f"the plugin `{plugin.type}` isn't in this version"
                yield _problem("unavailable-plugin", f"{key}.plugins[{number}]", message, "it is left out")
        for name, asked in (("adaptations", decision.adaptations), ("emits", decision.emits)):
            if asked:
                yield _problem("unavailable-part", f"{key}.{name}", f"`{name}` isn't in this version", "it is left out")
        if decision.output_contract_spec is not None:
            message = "`output_contract_spec` isn't in this version"
            yield _problem("unavailable-part", f"{key}.output_contract_spec", message, "answers are not held to it")
        if decision.iterations:
            message = "`candidateIterations` isn't in this version"
            yield _problem(
                "unavailable-part", f"{key}.candidateIterations", message, "`modelRefs` alone are candidates"
            )


def _stores(value: object, key: str) -> Iterator[tuple[str, str]]:
    """Names of stores that a machine's section chooses, with the way there."""
    if isinstance(value, dict):
        for word, inner in value.items():
            if word in ("backend", "store_backend", "backend_type", "metadata_store") and inner in STORES:
                yield inner, f"{key}.{word}"
            yield from _stores(inner, f"{key}.{word}")
