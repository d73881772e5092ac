"""A recipe file: routing, entrypoints, further recipes, and what of it belongs to a machine."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from daemon.recipes.algorithms import Algorithm
from daemon.recipes.conditions import Branch
from daemon.recipes.plugins import Plugin
from daemon.recipes.projections import Projections
from daemon.recipes.signals import Signals
from daemon.recipes.values import Count, Identifier, Name, Opaque, Part, Share, Text

Strategy = Literal["priority", "confidence"]


class Lora(Part, frozen=True, kw_only=True):
    """An adapter of a model."""

    name: Name
    description: Text = ""


class ModelCard(Part, frozen=True, kw_only=True):
    """What is known of a model, without where it is."""

    name: Name
    param_size: Text | None = None
    context_window_size: Count | None = None
    description: Text = ""
    capabilities: tuple[Name, ...] = ()
    loras: tuple[Lora, ...] = ()
    quality_score: Share | None = None
    modality: Literal["ar", "omni", "diffusion", "text"] | None = None
    tags: tuple[Name, ...] = ()


class ModelRef(Part, frozen=True, kw_only=True):
    """A candidate of a decision."""

    model: Name
    use_reasoning: bool | None = None
    reasoning_effort: Name | None = None
    reasoning_description: Text | None = None
    lora_name: Name | None = None
    weight: Annotated[float, Meta(ge=0)] | None = None


class IterationOutput(Part, frozen=True, kw_only=True):
    """What each turn of an iteration adds."""

    type: Literal["model"]
    value: Name


class Iteration(Part, frozen=True, kw_only=True):
    """Candidates made from a list: `FOR variable IN source`."""

    variable: Identifier
    source: Literal["models", "decision.candidates"]
    models: tuple[ModelRef, ...] = ()
    outputs: tuple[IterationOutput, ...] = ()


class Retention(Part, frozen=True, kw_only=True):
    """How long a conversation stays with its model."""

    drop: bool | None = None
    ttl_turns: Count | None = None
    keep_current_model: bool | None = None
    prefer_prefix_retention: bool | None = None


class Emit(Part, frozen=True, kw_only=True):
    """What a decision tells other parts."""

    kind: Literal["retention"]
    retention: Retention = Retention()


class Adaptation(Part, frozen=True, kw_only=True):
    """Whether learning may change a decision."""

    mode: Literal["apply", "observe", "bypass"] | None = None


class Protection(Part, frozen=True, kw_only=True):
    """What holds learning back."""

    stability_weight: Annotated[float, Meta(ge=0)] | None = None
    switch_margin: Annotated[float, Meta(ge=0)] | None = None


class Adaptations(Adaptation, frozen=True, kw_only=True):
    """Learning's part in a decision."""

    adaptation: Adaptation | None = None
    protection: Protection | None = None


class Decision(Part, frozen=True, kw_only=True):
    """When its rules hold, its candidates answer. rules None: always. tier 0: none."""

    name: Name
    description: Text = ""
    priority: int = 0
    tier: Count = 0
    rules: Branch | None = None
    model_refs: tuple[ModelRef, ...] = field(default=(), name="modelRefs")
    iterations: tuple[Iteration, ...] = field(default=(), name="candidateIterations")
    algorithm: Algorithm | None = None
    plugins: tuple[Plugin, ...] = ()
    emits: tuple[Emit, ...] = ()
    adaptations: Adaptations | None = None
    output_contract: Text | None = None
    output_contract_spec: Opaque | None = None
    annotations: Opaque | None = None


class Case(Part, frozen=True, kw_only=True):
    """A question, and the decision that it should come to."""

    query: Text
    route: Name


class Suite(Part, frozen=True, kw_only=True):
    """A recipe's own tests. Upstream has them in its language only; here YAML keeps them too."""

    name: Name
    cases: tuple[Case, ...] = ()


class Routing(Part, frozen=True, kw_only=True):
    """One policy."""

    strategy: Strategy = "priority"
    model_cards: tuple[ModelCard, ...] = field(default=(), name="modelCards")
    signals: Signals = Signals()
    projections: Projections = Projections()
    decisions: tuple[Decision, ...] = ()
    tests: tuple[Suite, ...] = ()


class Entrypoint(Part, frozen=True, kw_only=True):
    """Model names that stand for a recipe."""

    model_names: Annotated[tuple[Name, ...], Meta(min_length=1)]
    recipe: Name


class Recipe(Part, frozen=True, kw_only=True):
    """A named policy beside the default one; it shares the model cards only."""

    name: Name
    description: Text = ""
    routing: Routing = Routing()


class RecipeFile(Part, frozen=True, kw_only=True):
    """A whole file. The last four are about machines: read past, kept in YAML, and not part of the language."""

    version: Literal["v0.3"] = "v0.3"
    routing: Routing = Routing()
    entrypoints: tuple[Entrypoint, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    listeners: Opaque | None = None
    providers: Opaque | None = None
    global_: Opaque | None = field(default=None, name="global")
    evaluation: Opaque | None = None

    def named(self) -> tuple[tuple[str, Routing], ...]:
        """Each policy with its name; the first is `default`."""
        return (("default", self.routing), *((recipe.name, recipe.routing) for recipe in self.recipes))


MACHINE = ("listeners", "providers", "global", "evaluation")
