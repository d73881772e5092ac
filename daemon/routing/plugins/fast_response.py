"""`fast_response`: a fixed answer, without a model."""

from __future__ import annotations

from daemon.recipes.plugins import FastResponse
from daemon.routing.plugins.base import Changed
from providers.contract import Request


def fast_response(request: Request, options: FastResponse) -> Changed:
    """The recipe's message is the answer."""
    return Changed(request, message=options.message)
