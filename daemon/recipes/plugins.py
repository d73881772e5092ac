"""What a decision does to requests and answers beside choosing (`plugins`): configurations, by type."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Struct

from daemon.recipes.values import Count, Name, Opaque, Part, Positive, Share, Text


class SystemPrompt(Part, frozen=True, kw_only=True):
    """Words put before the conversation."""

    enabled: bool | None = None
    mode: Literal["insert", "replace"] | None = None
    system_prompt: Text


class Semantic(Part, frozen=True, kw_only=True):
    """When another question counts as the same."""

    similarity_threshold: Share


class RequestControls(Part, frozen=True, kw_only=True):
    """What callers may say about it in a header."""

    enabled: bool = False
    header: Name | None = None
    allowed: tuple[Name, ...] = ()
    max_ttl_seconds: Count | None = None
    max_target_tokens: Count | None = None


class Mode(Part, frozen=True, kw_only=True):
    """A mode by name."""

    mode: Name


class Revision(Part, frozen=True, kw_only=True):
    """What makes older answers stale."""

    cache_epoch: Text | None = None
    model_revision: Text | None = None
    prompt_revision: Text | None = None
    policy_revision: Text | None = None


class ResponseCache(Part, frozen=True, kw_only=True):
    """Answers kept for the same question. similarity_threshold: the older, flat form of `semantic`."""

    enabled: bool | None = None
    mode: Literal["exact", "semantic", "exact_then_semantic"] | None = None
    scope: Literal["user", "tenant", "global", "session"] | None = None
    semantic: Semantic | None = None
    similarity_threshold: Share | None = None
    ttl_seconds: Count | None = None
    request_controls: RequestControls | None = None
    personalized: Mode | None = None
    revision: Revision | None = None


class TokenBudget(Part, frozen=True, kw_only=True):
    """`auto`, or tokens."""

    trigger_tokens: Annotated[str | int, "auto"] | None = None
    target_tokens: Annotated[str | int, "auto"] | None = None
    reserve_output_tokens: Annotated[str | int, "auto"] | None = None


class Shrinking(Part, frozen=True, kw_only=True):
    """How one kind of text is made shorter."""

    mode: Literal["preserve", "extractive"]
    min_tokens: Count | None = None
    target_tokens: Count | None = None


class ShrinkTargets(Part, frozen=True, kw_only=True):
    """Which texts may be made shorter."""

    tool_outputs: Shrinking | None = None
    history: Shrinking | None = None
    rag: Shrinking | None = None
    memory: Shrinking | None = None


class Scoring(Part, frozen=True, kw_only=True):
    """What is worth keeping."""

    method: Name
    embedding_model_ref: Text | None = None


class Recovery(Part, frozen=True, kw_only=True):
    """How what was cut can be had back."""

    enabled: bool = False
    store: Name | None = None
    ttl_seconds: Count | None = None
    max_bytes_per_request: Count | None = None
    max_total_bytes: Count | None = None
    max_retrievals: Count | None = None


class ContextCompression(Part, frozen=True, kw_only=True):
    """Long inputs made shorter."""

    enabled: bool | None = None
    mode: Name | None = None
    budget: TokenBudget | None = None
    targets: ShrinkTargets | None = None
    scoring: Scoring | None = None
    recovery: Recovery | None = None
    request_controls: RequestControls | None = None
    failure_mode: Literal["fail_open", "fail_closed"] | None = None


class Tools(Part, frozen=True, kw_only=True):
    """Which tools a request may keep."""

    enabled: bool | None = None
    mode: Literal["none", "filtered", "passthrough"] | None = None
    semantic_selection: bool | None = None
    allow_tools: tuple[Name, ...] = ()
    block_tools: tuple[Name, ...] = ()
    strip_tool_history: bool | None = None


class AdvancedFiltering(Part, frozen=True, kw_only=True):
    """Finer sieves for tools."""

    enabled: bool = False
    candidate_pool_size: Count | None = None
    min_combined_score: Share | None = None


class ToolSelection(Part, frozen=True, kw_only=True):
    """Tools added from a list, or sieved."""

    enabled: bool | None = None
    mode: Literal["add", "filter"] | None = None
    tools_db_path: Text | None = None
    top_k: Count | None = None
    similarity_threshold: Share | None = None
    strategy: Name | None = None
    fallback_to_empty: bool | None = None
    advanced_filtering: AdvancedFiltering | None = None
    relevance_threshold: Share | None = None
    preserve_count: Count | None = None


class Hallucination(Part, frozen=True, kw_only=True):
    """Answers held to their sources."""

    enabled: bool | None = None
    use_nli: bool | None = None
    hallucination_action: Name | None = None
    unverified_factual_action: Name | None = None
    include_hallucination_details: bool | None = None


class RouterReplay(Part, frozen=True, kw_only=True):
    """What is recorded of a decision."""

    enabled: bool | None = None
    max_records: Count | None = None
    capture_request_body: bool | None = None
    capture_response_body: bool | None = None
    max_body_bytes: Count | None = None
    max_tool_trace_bytes: Count | None = None
    max_tool_trace_steps: Count | None = None


class Reflection(Part, frozen=True, kw_only=True):
    """What memories are let through."""

    enabled: bool = False
    algorithm: Name | None = None
    max_inject_tokens: Count | None = None
    recency_decay_days: Count | None = None
    dedup_threshold: Share | None = None
    block_patterns: tuple[Text, ...] = ()


class Memory(Part, frozen=True, kw_only=True):
    """What is remembered from earlier conversations."""

    enabled: bool | None = None
    retrieval_limit: Count | None = None
    similarity_threshold: Share | None = None
    auto_store: bool | None = None
    hybrid_search: bool | None = None
    hybrid_mode: Name | None = None
    reflection: Reflection | None = None


class FastResponse(Part, frozen=True, kw_only=True):
    """A fixed answer."""

    message: Text


class RequestParams(Part, frozen=True, kw_only=True):
    """What a request may ask of a model."""

    blocked_params: tuple[Name, ...] = ()
    max_tokens_limit: Count | None = None
    max_n: Count | None = None
    strip_unknown: bool | None = None


class Header(Part, frozen=True, kw_only=True):
    """A header's name and value."""

    name: Name
    value: Text


