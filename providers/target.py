"""Whom to ask, and how its server differs from its protocol's documentation; no I/O."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from providers.cleared import Place


class Quirks(Struct, frozen=True):
    """What a vendor's server wants otherwise than others of its family, as data: a row of the table is all that a vendor is.

    completion_tokens: the longest answer is told as `max_completion_tokens`. reads_thoughts: it takes unsigned reasoning
    of earlier turns. thoughts_field: under which name. extras: which fields of a client's own it takes, where it refuses
    what it doesn't know; None: all. stream_usage: usage in a stream has to be asked for. choices: it gives several answers.
    penalties, parallel_field, strict: it knows these fields. logprobs: of which answers it tells them. seed: what it calls
    one; None: it knows none. schema: which schemas an answer can be held to. tool_choice: what `required` is called; None:
    it knows `auto` alone. models_path: where its models are listed, `/` in front meaning behind its host; "": nowhere; None:
    as others of its family. headers: that each call carries. bearer: it takes its key as a bearer's beside `x-api-key`,
    at its address for clients of Anthropic's. longest_answer: what is asked for there where the client said nothing, in
    tokens. system_turns: it takes the system's word between the turns.
    """

    completion_tokens: bool = False
    reads_thoughts: bool = True
    thoughts_field: str = "reasoning_content"
    extras: tuple[str, ...] | None = None
    stream_usage: bool = True
    choices: bool = True
    penalties: bool = True
    parallel_field: bool = True
    strict: bool = True
    logprobs: Literal["all", "whole", "none"] = "all"
    seed: str | None = "seed"
    schema: Literal["any", "object", "none"] = "any"
    tool_choice: str | None = "required"
    models_path: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    bearer: bool = True
    longest_answer: int = 8192
    system_turns: bool = False


class Target(Struct, frozen=True):
    """Whom to ask. name: the settings' one, for messages. place: where what is sent ends up.

    reasoning: how it is told whether to reason: `effort`, or `template:` and the name of a switch of its chat template;
    `budget`: in tokens; None: it can't be told. accepts: what it can be told beyond what its protocol has, by neutral name.
    api_version: asked for with each call, as a query; None: there is none. cache: `auto`: what of a prompt shall stay in its
    cache is marked where the client marked nothing; `client`: nothing but the client's marks.
    """

    name: str
    base_url: str
    place: Place
    reasoning: str | None = None
    accepts: tuple[str, ...] = ()
    quirks: Quirks = Quirks()
    api_version: str | None = None
    cache: Literal["auto", "client"] = "auto"
