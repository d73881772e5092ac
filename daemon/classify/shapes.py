"""Shapes of the classification API, as vLLM Semantic Router's management API has them (v0.3, /api/v1)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from edge_models.heads.manifest import CalibratedBy

Text = Annotated[str, Meta(min_length=1)]


class IntentOptions(Struct, frozen=True):
    return_probabilities: bool = False
    confidence_threshold: float = 0.0
    include_explanation: bool = False


class IntentRequest(Struct, frozen=True):
    text: Text
    options: IntentOptions = IntentOptions()


class Classification(Struct, frozen=True):
    category: str
    confidence: float
    processing_time_ms: int


class IntentResponse(Struct, frozen=True, omit_defaults=True):
    """calibrated_by: ours: whether probabilities were fitted on texts of the text's language or on others'."""

    classification: Classification
    probabilities: dict[str, float] | None = None
    routing_decision: str | None = None
    calibrated_by: CalibratedBy | None = None


class PiiOptions(Struct, frozen=True):
    entity_types: tuple[str, ...] = ()
    confidence_threshold: float = 0.0
    return_positions: bool = False
    mask_entities: bool = False
    reveal_entity_text: bool = False


class PiiRequest(Struct, frozen=True):
    text: Text
    options: PiiOptions = PiiOptions()


class PiiEntity(Struct, frozen=True, omit_defaults=True):
    """start_position, end_position: characters. value: `[DETECTED]` unless the text is asked for."""

    type: str
    value: str
    confidence: float
    start_position: int | None = None
    end_position: int | None = None
    masked_value: str | None = None


class PiiResponse(Struct, frozen=True):
    has_pii: bool
    entities: tuple[PiiEntity, ...]
    security_recommendation: Literal["allow", "block"]
    processing_time_ms: int
    masked_text: str = ""


class SecurityOptions(Struct, frozen=True):
    detection_types: tuple[str, ...] = ()
    sensitivity: str = ""
    include_reasoning: bool = False


class SecurityRequest(Struct, frozen=True):
    text: Text
    options: SecurityOptions = SecurityOptions()


class SecurityResponse(Struct, frozen=True):
    """scores, calibrated_by: ours: each of the three, which upstream has as one, and as in `IntentResponse`."""

    is_jailbreak: bool
    risk_score: float
    detection_types: tuple[str, ...]
    confidence: float
    recommendation: Literal["allow", "block"]
    patterns_detected: tuple[str, ...]
    processing_time_ms: int
    scores: dict[str, float]
    calibrated_by: dict[str, CalibratedBy]
    reasoning: str = ""


class LabelOptions(Struct, frozen=True):
    confidence_threshold: float = 0.0


class LabelRequest(Struct, frozen=True):
    text: Text
    options: LabelOptions = LabelOptions()


class Labelled(Struct, frozen=True, kw_only=True):
    """What answers that name one label have in common."""

    label: str
    confidence: float
    processing_time_ms: int


class FactCheckResponse(Labelled, frozen=True, kw_only=True):
    """validated, calibrated_by: ours: whether it was measured on texts of others; as in `IntentResponse`."""

    needs_fact_check: bool
    validated: bool
    calibrated_by: CalibratedBy


class UserFeedbackResponse(Labelled, frozen=True, kw_only=True):
    """validated: as above."""

    validated: bool
    feedback_type: str
    abstained: bool = False


class CombinedRequest(Struct, frozen=True):
    text: Text
    intent_options: IntentOptions = IntentOptions()
    pii_options: PiiOptions = PiiOptions()
    security_options: SecurityOptions = SecurityOptions()


class CombinedResponse(Struct, frozen=True):
    intent: IntentResponse
    pii: PiiResponse
    security: SecurityResponse
    processing_time_ms: int


class BatchRequest(Struct, frozen=True):
    texts: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=1000)]
    task_type: Literal["", "intent", "pii", "security", "all"] = "intent"
    options: IntentOptions = IntentOptions()


class BatchResult(Classification, frozen=True, omit_defaults=True):
    probabilities: dict[str, float] | None = None


class BatchStatistics(Struct, frozen=True):
    category_distribution: dict[str, int]
    avg_confidence: float
    low_confidence_count: int


class BatchResponse(Struct, frozen=True):
    results: tuple[BatchResult, ...]
    total_count: int
    processing_time_ms: int
    statistics: BatchStatistics


class EmbeddingRequest(Struct, frozen=True):
    texts: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=1000)]
    model: str = "auto"
    dimension: int = 0
    images: tuple[str, ...] = ()


class EmbeddingResult(Struct, frozen=True):
    text: str
    embedding: list[float]
    dimension: int
    model_used: str
    processing_time_ms: int


class EmbeddingResponse(Struct, frozen=True):
    embeddings: tuple[EmbeddingResult, ...]
    total_count: int
    total_processing_time_ms: int
    avg_processing_time_ms: float


class SimilarityRequest(Struct, frozen=True):
    text1: Text
    text2: Text
    model: str = "auto"
    dimension: int = 0


class SimilarityResponse(Struct, frozen=True):
    model_used: str
    similarity: float
    processing_time_ms: float


class SimilarityBatchRequest(Struct, frozen=True):
    query: Text
    candidates: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=1000)]
    top_k: Annotated[int, Meta(ge=0)] = 0
    model: str = "auto"
    dimension: int = 0


class SimilarityMatch(Struct, frozen=True):
    index: int
    similarity: float
    text: str


class SimilarityBatchResponse(Struct, frozen=True):
    matches: tuple[SimilarityMatch, ...]
    total_candidates: int
    model_used: str
    processing_time_ms: float


class NliRequest(Struct, frozen=True):
    premise: Text
    hypothesis: Text


class NliResponse(Labelled, frozen=True, kw_only=True):
    entailment_prob: float
    neutral_prob: float
    contradiction_prob: float