class HeaderMutation(Part, frozen=True, kw_only=True):
    """Headers towards the model's server."""

    add: tuple[Header, ...] = ()
    update: tuple[Header, ...] = ()
    delete: tuple[Name, ...] = ()


class ResponseJailbreak(Part, frozen=True, kw_only=True):
    """Answers looked at for what an attack would bring out."""

    enabled: bool | None = None
    threshold: Share | None = None
    action: Name | None = None


class Rag(Part, frozen=True, kw_only=True):
    """Passages looked up and put beside the question."""

    enabled: bool | None = None
    backend: Name
    similarity_threshold: Share | None = None
    top_k: Count | None = None
    max_context_length: Count | None = None
    injection_mode: Literal["tool_role", "system_prompt"] | None = None
    on_failure: Literal["skip", "warn", "block"] | None = None
    cache_results: bool | None = None
    cache_ttl_seconds: Count | None = None
    min_confidence_threshold: Share | None = None
    backend_config: Opaque | None = None


class PictureClassifier(Part, frozen=True, kw_only=True):
    """The model that tells whether a picture is wanted."""

    model_path: Text
    use_cpu: bool | None = None


class PictureDetection(Part, frozen=True, kw_only=True):
    """How it is told whether a picture is wanted."""

    method: Literal["classifier", "keyword", "hybrid"]
    classifier: PictureClassifier | None = None
    keywords: tuple[Text, ...] = ()
    both_keywords: tuple[Text, ...] = ()
    confidence_threshold: Share | None = None
    lower_threshold_ratio: Share | None = None


class ImageGen(Part, frozen=True, kw_only=True):
    """Pictures made by a server."""

    enabled: bool | None = None
    backend: Name
    backend_config: Opaque | None = None
    modality_detection: PictureDetection | None = None
    default_width: Count | None = None
    default_height: Count | None = None
    max_inference_steps: Count | None = None
    timeout_seconds: Positive | None = None


PLUGINS: Final[dict[str, type[Struct]]] = {
    "system_prompt": SystemPrompt,
    "response_cache": ResponseCache,
    "context_compression": ContextCompression,
    "tools": Tools,
    "tool_selection": ToolSelection,
    "hallucination": Hallucination,
    "router_replay": RouterReplay,
    "memory": Memory,
    "fast_response": FastResponse,
    "request_params": RequestParams,
    "header_mutation": HeaderMutation,
    "response_jailbreak": ResponseJailbreak,
    "rag": Rag,
    "image_gen": ImageGen,
}

ALIASES: Final = {
    "semantic-cache": "response_cache",
    "response-cache": "response_cache",
    "context-compression": "context_compression",
    "system-prompt": "system_prompt",
    "header-mutation": "header_mutation",
    "router-replay": "router_replay",
    "fast-response": "fast_response",
    "request-params": "request_params",
    "response-jailbreak": "response_jailbreak",
}
"""Older spellings, which upstream's language still takes."""


class Plugin(Part, frozen=True, kw_only=True):
    """One of them. configuration: a Struct of PLUGINS[type]."""

    type: Name
    configuration: Opaque | None = None
