"""What a provider's refusal means: statuses, codes, numbers, and never its words."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from providers.contract import (
    BadAnswer,
    ContextTooLong,
    KeyRejected,
    NoCredit,
    Overloaded,
    ProviderError,
    RateLimited,
    Unreachable,
    Unsupported,
)
from providers.refusals import AWHILE_S, complaint, refusal

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
CANARY = "my secret diary"


def refused(status: int, error: Any = None, headers: dict[str, str] | None = None) -> ProviderError:
    body = json.dumps({"error": error or {"message": CANARY, "code": "some_code"}}).encode()
    return refusal("work", status, headers or {}, body, NOW)


def googles(*details: dict[str, Any], code: int = 429, status: str = "RESOURCE_EXHAUSTED") -> dict[str, Any]:
    return {"code": code, "message": CANARY, "status": status, "details": list(details)}


RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36.5s"}


def quota(id: str, value: str = "10") -> dict[str, Any]:
    violation = {"quotaMetric": "generate_content_free_tier_requests", "quotaId": id, "quotaValue": value}
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


@pytest.mark.parametrize(
    ("details", "retry_s"),
    [
        ((), AWHILE_S),
        ((RETRY,), 36.5),
        ((quota("GenerateRequestsPerMinutePerProjectPerModel"), RETRY), 36.5),
        ((quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), RETRY), 3600.0),
        (({"retryDelay": "soon"}, {"violations": ["odd"]}, {"retryDelay": 3}), AWHILE_S),
    ],
)
def test_when_google_wants_to_be_asked_again(details: tuple[dict[str, Any], ...], retry_s: float) -> None:
    """As its details say; a day's quota isn't there again after a minute; a header counts before them."""
    for listed in (False, True):
        whole: Any = {"error": googles(*details)}
        body = json.dumps([whole] if listed else whole).encode()
        found = refusal("work", 429, {}, body, NOW)
        assert isinstance(found, RateLimited) and found.retry_after_s == retry_s
        assert "RESOURCE_EXHAUSTED" in str(found) and CANARY not in str(found)
        told = refusal("work", 429, {"retry-after": "7"}, body, NOW)
        assert isinstance(told, RateLimited) and told.retry_after_s == 7


def test_a_plan_without_any_quota_is_no_matter_of_waiting() -> None:
    """A limit of 0 is what an account is not let have."""
    assert type(refused(429, googles(quota("GenerateRequestsPerDay-FreeTier", "0"), RETRY))) is NoCredit


def test_googles_bad_key_comes_as_a_bad_request() -> None:
    """It is the key all the same, and a bad request without such a reason is none."""
    invalid = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    assert type(refused(400, googles(invalid, code=400, status="INVALID_ARGUMENT"))) is KeyRejected
    assert type(refused(400, googles(code=400, status="INVALID_ARGUMENT"))) is Unsupported


def test_errors_that_are_a_text() -> None:
    """Ollama's are, and another Nearloop's have a code beside it."""
    told = str(ContextTooLong(5000, 4096))
    body = json.dumps({"error": told, "code": "context_length_exceeded"}).encode()
    found = refusal("near", 400, {}, body, NOW)
    assert isinstance(found, ContextTooLong) and (found.prompt_tokens, found.context_tokens) == (5000, 4096)
    plain = refusal("near", 404, {}, json.dumps({"error": f"model '{CANARY}' not found"}).encode(), NOW)
    assert type(plain) is Unsupported and CANARY not in str(plain)


def test_azures_filter() -> None:
    """A prompt that it refuses is told as such, by the field that it stands in."""
    error = {
        "message": CANARY,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": True}}},
    }
    found = refused(400, error)
    assert isinstance(found, Unsupported) and found.parameter == "messages"
    assert "filter of contents" in str(found) and CANARY not in str(found)


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (400, Unsupported, "refused the request"),
        (401, KeyRejected, "nearloop key set work"),
        (402, NoCredit, "billing page"),
        (403, KeyRejected, "rights"),
        (404, Unsupported, "no such model or address"),
        (405, Unsupported, "base_url"),
        (408, Unreachable, "ask again"),
        (409, Unreachable, "ask again"),
        (413, Unsupported, "shorten"),
        (418, Unsupported, "refused the request"),
        (422, Unsupported, "refused the request"),
        (429, RateLimited, "fewer requests"),
        (500, Unreachable, "ask again"),
        (502, Unreachable, "ask again"),
        (503, Overloaded, "no room"),
        (504, Unreachable, "ask again"),
        (529, Overloaded, "no room"),
        (199, BadAnswer, "check base_url"),
        (204, BadAnswer, "check base_url"),
    ],
)
def test_each_status_has_its_error(status: int, kind: type[ProviderError], words: str) -> None:
    """A status becomes one of our errors, with its code and what to do, and without the provider's message."""
    error = refused(status)

    assert type(error) is kind
    assert words in str(error)
    assert "work" in str(error) and f"(HTTP {status}, some_code)" in str(error)
    assert CANARY not in str(error)


