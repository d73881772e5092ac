"""How a decision's candidates are asked: loopers and selectors, with upstream's keys (`algorithm`)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from daemon.recipes.values import Count, Name, OpaqueTable, Part, Positive, Share, Text

OnError = Literal["skip", "fail"]


class HybridWeights(Part, frozen=True, kw_only=True):
    """Of the confidence looper's `hybrid` method."""

    logprob_weight: Share
    margin_weight: Share


class Confidence(Part, frozen=True, kw_only=True):
    """One after the other, until one is sure."""

    confidence_method: Literal["avg_logprob", "margin", "hybrid", "self_verify", "automix_entailment"] | None = None
    threshold: Annotated[float, Meta(ge=-1, le=1)] | None = None
    hybrid_weights: HybridWeights | None = None
    escalation_order: Literal["size", "small_to_large", "declared", "cost", "automix"] | None = None
    cost_quality_tradeoff: Share | None = None
    token_filter: Literal["all", "tool_call_args"] | None = None
    verifier_server_url: Text | None = None
    verifier_timeout_seconds: Count | None = None
    on_error: OnError | None = None


class Ratings(Part, frozen=True, kw_only=True):
    """All at once, side by side."""

    max_concurrent: Count | None = None
    on_error: OnError | None = None


class Remom(Part, frozen=True, kw_only=True):
    """Rounds of many, then a synthesis."""

    breadth_schedule: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    model_distribution: Literal["weighted", "equal", "round_robin", "first_only"] | None = None
    temperature: Annotated[float, Meta(ge=0)] | None = None
    include_reasoning: bool | None = None
    compaction_strategy: Literal["full", "last_n_tokens"] | None = None
    compaction_tokens: Count | None = None
    synthesis_template: Text | None = None
    synthesis_model: Name | None = None
    max_concurrent: Count | None = None
    max_completion_tokens: Count | None = None
    round_timeout_seconds: Count | None = None
    min_successful_responses: Count | None = None
    shuffle_seed: int | None = None
    include_intermediate_responses: bool | None = None
    max_responses_per_round: Count | None = None
    on_error: OnError | None = None


class AnalysisOverride(Part, frozen=True, kw_only=True):
    """One panel member's own limits."""

    model: Name
    temperature: Annotated[float, Meta(ge=0)] | None = None
    max_completion_tokens: Count | None = None


class Grounding(Part, frozen=True, kw_only=True):
    """How far panel answers are held to their context."""

    enabled: bool = False
    reference: Literal["hybrid", "context", "panel"] | None = None
    policy: Literal["weight", "annotate", "filter"] | None = None
    min_score: Share | None = None
    min_keep: Count | None = None
    nli_contradiction_penalty: Annotated[float, Meta(ge=0)] | None = None
    on_error: OnError | None = None


class Fusion(Part, frozen=True, kw_only=True):
    """A panel, a judge, one answer."""

    model: Name | None = None
    analysis_models: tuple[Name, ...] = ()
    analysis_overrides: tuple[AnalysisOverride, ...] = ()
    max_concurrent: Count | None = None
    max_completion_tokens: Count | None = None
    round_timeout_seconds: Count | None = None
    min_successful_responses: Count | None = None
    temperature: Annotated[float, Meta(ge=0)] | None = None
    include_analysis: bool | None = None
    include_intermediate_responses: bool | None = None
    analysis_template: Text | None = None
    synthesis_template: Text | None = None
    judge_prompt_version: Text | None = None
    grounding: Grounding | None = None
    on_error: OnError | None = None


class WorkRole(Part, frozen=True, kw_only=True):
    """A role of a static workflow."""

    name: Name
    models: tuple[Name, ...] = ()
    prompt: Text | None = None
    access_list: tuple[Name, ...] = ()


class Planner(Part, frozen=True, kw_only=True):
    """Who makes the plan."""

    model: Name
    max_completion_tokens: Count | None = None


class Final(Part, frozen=True, kw_only=True):
    """Who writes the answer."""

    model: Name | None = None
    prompt: Text | None = None


