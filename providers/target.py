"""Whom to ask, and how its server differs from its protocol's documentation; no I/O."""

from __future__ import annotations

from msgspec import Struct

from providers.cleared import Place


class Quirks(Struct, frozen=True):
    """What a vendor's server wants otherwise than others of its family, as data: a row of the table is all that a vendor is.

    completion_tokens: the longest answer is told as `max_completion_tokens`. reads_thoughts: it takes unsigned reasoning
    of earlier turns.
    """

    completion_tokens: bool = False
    reads_thoughts: bool = True


class Target(Struct, frozen=True):
    """Whom to ask. name: the settings' one, for messages. place: where what is sent ends up.

    reasoning: how it is told whether to reason: `effort`, or `template:` and the name of a switch of its chat template;
    None: it can't be told. accepts: what it can be told beyond what its protocol has, by neutral name. api_version: asked
    for with each call, as a query; None: there is none.
    """

    name: str
    base_url: str
    place: Place
    reasoning: str | None = None
    accepts: tuple[str, ...] = ()
    quirks: Quirks = Quirks()
    api_version: str | None = None