@pytest.mark.parametrize(
    ("error", "numbers"),
    [
        ({"code": "context_length_exceeded", "message": "This model's maximum context length is 4097 tokens. However, your messages resulted in 5123 tokens. Please reduce"}, (5123, 4097)),
        ({"code": 400, "type": "BadRequestError", "message": "This model's maximum context length is 2048 tokens. However, you requested 3000 tokens (2000 in the messages, 1000 in the completion)."}, (3000, 2048)),
        ({"type": "exceed_context_size_error", "message": "the request exceeds the available context size", "n_prompt_tokens": 9000, "n_ctx": 8192}, (9000, 8192)),
        ({"message": "This endpoint's maximum context length is 131072 tokens. However, you requested about 200001 tokens (…)."}, (200001, 131072)),
        ({"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}, (210000, 200000)),
        ({"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}, (1200000, 1048576)),
        ({"message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"}, (40000, 32768)),
    ],
)  # fmt: skip
def test_a_window_that_is_too_small_is_told_in_numbers(error: dict[str, Any], numbers: tuple[int, int]) -> None:
    """The wordings of OpenAI, vLLM, llama-server, OpenRouter, Anthropic and Mistral give both numbers."""
    found = refused(400, error)

    assert isinstance(found, ContextTooLong)
    assert (found.prompt_tokens, found.context_tokens) == numbers


def test_a_window_without_numbers() -> None:
    """If the numbers can't be read, it is still told what doesn't fit."""
    error = refused(400, {"code": "context_length_exceeded", "message": f"too much: {CANARY}"})

    assert type(error) is Unsupported
    assert "window" in str(error) and CANARY not in str(error)


def test_the_field_at_fault_is_named_neutrally() -> None:
    """A parameter that they name comes in neutral names; one that is no name is left out."""
    named = refused(400, {"message": CANARY, "param": "response_format.schema", "code": None})
    odd = refused(400, {"message": CANARY, "param": CANARY, "code": CANARY})

    assert isinstance(named, Unsupported) and named.parameter == "schema"
    assert isinstance(odd, Unsupported) and odd.parameter == ""
    assert CANARY not in str(named) + str(odd)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (429, {"code": "insufficient_quota", "message": "x"}),
        (429, {"type": "insufficient_quota", "code": None, "message": "x"}),
        (402, {"message": "x"}),
        (403, {"type": "billing_error", "message": "x"}),
        (400, {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."}),
    ],
)
def test_an_empty_account_is_no_rate_limit(status: int, error: dict[str, Any]) -> None:
    """What money alone mends is not to be repeated."""
    assert type(refused(status, error)) is NoCredit


def test_errors_carry_when_to_come_back() -> None:
    """What is full or limited says when to come back, also if the provider does not."""
    told, untold = refused(429, headers={"retry-after": "7"}), refused(503)
    broken = refused(500, headers={"retry-after": "3"})

    assert isinstance(told, RateLimited) and told.retry_after_s == 7.0
    assert isinstance(untold, Overloaded) and untold.retry_after_s == AWHILE_S
    assert isinstance(broken, Unreachable) and broken.retry_after_s == 3.0


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>my secret diary</html>", b"[]", b"3", b'"x"', b'{"error": "my secret diary"}', b"\xff", b"[" * 100_000,
     b'[{"error": {"code": 400, "message": "my secret diary", "status": "INVALID_ARGUMENT"}}]', b'{"detail": "my secret diary"}',
     b'{"error": {"code": {"a": 1}, "message": ["my secret diary"], "param": 7}}'],
)  # fmt: skip
def test_any_body_is_survived(body: bytes) -> None:
    """A refusal is understood by its status alone, whatever its body is."""
    error = refusal("work", 400, {}, body, NOW)

    assert type(error) is Unsupported
    assert CANARY not in str(error)


@pytest.mark.parametrize("error", [None, 3, [], "words", {"code": "a b"}, {"code": "x" * 49}, {"type": "sk-ünïcode"}])
def test_only_short_identifiers_are_told(error: object) -> None:
    """What isn't a short identifier isn't a code."""
    assert complaint(error).code is None
