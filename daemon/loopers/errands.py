"""The request that an errand makes of the client's: its conversation with our words behind it.

What stood in the conversation stands at the same place in the errand's, so that what the boundary found in the one is found
in the other, and pictures and files are kept. Our words go into the last turn if it is the user's, since many chat templates
refuse two of them in a row.
"""

from __future__ import annotations

from msgspec.structs import replace

from daemon.loopers.base import Errand
from providers.contract import Message, Request, Sampling, Text


def request_for(request: Request, errand: Errand) -> Request:
    """As the candidate is asked."""
    sampling = _sampling(request.sampling, errand)
    without_tools = not errand.tools and bool(request.tools)
    return replace(
        request,
        messages=_behind(request.messages, errand.words) if errand.words else request.messages,
        sampling=sampling,
        tools=request.tools if errand.tools else (),
        tool_choice="auto" if without_tools else request.tool_choice,
        schema=errand.schema if errand.own else request.schema,
        extras={} if errand.own else request.extras,
    )


def only_added(request: Request, errand: Errand) -> Request:
    """The errand's words at their place, with everything else that was looked at already blanked."""
    blank = tuple(Message(each.role, tuple(Text("") for _ in each.parts)) for each in request.messages)
    return replace(
        request,
        model="",
        messages=_behind(blank, errand.words),
        tools=(),
        schema=errand.schema,
        extras={},
        sampling=Sampling(),
    )


def _behind(messages: tuple[Message, ...], words: str) -> tuple[Message, ...]:
    if messages and messages[-1].role == "user":
        last = messages[-1]
        return (*messages[:-1], Message("user", (*last.parts, Text(f"\n\n{words}"))))
    return (*messages, Message("user", (Text(words),)))


def _sampling(wanted: Sampling, errand: Errand) -> Sampling:
    if errand.own:
        wanted = Sampling(seed=wanted.seed)
    limits = [each for each in (wanted.max_tokens, errand.max_tokens) if each is not None]
    return replace(
        wanted,
        choices=1,
        logprobs=False,
        top_logprobs=0,
        max_tokens=min(limits, default=None),
        temperature=wanted.temperature if errand.temperature is None else errand.temperature,
        seed=None if wanted.seed is None else wanted.seed + errand.draw,
    )
