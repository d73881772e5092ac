"""Whom to ask, and how its server differs from its protocol's documentation; no I/O."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from providers.cleared import Place


class Quirks(Struct, frozen=True):
    """What a vendor's server wants otherwise than others of its family, as data: a row of the table is all that a vendor is.

    completion_tokens: the longest answer is told as `max_completion_tokens`. reads_thoughts: it takes unsigned reasoning
    of earlier turns. bearer: it takes its key as a bearer's beside `x-api-key`, at its address for clients of Anthropic's.
    longest_answer: what is asked for there where the client said nothing, in tokens. system_turns: it takes the system's
    word between the turns.
    """

    completion_tokens: bool = False
    reads_thoughts: bool = True
    bearer: bool = True
    longest_answer: int = 8192
    system_turns: bool = False


class Target(Struct, frozen=True):
    """Whom to ask. name: the settings' one, for messages. place: where what is sent ends up.

    reasoning: how it is told whether to reason: `effort`, or `template:` and the name of a switch of its chat template;
    `budget`: in tokens; None: it can't be told. accepts: what it can be told beyond what its protocol has, by neutral name.
    cache: `auto`: what of a prompt shall stay in its cache is marked where the client marked nothing; `client`: nothing but
    the client's marks.
    """

    name: str
    base_url: str
    place: Place
    reasoning: str | None = None
    accepts: tuple[str, ...] = ()
    quirks: Quirks = Quirks()
    cache: Literal["auto", "client"] = "auto"
