"""What a provider's status and error body mean, in our errors and words.

Its message is not passed on, since it can quote the prompt. Numbers of tokens and short identifiers are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from providers.contract import (
    BadAnswer,
    ContextTooLong,
    Intercepted,
    KeyRejected,
    NoCredit,
    Overloaded,
    ProviderError,
    RateLimited,
    Unreachable,
    Unsupported,
)
from providers.retry_after import LONGEST_WAIT_S, retry_after_s

AWHILE_S: Final = 2.0
"""When to come back to somebody who is full and doesn't say when."""
DAILY_S: Final = 3600.0
"""When to look again whether a day's quota is there again, whose makers say how long a minute's takes."""


class Complaint(Struct, frozen=True):
    """What of a provider's error can be told or acted on; its message is not kept, since it can quote the user.

    retry_s: when to come back, where the body says so. bad_key: the key is refused, whatever the status. filtered: the
    prompt is, by a filter of contents.
    """

    code: str | None = None
    parameter: str | None = None
    prompt_tokens: int | None = None
    context_tokens: int | None = None
    too_long: bool = False
    no_credit: bool = False
    retry_s: float | None = None
    bad_key: bool = False
    filtered: bool = False

    @property
    def aside(self) -> str:
        """For a message: `, code`."""
        return f", {self.code}" if self.code else ""


_IDENTIFIER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,47}")
_MONEY: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
_TOO_LONG: Final = re.compile(
    r"context[ _]?(length|window|size)|too long|too many (input )?tokens|prompt contains \d+ tokens"
    r"|input token count",
    re.IGNORECASE,
)
_SECONDS: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")
_BAD_KEY: Final = frozenset({"API_KEY_INVALID", "API_KEY_EXPIRED"})
"""Google says so with a 400."""
_NO_CREDIT: Final = re.compile(r"credit balance is too low", re.IGNORECASE)
"""Anthropic says so with a 400 and no code of its own."""
_WINDOW: Final = (
    re.compile(r"maximum context length (?:is|of) (?:only )?(\d+)", re.IGNORECASE),
    re.compile(r"context (?:size|window|length)[^\d]{0,40}(\d+)", re.IGNORECASE),
    re.compile(r"(\d+) maximum context length", re.IGNORECASE),
    re.compile(r"window holds (\d+) tokens", re.IGNORECASE),
    re.compile(r"> ?(\d+) maximum", re.IGNORECASE),
    re.compile(r"maximum number of tokens allowed \(?(\d+)", re.IGNORECASE),
)
_PROMPT: Final = (
    re.compile(r"resulted in (\d+) tokens", re.IGNORECASE),
    re.compile(r"requested (?:about )?(\d+) (?:input )?tokens", re.IGNORECASE),
    re.compile(r"prompt contains (?:at least )?(\d+)", re.IGNORECASE),
    re.compile(r"(\d+) tokens >", re.IGNORECASE),
    re.compile(r"input token count \(?(\d+)", re.IGNORECASE),
    re.compile(r"the prompt has (\d+)", re.IGNORECASE),
    re.compile(r"(?:prompt|request|input)[^\d]{0,30}\((\d+) tokens\)", re.IGNORECASE),
)


def complaint(error: object) -> Complaint:
    """Read the `error` of a provider's body or frame, of whatever shape."""
    if isinstance(error, str):
        error = {"message": error}
    if not isinstance(error, dict):
        return Complaint()
    message = error.get("message")
    text = message[:4000] if isinstance(message, str) else ""
    told = (error.get("code"), error.get("type"), *_googles(error.get("status")))
    codes = [code for each in told if (code := _identifier(each)) is not None]
    details = _details(error.get("details"))
    too_long = any(_TOO_LONG.search(code.replace("_", " ")) for code in codes) or "exceed_context_size_error" in codes
    return Complaint(
        code=codes[0] if codes else None,
        parameter=_identifier(error.get("param")),
        prompt_tokens=_number(error.get("n_prompt_tokens"), _PROMPT, text),
        context_tokens=_number(error.get("n_ctx"), _WINDOW, text),
        too_long=too_long or bool(_TOO_LONG.search(text)),
        no_credit=not _MONEY.isdisjoint(codes) or bool(_NO_CREDIT.search(text)) or details.no_credit,
        retry_s=details.retry_s,
        bad_key=details.bad_key,
        filtered="content_filter" in codes,
    )


def _googles(status: object) -> tuple[object, ...]:
    """Google's name of an error, such as RESOURCE_EXHAUSTED."""
    return (status,) if isinstance(status, str) and status.isupper() else ()


