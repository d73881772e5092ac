"""From an error to a status and a code: the one table."""

from __future__ import annotations

from typing import Final

from daemon.errors import (
    BadRequest,
    BudgetSpent,
    Busy,
    ChangedMeanwhile,
    DailyLimit,
    DoesNotFit,
    ModelMissing,
    NearloopError,
    NoCandidate,
    NoSecondKey,
    NotBuilt,
    NotFound,
    Private,
    Refused,
    SpendingLimit,
    StoreError,
    TooLarge,
    TooManyTries,
    Unauthorised,
    UnknownModel,
    VersionNeeded,
)
from daemon.protocols.base import Problem
from daemon.recipes.problems import BadRecipe
from daemon.secrets import KeyringFailed, NoKey
from providers.contract import (
    BadAnswer,
    ContextTooLong,
    KeyRejected,
    NoCredit,
    NotCleared,
    NotWitnessed,
    Overloaded,
    ProviderError,
    RateLimited,
    Unreachable,
    Unsupported,
)

TABLE: Final[dict[type[Exception], tuple[int, str]]] = {
    BadRequest: (400, "bad_request"),
    BadRecipe: (400, "bad_recipe"),
    Unsupported: (400, "unsupported_parameter"),
    ContextTooLong: (400, "context_length_exceeded"),
    NoKey: (400, "no_key"),
    Unauthorised: (401, "invalid_api_key"),
    Refused: (403, "refused"),
    NoSecondKey: (403, "no_second_key"),
    Private: (403, "private"),
    NotCleared: (403, "not_cleared"),
    NotFound: (404, "not_found"),
    UnknownModel: (404, "model_not_found"),
    TooLarge: (413, "body_too_large"),
    RateLimited: (429, "rate_limited"),
    TooManyTries: (429, "too_many_tries"),
    SpendingLimit: (429, "spending_limit"),
    DailyLimit: (429, "daily_limit"),
    StoreError: (500, "record_store"),
    NearloopError: (500, "internal_error"),
    BadAnswer: (502, "bad_answer"),
    KeyRejected: (502, "provider_key_rejected"),
    NoCredit: (402, "insufficient_quota"),
    ProviderError: (502, "provider_error"),
    NotWitnessed: (507, "no_receipt"),
    BudgetSpent: (503, "budget_spent"),
    NotBuilt: (501, "not_implemented"),
    ModelMissing: (503, "signal_model_missing"),
    Busy: (409, "busy"),
    ChangedMeanwhile: (412, "changed_meanwhile"),
    VersionNeeded: (428, "version_needed"),
    KeyringFailed: (503, "keyring"),
    DoesNotFit: (503, "does_not_fit"),
    NoCandidate: (503, "no_model_ready"),
    Unreachable: (503, "model_lost"),
    Overloaded: (503, "overloaded"),
}


def problem(error: Exception) -> Problem:
    """What to tell the client. An error that nobody planned becomes a 500 without its words, which could be the user's."""
    for kind in type(error).__mro__:
        if found := TABLE.get(kind):
            status, code = found
            return Problem(
                status=status,
                code=getattr(error, "code", None) or code,
                message=str(error),
                parameter=getattr(error, "parameter", None),
                retry_after_s=getattr(error, "retry_after_s", None),
            )
    return Problem(
        500, "internal_error", "Nearloop failed at this request. `nearloop doctor` and the daemon's log say more."
    )
