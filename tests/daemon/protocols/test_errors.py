"""The table from errors to statuses: nothing planned is missing, and nothing unplanned speaks."""

from __future__ import annotations

import inspect

import pytest

from daemon import errors
from daemon.errors import BadRequest, BadSettings, NearloopError, NoCandidate, NoSecondKey, Refused, UnknownModel
from daemon.guard import UnsupportedType
from daemon.protocols.base import Problem
from daemon.protocols.errors import TABLE, problem
from daemon.worker_process import WorkerLost
from providers import contract
from providers.contract import (
    ContextTooLong,
    NoAnswer,
    Overloaded,
    ProviderError,
    RateLimited,
    Unreachable,
    Unsupported,
)


def of_module(module: object) -> list[type[Exception]]:
    return [kind for _, kind in inspect.getmembers(module, inspect.isclass) if issubclass(kind, Exception)]


PLANNED = sorted({*of_module(errors), *of_module(contract)}, key=lambda kind: kind.__name__)


def made(kind: type[Exception]) -> Exception:
    """An error of this kind, whatever it needs."""
    wanted = {"message": "words", "retry_after_s": 2.0, "parameter": "stop", "code": None}
    wanted |= {"limit": "cost_usd", "prompt_tokens": 5, "context_tokens": 4}
    names = [name for name in inspect.signature(kind.__init__).parameters if name in wanted]
    if names:
        return kind(**{name: wanted[name] for name in names})
    return kind() if kind in (NoAnswer, NoSecondKey) else kind("words")


@pytest.mark.parametrize("kind", PLANNED, ids=lambda kind: kind.__name__)
def test_every_planned_error_has_a_status(kind: type[Exception]) -> None:
    """Each error of the daemon and of the providers has an HTTP error status and a code, and keeps its own message."""
    error = made(kind)

    found = problem(error)

    assert 400 <= found.status <= 599
    assert found.code
    assert found.message == str(error)
    assert any(parent in TABLE for parent in kind.__mro__)


def test_codes_tell_statuses_apart() -> None:
    """No code stands for two statuses."""
    codes = [code for _, code in TABLE.values()]

    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (BadRequest("x"), 400, "bad_request"),
        (BadRequest("x", code="own"), 400, "own"),
        (Unsupported("choices", "x"), 400, "unsupported_parameter"),
        (ContextTooLong(5, 4), 400, "context_length_exceeded"),
        (Refused("x"), 403, "refused"),
        (UnknownModel("x"), 404, "model_not_found"),
        (RateLimited("x", 1), 429, "rate_limited"),
        (NoAnswer(), 502, "bad_answer"),
        (NoCandidate("x"), 503, "no_model_ready"),
        (WorkerLost("x", 2), 503, "model_lost"),
        (Overloaded("x", 3), 503, "overloaded"),
        (UnsupportedType("x"), 500, "internal_error"),
        (BadSettings("x"), 500, "internal_error"),
        (NearloopError("x"), 500, "internal_error"),
        (ProviderError("x"), 502, "provider_error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_the_nearest_row_counts(error: Exception, status: int, code: str) -> None:
    """An error without a row of its own has that of its nearest parent; a code of its own goes before."""
    found = problem(error)

    assert (found.status, found.code) == (status, code)


@pytest.mark.parametrize("error", [Unreachable("x", 7), Overloaded("x", 7), NoCandidate("x", 7)])
def test_when_to_come_back_is_passed_on(error: Exception) -> None:
    """The hint of an error that has one reaches the protocol."""
    assert problem(error).retry_after_s == 7


def test_the_field_at_fault_is_passed_on() -> None:
    """An error about a field names it."""
    assert problem(BadRequest("x", "messages[0].role")).parameter == "messages[0].role"
    assert problem(Unsupported("choices", "x")).parameter == "choices"
    assert problem(Refused("x")).parameter is None


class Chatty(Exception):
    """An error from elsewhere, with attributes that look like ours."""

    code, parameter, retry_after_s = "canary", "canary", 1.0


@pytest.mark.parametrize("error", [ValueError("canary"), KeyError("canary"), Chatty("canary"), OSError(2, "canary")])
def test_an_unplanned_error_does_not_speak(error: Exception) -> None:
    """Nothing of an error that nobody planned reaches the client: its words could be the user's."""
    found = problem(error)

    assert isinstance(found, Problem)
    assert (found.status, found.code) == (500, "internal_error")
    assert "canary" not in repr(found)
    assert "nearloop doctor" in found.message