def _details(details: object) -> Complaint:
    """What Google tells beside an error (google.rpc.RetryInfo, QuotaFailure, ErrorInfo)."""
    waits: list[float] = []
    no_credit = bad_key = False
    for detail in details if isinstance(details, list) else ():
        match detail:
            case {"retryDelay": str(delay)} if found := _SECONDS.fullmatch(delay):
                waits.append(min(float(found[1]), LONGEST_WAIT_S))
            case {"violations": list(violations)}:
                for each in (each for each in violations if isinstance(each, dict)):
                    no_credit = no_credit or each.get("quotaValue") == "0"  # this key's plan has nothing of it
                    if "PerDay" in str(each.get("quotaId")):
                        waits.append(DAILY_S)
            case {"reason": str(reason)}:
                bad_key = bad_key or reason in _BAD_KEY
    return Complaint(retry_s=max(waits, default=None), no_credit=no_credit, bad_key=bad_key)


def _identifier(value: object) -> str | None:
    return value if isinstance(value, str) and _IDENTIFIER.fullmatch(value) else None


def _number(told: object, patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    if isinstance(told, int):
        return told
    return next((int(found[1][:12]) for pattern in patterns if (found := pattern.search(text))), None)


def _error_in(body: bytes) -> Complaint:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Complaint()
    if isinstance(value, list) and value:  # Gemini's door for OpenAI clients
        value = value[0]
    if not isinstance(value, dict):
        return Complaint()
    error = value.get("error") or value
    if isinstance(error, str):  # Ollama's; another Nearloop writes its code beside it
        error = {"message": error, "code": value.get("code")}
    return complaint(error)


_NEUTRAL: Final = {"n": "choices", "response_format": "schema", "max_completion_tokens": "max_tokens"}


def refusal(name: str, status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> ProviderError:
    """What a status other than 200 means, in our errors and words."""
    if status == 511:
        return intercepted(name)
    why = _error_in(body)
    told_s = retry_after_s(headers, now, limited=status == 429)
    problem = refused(name, status, why, why.retry_s if told_s is None else told_s)
    if (again := _AGAIN.get(headers.get("x-should-retry", "").strip().lower())) is not None:
        problem.again = again
    return problem


_AGAIN: Final = {"true": True, "false": False}


def intercepted(name: str) -> Intercepted:
    """For an answer that can't be the provider's."""
    return Intercepted(
        f"somebody else answers in the place of {name}: if this network wants you to sign in, open a page in a browser and "
        "do so; else check base_url"
    )


def refused(name: str, status: int, why: Complaint, retry_s: float | None) -> ProviderError:
    """As `refusal`, from parts."""
    told = f"HTTP {status}{why.aside}"
    match status:
        case _ if status == 402 or (400 <= status < 500 and why.no_credit):
            return NoCredit(f"{name} has no credit left ({told}): look at its billing page")
        case _ if status == 401 or (400 <= status < 500 and why.bad_key):
            return KeyRejected(f"{name} rejected its key ({told}): `nearloop key set {name}` stores another")
        case 403:
            return KeyRejected(f"{name} doesn't let this key do that ({told}): look at the key's rights and its region")
        case 400 if why.filtered:
            return Unsupported(
                "messages", f"{name}'s filter of contents refused the prompt ({told}): ask otherwise, or somebody else"
            )
        case 404 | 405:
            return Unsupported(
                "model", f"{name} has no such model or address ({told}): check the model's name and base_url"
            )
        case 413:
            return Unsupported(
                "messages", f"the request is larger than {name} takes ({told}): shorten the conversation"
            )
        case 429:
            return RateLimited(f"{name} wants fewer requests ({told})", _or_awhile(retry_s))
        case 503 | 529:
            return Overloaded(f"{name} has no room now ({told})", _or_awhile(retry_s))
        case _ if status >= 500 or status in (408, 409, 425):
            return Unreachable(f"{name} failed ({told}): ask again, or look at its status page", retry_s)
        case _ if why.too_long and why.prompt_tokens is not None and why.context_tokens is not None:
            return ContextTooLong(why.prompt_tokens, why.context_tokens)
        case _ if why.too_long:
            return Unsupported(
                "messages", f"the prompt doesn't fit the window of {name}'s model ({told}): shorten the conversation"
            )
        case _ if 400 <= status < 500:
            parameter = (why.parameter or "").partition(".")[0]
            about = f" about {parameter}" if parameter else ""
            return Unsupported(_NEUTRAL.get(parameter, parameter), f"{name} refused the request{about} ({told})")
        case _:
            return BadAnswer(f"{name} answered with a status that means nothing here ({told}): check base_url")


def broken(name: str, status: int | None, why: Complaint) -> ProviderError:
    """An error inside an answer. status: what it would have had; None: nobody knows."""
    if status is None and why.too_long:
        status = 400
    if status is not None and 400 <= status < 600:
        return refused(name, status, why, why.retry_s)
    return BadAnswer(f"{name} broke its answer off with an error{f' ({why.code})' if why.code else ''}")


def cut(name: str, begun: bool) -> Unreachable:
    """An answer that didn't end. begun: whether anything of it came."""
    how = "went away in mid-answer" if begun else "closed the connection without an answer"
    return Unreachable(f"{name} {how}: ask again")


def _or_awhile(retry_s: float | None) -> float:
    return AWHILE_S if retry_s is None else retry_s
