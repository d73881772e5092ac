"""Gemini's native API: the shapes of its answers (ai.google.dev/api/generate-content and /api/models, November 2026).

Names on the wire are in camel case, and what is empty, zero or false is left out.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct


class FunctionCall(Struct, frozen=True):
    """id: not all models give one. args: an object, and not its text."""

    name: str = ""
    id: str | None = None
    args: Raw = Raw(b"{}")


class Part(Struct, frozen=True, rename="camel"):
    """thought: its words are a summary of the reasoning. thought_signature: opaque, of the part that it stands in."""

    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: FunctionCall | None = None


class Content(Struct, frozen=True):
    role: str | None = None
    parts: list[Part] | None = None


class Token(Struct, frozen=True, rename="camel"):
    token: str = ""
    log_probability: float | None = None


class TopCandidates(Struct, frozen=True):
    candidates: list[Token] | None = None


class LogprobsResult(Struct, frozen=True, rename="camel"):
    """Both lists are of the same length: one entry for each step."""

    chosen_candidates: list[Token] | None = None
    top_candidates: list[TopCandidates] | None = None


class Candidate(Struct, frozen=True, rename="camel"):
    index: int = 0
    content: Content | None = None
    finish_reason: str | None = None
    logprobs_result: LogprobsResult | None = None


class UsageMetadata(Struct, frozen=True, rename="camel"):
    """prompt_token_count contains the cached ones; candidates_token_count does not contain those of thoughts."""

    prompt_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None
    cached_content_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None


class PromptFeedback(Struct, frozen=True, rename="camel"):
    block_reason: str | None = None


class Answer(Struct, frozen=True, rename="camel"):
    """A whole answer, or one frame of it."""

    candidates: list[Candidate] | None = None
    prompt_feedback: PromptFeedback | None = None
    usage_metadata: UsageMetadata | None = None
    error: Any = None


class Model(Struct, frozen=True, rename="camel"):
    """name: with `models/` in front."""

    name: str
    supported_generation_methods: list[str] | None = None


class Models(Struct, frozen=True, rename="camel"):
    """A page of the list."""

    models: list[Model] | None = None
    next_page_token: str | None = None
