"""Choices that a tool's schema lists: a secret among them can't be masked, unless the tool works on files.

A call has to name one of the choices. Of a secret a provider could name only the alias, which stays in a call that leads
anywhere (see sinks) and is no choice of the client's; turned back it would be a secret in a call that could carry it out. So
such a request can't be answered from elsewhere, and what was found there is fixed: it keeps the request here.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from daemon.boundary.sinks import sink_of
from daemon.signals.base import Observation, Span
from providers.contract import Request

_OPENS: Final = "secret"
"""The signal whose finds open something."""
_CHOICE: Final = re.compile(
    r"tools\[(\d+)\]\.parameters(?:/.*)?(?:/enum/\d+|(?<!/properties)/const)(?:/.*)?", re.DOTALL
)


def with_fixed_choices(request: Request, observations: tuple[Observation, ...]) -> tuple[Observation, ...]:
    """The same observations, with secrets fixed that stand among the choices of a tool that could carry them anywhere."""

    def kept(span: Span) -> Span:
        choice = _CHOICE.fullmatch(span.path)
        if choice is None or sink_of(request.tools[int(choice[1])].name) == "files":
            return span
        return replace(span, fixed=True)

    return tuple(
        replace(seen, spans=tuple(map(kept, seen.spans))) if seen.signal == _OPENS and seen.spans else seen
        for seen in observations
    )
