"""What the daemon itself can refuse. Messages say what happened and what to do, and never hold the user's words."""

from __future__ import annotations

from typing import Literal


class NearloopError(Exception):
    """Base of all of them."""


class BadRequest(NearloopError):
    """The client's request can't be understood or honoured. parameter: the field at fault, in the client's names."""

    def __init__(self, message: str, parameter: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter
        self.code = code


class TooLarge(NearloopError):
    """The body is over the limit."""


class Unauthorised(NearloopError):
    """The token isn't one of ours, or no longer."""


class Refused(NearloopError):
    """The caller may not do this."""


class NotPainted(Refused):
    """A picture can't leave: what has to be masked in it could not be painted over. code: `still-readable` if it was, and
    could be read all the same; `not-painted` if nobody could.
    """

    def __init__(self, code: Literal["still-readable", "not-painted"], message: str) -> None:
        super().__init__(message)
        self.code = code


class TooManyTries(NearloopError):
    """Tokens were guessed. retry_after_s: when the next one is looked at."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(
            "too many wrong tokens came from this address: wait, and check the token that your program has"
        )
        self.retry_after_s = retry_after_s


class NotFound(NearloopError):
    """There is no such thing."""


class UnknownModel(NotFound):
    """No model has this name."""


class NoCandidate(NearloopError):
    """Nothing that may answer is here. retry_after_s: when that may change, None if only the user can change it."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class NoSecondKey(Refused):
    """An answer calls a tool that may do harm, no second answer called the same, and the user wants it held then."""

    def __init__(self) -> None:
        super().__init__(
            "the answer calls a tool that may do harm, and no second answer agreed with that: ask again, set up another "
            'model, or let such calls pass by `without_second_key = "pass"` under [tools] in settings.toml'
        )


class Private(NoCandidate):
    """The request has to stay on this machine, and who was asked for is not on it. Others may be.

    The message names classes, counts and fields, and never a value.
    """


class BudgetSpent(NearloopError):
    """What the calls of one request may take together is taken. limit: a key of [budget]."""

    def __init__(self, limit: str) -> None:
        super().__init__(
            f"the budget of one request is spent ({limit}) before there was an answer: raise `{limit}` under [budget] in "
            "settings.toml, or ask for less"
        )
        self.limit = limit


class DailyLimit(BudgetSpent):
    """What one client may take a day is taken. limit: as it stands in records. retry_after_s: until the next day begins."""

    def __init__(self, limit: str, message: str, retry_after_s: float) -> None:
        NearloopError.__init__(self, message)
        self.limit = limit
        self.retry_after_s = retry_after_s


class SpendingLimit(DailyLimit):
    """What may be spent in clouds a day or a month is spent. retry_after_s: until the next one begins."""


class DoesNotFit(NoCandidate):
    """The model needs more memory than can be made free."""


class ModelMissing(NoCandidate):
    """A small model that a signal needs is not here, or could not read the text."""


class NotBuilt(NearloopError):
    """This version doesn't have it."""


class Busy(NearloopError):
    """It is in use: not now."""


class ChangedMeanwhile(NearloopError):
    """What was to be changed is not what was read any more."""


class VersionNeeded(NearloopError):
    """A change has to name the version that it is of."""


class BadSettings(NearloopError):
    """settings.toml can't be used."""


class StoreError(NearloopError):
    """The records can't be opened or written."""
