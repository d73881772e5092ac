"""`request_params`: what a request may ask of a model."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from daemon.recipes.plugins import RequestParams
from daemon.routing.plugins.base import Changed
from providers.contract import Request, Sampling

_UNSAID: Final = Sampling()
_SAMPLING: Final = {
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "stop": "stop",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
    "n": "choices",
}
"""A parameter, as recipes call it, to the field of Sampling."""


def request_params(request: Request, options: RequestParams) -> Changed:
    """Blocked ones are as if never sent. A limit holds for those who name none too: it is the recipe's promise."""
    aside: list[str] = []
    sampling = request.sampling
    blocked = {_SAMPLING[name] for name in options.blocked_params if name in _SAMPLING}
    if "logprobs" in blocked:
        blocked.add("top_logprobs")
    gone = {field: getattr(_UNSAID, field) for field in blocked if getattr(sampling, field) != getattr(_UNSAID, field)}
    sampling = replace(sampling, **gone)
    aside += sorted(gone)
    if options.max_tokens_limit is not None and (sampling.max_tokens or options.max_tokens_limit + 1) > (
        options.max_tokens_limit
    ):
        aside += ["max_tokens"] if sampling.max_tokens is not None else []
        sampling = replace(sampling, max_tokens=options.max_tokens_limit)
    if options.max_n is not None and sampling.choices > options.max_n:
        aside.append("choices")
        sampling = replace(sampling, choices=max(options.max_n, 1))
    changed: dict[str, Any] = {"sampling": sampling}
    if "response_format" in options.blocked_params and request.schema is not None:
        changed["schema"] = None
        aside.append("schema")
    if "tools" in options.blocked_params and request.tools:
        changed |= {"tools": (), "tool_choice": "auto"}
        aside.append("tools")
    changed["extras"] = {
        name: value
        for name, value in request.extras.items()
        if not options.strip_unknown and name not in options.blocked_params
    }
    return Changed(replace(request, **changed), tuple(dict.fromkeys(aside)))
