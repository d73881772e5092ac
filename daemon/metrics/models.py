"""Models as upstream counts them: calls, tokens, money and times, each of one call of one model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daemon.metrics.base import SECONDS, Counts, Family, Metric, Names, Now, Sample
from daemon.wire import Record

_MODEL: Final = ("model",)
REQUESTS: Final = Metric(
    "llm_model_requests_total", "counter", "Calls of each model, drafts and loopers' among them.", _MODEL
)
TOKENS: Final = Metric("llm_model_tokens_total", "counter", "Tokens read and written by each model.", _MODEL)
PROMPT: Final = Metric("llm_model_prompt_tokens_total", "counter", "Tokens read by each model.", _MODEL)
COMPLETION: Final = Metric("llm_model_completion_tokens_total", "counter", "Tokens written by each model.", _MODEL)
COST: Final = Metric(
    "llm_model_cost_total", "counter", "Money for each model's calls whose price is known.", ("model", "currency")
)
LATENCY: Final = Metric(
    "llm_model_completion_latency_seconds", "histogram", "From a call to the end of its answer.", _MODEL, SECONDS
)
TTFT: Final = Metric("llm_model_ttft_seconds", "histogram", "From a call to its first token.", _MODEL, SECONDS)
TPOT: Final = Metric(
    "llm_model_tpot_seconds", "histogram", "Time of an answer for each of its tokens.", _MODEL, SECONDS
)
IN_FLIGHT: Final = Metric(
    "llm_model_inflight_requests", "gauge", "Requests whose first candidate a model is, and that are not ended.", _MODEL
)


def _of_record(record: Record, counts: Counts, names: Names) -> None:
    for attempt in record.attempts:
        model = names.model(f"{attempt.provider}/{attempt.model}", record)
        counts.add(REQUESTS, model)
        if tokens := attempt.prompt_tokens + attempt.completion_tokens:
            counts.add(TOKENS, model, by=tokens)
            counts.add(PROMPT, model, by=attempt.prompt_tokens)
            counts.add(COMPLETION, model, by=attempt.completion_tokens)
        if attempt.cost_usd:
            counts.add(COST, model, "USD", by=attempt.cost_usd)
        if attempt.first_token_ms is not None:
            counts.observe(TTFT, attempt.first_token_ms / 1000, model)
        if attempt.outcome == "answered":
            counts.observe(LATENCY, attempt.took_ms / 1000, model)
            if attempt.completion_tokens:
                counts.observe(TPOT, attempt.took_ms / 1000 / attempt.completion_tokens, model)


def _now(now: Now, names: Names) -> Iterable[Sample]:
    busy: dict[str, int] = {}
    for name, count in now.busy.items():
        model = names.model(name)
        busy[model] = busy.get(model, 0) + count
    return [(IN_FLIGHT, (model,), count) for model, count in busy.items()]


FAMILY: Final = Family(
    (REQUESTS, TOKENS, PROMPT, COMPLETION, COST, LATENCY, TTFT, TPOT, IN_FLIGHT), of_record=_of_record, now=_now
)
