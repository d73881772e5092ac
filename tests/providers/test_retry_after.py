"""When to come back, from headers as providers send them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest

from providers.retry_after import retry_after_s, used_up_s

NOW: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "9"}, 9.0),
        ({"retry-after": " 0.25 "}, 0.25),
        ({"retry-after": "Fri, 02 Jan 2026 03:04:35 GMT"}, 30.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:00:00 GMT"}, 0.0),
        ({"retry-after": "999999999"}, 86_400.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
        ({}, None),
    ],
)
def test_when_to_come_back(headers: dict[str, str], seconds: float | None) -> None:
    """Milliseconds come before seconds, a date is measured from now, nonsense is nothing, and a day is the most."""
    assert retry_after_s(headers, NOW) == seconds
    assert retry_after_s(headers, NOW, limited=True) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m6.5s"}, 66.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, 0.12),
        (
            {
                "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20s",
                "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "1h",
            },
            20.0,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": "2026-01-02T03:04:15Z",
                "anthropic-ratelimit-input-tokens-remaining": "0", "anthropic-ratelimit-input-tokens-reset": "2026-01-02T03:04:25Z",
            },
            20.0,
        ),
        ({"X-RateLimit-Remaining": "0", "x-ratelimit-reset": "1767323085000"}, 40.0),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "1767323085"}, 40.0),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "9"}, 9.0),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "1"}, 1.0),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "2026-01-01T00:00:00Z"}, 0.0),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "soon"}, None),
        ({"ratelimit-remaining": "0"}, None),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "9", "retry-after": "3"}, 3.0),
    ],
)  # fmt: skip
def test_limits_that_say_when_they_are_free(headers: dict[str, str], seconds: float | None) -> None:
    """Of those that are used up, the last one counts, in the forms of OpenAI, Anthropic and others; a plain word goes before."""
    assert retry_after_s(headers, NOW, limited=True) == (pytest.approx(seconds) if seconds is not None else None)


def test_what_is_left_of_a_limit_says_nothing_of_other_failures() -> None:
    """A server that broke down is not back when a limit is."""
    assert retry_after_s({"ratelimit-remaining": "0", "ratelimit-reset": "9"}, NOW) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "40s"}, 40.0),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-limit-requests": "60",
                "x-ratelimit-reset-requests": "1m0s",
            },
            1.0,
        ),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-limit": "60", "x-ratelimit-reset": "60"}, 60.0),
        ({"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "40s"}, None),
        ({"x-ratelimit-remaining-requests": "0"}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "40s"}, None),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2001-01-01T00:00:00Z",
            },
            0,
        ),
        ({}, None),
    ],
)
def test_a_limit_that_an_answer_used_up(headers: dict[str, str], seconds: float | None) -> None:
    """No call is left until then; where limits fill up steadily, until the first one is back."""
    assert used_up_s(headers) == seconds