class Workflows(Part, frozen=True, kw_only=True):
    """Bounded plans of several steps."""

    mode: Literal["static", "dynamic"] | None = None
    template: Text | None = None
    roles: tuple[WorkRole, ...] = ()
    planner: Planner | None = None
    final: Final | None = None
    max_steps: Count | None = None
    max_parallel: Count | None = None
    max_completion_tokens: Count | None = None
    round_timeout_seconds: Count | None = None
    min_successful_responses: Count | None = None
    temperature: Annotated[float, Meta(ge=0)] | None = None
    include_intermediate_responses: bool | None = None
    on_error: OnError | None = None


class RouterDc(Part, frozen=True, kw_only=True):
    """By likeness of the request to models' descriptions."""

    temperature: Positive | None = None
    dimension_size: Count | None = None
    min_similarity: Share | None = None
    use_query_contrastive: bool | None = None
    use_model_contrastive: bool | None = None
    require_descriptions: bool | None = None
    use_capabilities: bool | None = None


class LatencyAware(Part, frozen=True, kw_only=True):
    """By measured speed."""

    tpot_percentile: Annotated[float, Meta(ge=0, le=100)] | None = None
    ttft_percentile: Annotated[float, Meta(ge=0, le=100)] | None = None
    description: Text | None = None


class FactorWeights(Part, frozen=True, kw_only=True):
    """Of the four factors."""

    quality: Annotated[float, Meta(ge=0)] | None = None
    latency: Annotated[float, Meta(ge=0)] | None = None
    cost: Annotated[float, Meta(ge=0)] | None = None
    load: Annotated[float, Meta(ge=0)] | None = None


class ServiceLevel(Part, frozen=True, kw_only=True):
    """What a candidate must not exceed."""

    max_tpot_ms: Positive | None = None
    max_ttft_ms: Positive | None = None
    max_cost_per_1m: Positive | None = None
    max_inflight: Count | None = None


class MultiFactor(Part, frozen=True, kw_only=True):
    """By quality, speed, cost and load together."""

    weights: FactorWeights | None = None
    slo: ServiceLevel | None = None
    latency_percentile: Annotated[float, Meta(ge=0, le=100)] | None = None
    on_no_candidates: Literal["cheapest", "first", "fail"] | None = None


class Hybrid(Part, frozen=True, kw_only=True):
    """A mixture of selectors."""

    experience_weight: Annotated[float, Meta(ge=0)] | None = None
    router_dc_weight: Annotated[float, Meta(ge=0)] | None = None
    automix_weight: Annotated[float, Meta(ge=0)] | None = None
    cost_weight: Annotated[float, Meta(ge=0)] | None = None
    quality_gap_threshold: Share | None = None
    normalize_scores: bool | None = None


class Automix(Part, frozen=True, kw_only=True):
    """By expected worth."""

    verification_threshold: Share | None = None
    max_escalations: Count | None = None
    cost_aware_routing: bool | None = None
    cost_quality_tradeoff: Share | None = None
    discount_factor: Share | None = None
    use_logprob_verification: bool | None = None


class Prompt(Part, frozen=True, kw_only=True):
    """A model is asked which."""

    model: Name
    instructions: Text | None = None
    timeout_seconds: Count | None = None


Kind = Literal[
    "static",
    "confidence",
    "ratings",
    "remom",
    "fusion",
    "workflows",
    "router_dc",
    "latency_aware",
    "multi_factor",
    "hybrid",
    "automix",
    "prompt",
    "knn",
    "kmeans",
    "svm",
    "mlp",
]


class Algorithm(Part, frozen=True, kw_only=True):
    """Which, and the options under its own name."""

    type: Kind
    on_error: Literal["skip", "fail", "fallback"] | None = None
    static: OpaqueTable | None = None
    confidence: Confidence | None = None
    ratings: Ratings | None = None
    remom: Remom | None = None
    fusion: Fusion | None = None
    workflows: Workflows | None = None
    router_dc: RouterDc | None = None
    latency_aware: LatencyAware | None = None
    multi_factor: MultiFactor | None = None
    hybrid: Hybrid | None = None
    automix: Automix | None = None
    prompt: Prompt | None = None
    knn: OpaqueTable | None = None
    kmeans: OpaqueTable | None = None
    svm: OpaqueTable | None = None
    mlp: OpaqueTable | None = None
