"""What a request may ask of a model."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.recipes.plugins import RequestParams
from daemon.routing.plugins.request_params import request_params
from providers.contract import Sampling
from tests.fakes.asking import asking


@pytest.mark.parametrize(
    ("asked", "got", "aside"), [(None, 100, ()), (50, 50, ()), (100, 100, ()), (101, 100, ("max_tokens",))]
)
def test_a_limit_is_a_promise(asked: int | None, got: int, aside: tuple[str, ...]) -> None:
    """It holds for those who ask for more and for those who say nothing; only the first lose something by it."""
    request = replace(asking("hello"), sampling=Sampling(max_tokens=asked))

    changed = request_params(request, RequestParams(max_tokens_limit=100))

    assert (changed.request.sampling.max_tokens, changed.aside) == (got, aside)


def test_blocked() -> None:
    """As if never sent, under any of its names; what wasn't sent isn't said to be gone."""
    request = replace(
        asking("hello"),
        sampling=Sampling(max_tokens=5, temperature=0.1, logprobs=True, top_logprobs=3, choices=4),
        schema={"type": "object"},
        extras={"user": "x", "store": True},
    )
    blocked = ("temperature", "max_completion_tokens", "logprobs", "n", "seed", "response_format", "user")

    changed = request_params(request, RequestParams(blocked_params=blocked))

    assert changed.request.sampling == Sampling()
    assert changed.request.schema is None
    assert changed.request.extras == {"store": True}
    assert set(changed.aside) == {"max_tokens", "temperature", "logprobs", "top_logprobs", "choices", "schema"}


def test_fewer_answers_and_no_unknown_fields() -> None:
    """`max_n` and `strip_unknown`."""
    request = replace(asking("hello"), sampling=Sampling(choices=4), extras={"store": True})

    changed = request_params(request, RequestParams(max_n=2, strip_unknown=True))

    assert (changed.request.sampling.choices, changed.request.extras, changed.aside) == (2, {}, ("choices",))
