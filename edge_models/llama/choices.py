"""How a request chooses its tokens, from what the client asked for and what the model's makers recommend."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

from edge_models.catalog import KnownModel
from edge_models.engines.base import MAX_TOP, Sampling
from edge_models.sampling import Choosing

_TEMPERATURE: Final = 0.8  # both where neither file nor catalogue recommend any: llama.cpp's own, common/common.h
_TOP_P: Final = 0.95


def choosing(sampling: Sampling, entry: KnownModel | None, field: Callable[[str, float], float]) -> Choosing | None:
    """None if a value is out of range. field: a number of the model's file, or else the one that is given."""
    temperature, top_p = sampling.temperature, sampling.top_p
    if temperature is None:
        temperature = entry.temperature if entry else field("general.sampling.temp", _TEMPERATURE)
    if top_p is None:
        top_p = entry.top_p if entry else field("general.sampling.top_p", _TOP_P)
    in_range = (
        (sampling.max_tokens is None or sampling.max_tokens >= 1)
        and 0 <= temperature < inf
        and 0 <= top_p <= 1
        and -2 <= sampling.presence_penalty <= 2
        and -2 <= sampling.frequency_penalty <= 2
        and 0 <= sampling.top_logprobs <= MAX_TOP
    )
    if not in_range:
        return None
    return Choosing(
        temperature=temperature,
        top_p=top_p,
        presence_penalty=sampling.presence_penalty,
        frequency_penalty=sampling.frequency_penalty,
        seed=sampling.seed,
    )
