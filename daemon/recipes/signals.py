"""Rules of signals, family by family, as upstream v0.3 writes them (`routing.signals`)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from daemon.recipes.conditions import Condition
from daemon.recipes.values import Bounds, Name, Part, Share, Text, Words


class Rule(Part, frozen=True, kw_only=True):
    """What every rule has."""

    name: Name
    description: Text = ""


class Keyword(Rule, frozen=True, kw_only=True):
    """Words. operator: OR any (also if it isn't said), AND all, NOR none of `keywords`. method: `regex` if it isn't said."""

    keywords: Words
    operator: Literal["OR", "AND", "NOR"] | None = None
    method: Literal["regex", "bm25", "ngram"] | None = None
    case_sensitive: bool = False
    fuzzy_match: bool = False
    fuzzy_threshold: Annotated[float, Meta(ge=0, le=100)] | None = None
    bm25_threshold: Annotated[float, Meta(ge=0)] | None = None
    ngram_threshold: Share | None = None
    ngram_arity: Annotated[int, Meta(ge=1, le=10)] | None = None


class Embedding(Rule, frozen=True, kw_only=True):
    """Likeness to examples."""

    candidates: Words
    threshold: Share
    aggregation_method: Literal["mean", "max", "any"] | None = None
    query_modality: Literal["text", "image", "audio"] | None = None


class ModelScore(Part, frozen=True, kw_only=True):
    """How good a model is at a domain."""

    model: Name
    score: Share
    use_reasoning: bool | None = None


class Domain(Rule, frozen=True, kw_only=True):
    """A field of knowledge."""

    mmlu_categories: tuple[Name, ...] = ()
    model_scores: tuple[ModelScore, ...] = ()


class Named(Rule, frozen=True, kw_only=True):
    """A rule that is a name of a fixed set: fact_check, user_feedbacks, modality, input_modality."""


class Reask(Rule, frozen=True, kw_only=True):
    """The user asks the same again."""

    threshold: Share | None = None
    lookback_turns: Annotated[int, Meta(ge=1, le=100)] | None = None


class Preference(Rule, frozen=True, kw_only=True):
    """How the user likes answers."""

    examples: tuple[Text, ...] = ()
    threshold: Share | None = None


class Language(Rule, frozen=True, kw_only=True):
    """The request's language; the name is its ISO code."""

    threshold: Share | None = None


class Context(Rule, frozen=True, kw_only=True):
    """A band of lengths in tokens: `32K`, `1M`, plain numbers."""

    min_tokens: Annotated[str | int, "tokens"] | None = None
    max_tokens: Annotated[str | int, "tokens"] | None = None


class Source(Part, frozen=True, kw_only=True):
    """What a feature counts."""

    type: Literal["regex", "keyword_set", "sequence", "text_bytes"]
    pattern: Text | None = None
    keywords: tuple[Text, ...] = ()
    sequences: tuple[tuple[Text, ...], ...] = ()
    case_sensitive: bool = False


class Feature(Part, frozen=True, kw_only=True):
    """A number that a text's form gives."""

    type: Literal["exists", "count", "density", "sequence"]
    source: Source


class Structure(Rule, frozen=True, kw_only=True):
    """A text's form."""

    feature: Feature
    predicate: Bounds | None = None


class TurnSource(Part, frozen=True, kw_only=True):
    """What of a conversation is counted."""

    type: Literal[
        "message", "tool_definition", "assistant_tool_call", "assistant_tool_cycle", "active_tool_loop", "image_content"
    ]
    role: Literal["user", "assistant", "system", "developer", "tool", "non_user"] | None = None


class TurnFeature(Part, frozen=True, kw_only=True):
    """A number that a conversation's form gives."""

    type: Literal["exists", "count"]
    source: TurnSource


class Conversation(Rule, frozen=True, kw_only=True):
    """A conversation's form."""

    feature: TurnFeature
    predicate: Bounds | None = None


class Examples(Part, frozen=True, kw_only=True):
    """One end of a scale."""

    candidates: tuple[Text, ...] = ()
    image_candidates: tuple[Text, ...] = ()


class Complexity(Rule, frozen=True, kw_only=True):
    """How hard a request is: `NAME:easy`, `NAME:medium`, `NAME:hard`. composer: only if this holds as well."""

    threshold: Share
    hard: Examples
    easy: Examples
    composer: Condition | None = None


class Subject(Part, frozen=True, kw_only=True):
    """Who has a role."""

    kind: Literal["User", "Group"]
    name: Name


class RoleBinding(Rule, frozen=True, kw_only=True):
    """A caller's role."""

    role: Name
    subjects: tuple[Subject, ...] = ()


class Jailbreak(Rule, frozen=True, kw_only=True):
    """Attempts to turn a model against its instructions."""

    method: Literal["classifier", "contrastive", "hybrid"] | None = None
    threshold: Share | None = None
    include_history: bool = False
    jailbreak_patterns: tuple[Text, ...] = ()
    benign_patterns: tuple[Text, ...] = ()


class Pii(Rule, frozen=True, kw_only=True):
    """Personal data outside of `pii_types_allowed`."""

    threshold: Share | None = None
    pii_types_allowed: tuple[Name, ...] = ()
    include_history: bool = False


class Secret(Rule, frozen=True, kw_only=True):
    """Keys and passwords. Nearloop's own: upstream has no such signal."""


class Target(Part, frozen=True, kw_only=True):
    """What of a knowledge base a rule is about."""

    kind: Literal["label", "group"]
    value: Name


class KnowledgeBase(Rule, frozen=True, kw_only=True):
    """Likeness to a knowledge base's label or group."""

    kb: Name
    target: Target
    match: Literal["best", "threshold"] | None = None


class Event(Rule, frozen=True, kw_only=True):
    """An event that a program reports."""

    event_types: tuple[Name, ...] = ()
    severities: tuple[Name, ...] = ()
    action_codes: tuple[Name, ...] = ()
    temporal: bool = False


class MetadataTest(Part, frozen=True, kw_only=True):
    """A test of a hint."""

    equals: Text | None = None
    one_of: tuple[Text, ...] = field(default=(), name="in")
    exists: bool | None = None


class Metadata(Rule, frozen=True, kw_only=True):
    """A caller's own hint, which nobody vouches for."""

    key: Annotated[str, Meta(min_length=1, max_length=128)]
    predicate: MetadataTest


class Classifier(Rule, frozen=True, kw_only=True):
    """A classifier of the user's own; conditions name one of its labels."""

    type: Literal["local", "llm"]
    labels: tuple[Name, ...]
    model: Name | None = None
    model_path: Text | None = None
    instructions: Text | None = None
    use_cpu: bool | None = None


class Hazard(Part, frozen=True, kw_only=True):
    """Kinds of harm. labels: all that a model tells apart; categories: those that the rule is about."""

    categories: Words
    labels: Words | None = None
    threshold: Share | None = None
    model: Name | None = None


class Safety(Rule, frozen=True, kw_only=True):
    """Harmful content: `threshold` first, and then one of the hazard's categories."""

    threshold: Share | None = None
    hazard: Hazard | None = None
    labels: tuple[Name, ...] = ()
    unsafe_labels: tuple[Name, ...] = ()
    model: Name | None = None


class TaskShape(Rule, frozen=True, kw_only=True):
    """What kind of work is asked for; the name is the kind. Nearloop's own: upstream has no such signal."""

    threshold: Share | None = None


class Choice(Part, frozen=True, kw_only=True):
    """One of several answers."""

    key: Name
    description: Text = ""


class Question(Part, frozen=True, kw_only=True):
    """A question with a typed answer: one of `choices`, yes or no (noul), one of ordered `levels`, which of `labels`."""

    type: Literal["choice", "noul", "score", "set", "span"]
    instructions: Text
    choices: tuple[Choice, ...] = ()
    levels: tuple[Text, ...] = ()
    labels: tuple[Choice, ...] = ()
    threshold: Share | None = None
    head: Literal["router", "broad"] | None = None


class DecisionQuestion(Rule, frozen=True, kw_only=True):
    """A question to a decision model. predicate: of P(yes), the expected level or the chosen option's probability."""

    question: Question
    predicate: Bounds | None = None
    deployment: Name | None = None
    timeout_ms: Annotated[int, Meta(ge=1)] | None = None


PictureKind = Literal[
    "identity_document", "receipt", "document", "code_screenshot", "chart", "ui", "photo", "medical", "other"
]
"""As `providers.contract.PICTURE_KINDS`."""


class Likened(Part, frozen=True, kw_only=True):
    """Likeness of a picture to what texts say."""

    candidates: Words
    threshold: Share


class Mismatch(Part, frozen=True, kw_only=True):
    """Words of one field, with a picture of another. domains: names of domain rules, or MMLU-Pro's fields. kinds, things:
    what belongs to them.
    """

    domains: Annotated[tuple[Name, ...], Meta(min_length=1)]
    kinds: tuple[PictureKind, ...] = ()
    things: tuple[Name, ...] = ()


class Image(Rule, frozen=True, kw_only=True):
    """Pictures and documents that a request carries: all that is given must hold of one. Nearloop's own: upstream has no
    such signal.

    source: `last`, what the user said last; `tools`, what tools gave back since; `all` if it isn't said (of a mismatch:
    `last`). threshold: of kinds and things. count: of pictures that pass, at least one if it isn't said (of a mismatch:
    all). pixels: width times height. words: in it. unseen: those that nobody could look at.
    """

    source: Literal["all", "last", "tools"] | None = None
    kinds: tuple[PictureKind, ...] = ()
    things: tuple[Name, ...] = ()
    threshold: Share | None = None
    findings: tuple[Name, ...] = ()
    explicit: Share | None = None
    formats: tuple[Name, ...] = ()
    words: Bounds | None = None
    pixels: Bounds | None = None
    bytes: Bounds | None = None
    pages: Bounds | None = None
    detail: Bounds | None = None
    unseen: bool | None = None
    count: Bounds | None = None
    similar_to: Likened | None = None
    mismatch: Mismatch | None = None


class Signals(Part, frozen=True, kw_only=True):
    """All families, under upstream's keys."""

    keywords: tuple[Keyword, ...] = ()
    embeddings: tuple[Embedding, ...] = ()
    domains: tuple[Domain, ...] = ()
    fact_check: tuple[Named, ...] = ()
    user_feedbacks: tuple[Named, ...] = ()
    reasks: tuple[Reask, ...] = ()
    preferences: tuple[Preference, ...] = ()
    language: tuple[Language, ...] = ()
    context: tuple[Context, ...] = ()
    structure: tuple[Structure, ...] = ()
    complexity: tuple[Complexity, ...] = ()
    modality: tuple[Named, ...] = ()
    role_bindings: tuple[RoleBinding, ...] = ()
    jailbreak: tuple[Jailbreak, ...] = ()
    pii: tuple[Pii, ...] = ()
    secret: tuple[Secret, ...] = ()
    kb: tuple[KnowledgeBase, ...] = ()
    conversation: tuple[Conversation, ...] = ()
    events: tuple[Event, ...] = ()
    metadata: tuple[Metadata, ...] = ()
    classifiers: tuple[Classifier, ...] = ()
    safety: tuple[Safety, ...] = ()
    decision: tuple[DecisionQuestion, ...] = ()
    task_shape: tuple[TaskShape, ...] = ()
    images: tuple[Image, ...] = ()
    input_modality: tuple[Named, ...] = ()
